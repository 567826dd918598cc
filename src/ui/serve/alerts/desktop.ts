/**
 * A notification of the system, by the program that each has for it. Words of others are its arguments and nothing else:
 * no shell, no script and no option is made of them.
 *
 * `notify-send` of libnotify 0.7.10 on says which notification it has made, by which it is changed and taken back later;
 * one that is older, and macOS, show what they show until the person takes it away.
 *
 * @see SEAT-41, SEAT-43
 */
import { spawn, type ChildProcess } from 'node:child_process'
import type { Clock } from '../../../core/clock.ts'
import type { LogFields, Logger } from '../../../core/log.ts'
import { systemErrorCode } from '../../../core/thrown.ts'
import type { NeedAlert } from '../../seat/alerts/alert-words.ts'

/** How the person is told of what needs them: `ui.notify`. */
export type NotifyWay = 'auto' | 'page' | 'system' | 'off'

/** How long the program may take, in milliseconds; one that hangs is killed then. */
export const NOTIFIER_MS = 5_000

/** Programs at a time; what is to be told while as many hang is not told. */
export const MAX_NOTIFIERS = 3

/** Characters of what a program says that are looked at: the number of a notification. */
const MAX_SAID = 16

/** Who speaks, where the system shows that. */
const APPLICATION = 'agentd'

/** The machine it is told on. */
export interface DesktopParts {
  readonly platform: string
  /** What the program is started with: where it is found, and where the desktop is. */
  readonly env: Readonly<Record<string, string | undefined>>
  readonly clock: Clock
  readonly log: Logger
}

/** What is shown. */
export type Notice = Pick<NeedAlert, 'key' | 'title' | 'body' | 'isQuiet'>

/** What a program said before it ended. `code`: null for one that was killed. */
type OnEnd = (said: string, code: number | null, signal: string | null) => void

export class Desktop {
  readonly #parts: DesktopParts
  readonly #running = new Set<ChildProcess>()
  /** Faults that were said: each is said once. */
  readonly #said = new Set<string>()
  /** Key of what stands there → the number the system has for it. There are never more than needs that are open. */
  readonly #standing = new Map<string, string>()
  /** By key what is on its way there, and is not taken back or replaced by then. */
  readonly #sending = new Map<string, Notice>()
  /** Numbers that are to go, one after the other. */
  readonly #closing: string[] = []
  #isClosing = false
  /** Whether `notify-send` knows numbers. */
  #hasNumbers = true

  constructor(parts: DesktopParts) {
    this.#parts = parts
  }

  /** Shows it, in place of what stands under its key, and does not wait for it. */
  show(notice: Notice): void {
    // Less than before is told only where it takes the place of that: nobody has to be called.
    if (notice.isQuiet && !this.#standing.has(notice.key)) return
    if (this.#parts.platform !== 'darwin') return this.#send(notice, this.#hasNumbers)
    const words = [...MAC_SCRIPT.flatMap((line) => ['-e', line]), APPLICATION, notice.title, notice.body]
    this.#run('osascript', words, (_, code, signal) => this.#sayFailed('osascript', code, signal))
  }

  /** Takes back what was shown under a key, where the system can. */
  withdraw(key: string): void {
    this.#sending.delete(key)
    const number = this.#standing.get(key)
    if (number === undefined) return
    this.#standing.delete(key)
    this.#close(number)
  }

  /** Takes back everything. */
  clear(): void {
    this.#sending.clear()
    for (const key of this.#standing.keys()) this.withdraw(key)
  }

  /** Nothing that was started outlives it. */
  close(): void {
    this.#closing.length = 0
    for (const child of this.#running) child.kill('SIGKILL')
  }

  #send(notice: Notice, isNumbered: boolean): void {
    const { key, title, body, isQuiet } = notice
    const number = this.#standing.get(key)
    const options = [
      `--app-name=${APPLICATION}`,
      ...(isNumbered ? ['--print-id'] : []),
      ...(number === undefined ? [] : [`--replace-id=${number}`]),
      ...(isQuiet ? ['--urgency=low'] : []),
    ]
    this.#sending.set(key, notice)
    // What stands first is no option, and so ends them.
    this.#run('notify-send', [...options, '--', title, escapeBody(body)], (said, code, signal) => {
      if (code === 0) this.#hasNumbers = isNumbered
      // An older one shows nothing for an option that it does not know.
      else if (isNumbered && code !== null && this.#sending.get(key) === notice)
        return this.#send(notice, false)
      else this.#sayFailed('notify-send', code, signal)
      this.#learn(notice, /^\d+/.exec(said)?.[0])
    })
  }

  #learn(notice: Notice, number: string | undefined): void {
    const { key } = notice
    const isWanted = this.#sending.get(key) === notice
    if (isWanted) this.#sending.delete(key)
    if (number === undefined) return
    if (isWanted) this.#standing.set(key, number)
    else this.#close(number)
  }

  #close(number: string): void {
    this.#closing.push(number)
    if (!this.#isClosing) this.#closeNext()
  }

  #closeNext(): void {
    const number = this.#closing.shift()
    this.#isClosing = number !== undefined
    // One that the person has taken away meanwhile is no fault.
    if (number !== undefined) this.#run('gdbus', [...CLOSE, `uint32 ${number}`], () => this.#closeNext())
  }

  #run(program: string, words: readonly string[], onEnd: OnEnd): void {
    const { env, clock } = this.#parts
    if (this.#running.size >= MAX_NOTIFIERS) {
      this.#sayOnce('notifier-hangs', { program })
      return onEnd('', null, null)
    }
    const child = spawn(program, words, { env, stdio: ['ignore', 'pipe', 'ignore'] })
    this.#running.add(child)
    let said = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(0, MAX_SAID)))
    const timer = clock.after(NOTIFIER_MS, () => child.kill('SIGKILL'))
    child.once('error', (error) =>
      this.#sayOnce('notifier-missing', { program, code: systemErrorCode(error) }),
    )
    child.once('close', (code, signal) => {
      timer.cancel()
      this.#running.delete(child)
      // What could not be started has told so.
      onEnd(said, code !== null && code < 0 ? null : code, signal)
    })
    child.unref()
  }

  #sayFailed(program: string, code: number | null, signal: string | null): void {
    if (code !== 0 && (code !== null || signal !== null))
      this.#sayOnce('notifier-failed', { program, code, signal })
  }

  #sayOnce(event: string, fields: LogFields): void {
    const name = `${event} ${String(fields['program'])}`
    if (this.#said.has(name)) return
    this.#said.add(name)
    this.#parts.log.warn(event, fields)
  }
}

/** Each line of it is ours; the words come as its arguments. What stands first of those is no option, and so ends them. */
const MAC_SCRIPT = [
  'on run argv',
  'display notification (item 3 of argv) with title (item 2 of argv) subtitle (item 1 of argv)',
  'end run',
]

/** What a desktop is asked with, besides the number. */
const CLOSE = [
  'call',
  '--session',
  '--dest=org.freedesktop.Notifications',
  '--object-path=/org/freedesktop/Notifications',
  '--method=org.freedesktop.Notifications.CloseNotification',
]

const MARKUP: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '\\': '\\\\' }

/** The body, and it alone, is markup to whoever shows it, and `notify-send` reads escapes like those of C in it. */
function escapeBody(body: string): string {
  return body.replaceAll(/[&<>\\]/g, (found) => MARKUP[found] ?? found)
}
