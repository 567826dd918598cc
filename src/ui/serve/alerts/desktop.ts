/**
 * A notification of the system, by the program that each has for it. Words of others are its arguments and nothing else:
 * no shell, no script and no option is made of them.
 *
 * @see SEAT-43
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
export type Notice = Pick<NeedAlert, 'title' | 'body'>

export class Desktop {
  readonly #parts: DesktopParts
  readonly #running = new Set<ChildProcess>()
  /** Faults that were said: each is said once. */
  readonly #said = new Set<string>()

  constructor(parts: DesktopParts) {
    this.#parts = parts
  }

  /** Shows it, and does not wait for it. */
  show(notice: Notice): void {
    const { platform, env, clock } = this.#parts
    const [program, words] = commandFor(platform, notice)
    if (this.#running.size >= MAX_NOTIFIERS) return this.#sayOnce('notifier-hangs', { program })
    const child = spawn(program, words, { env, stdio: 'ignore' })
    this.#running.add(child)
    const timer = clock.after(NOTIFIER_MS, () => child.kill('SIGKILL'))
    const end = (): void => {
      timer.cancel()
      this.#running.delete(child)
    }
    child.once('error', (error) => {
      end()
      this.#sayOnce('notifier-missing', { program, code: systemErrorCode(error) })
    })
    child.once('exit', (code, signal) => {
      end()
      if (code !== 0) this.#sayOnce('notifier-failed', { program, code, signal })
    })
    child.unref()
  }

  /** Nothing that was started outlives it. */
  close(): void {
    for (const child of this.#running) child.kill('SIGKILL')
  }

  #sayOnce(event: string, fields: LogFields): void {
    if (this.#said.has(event)) return
    this.#said.add(event)
    this.#parts.log.warn(event, fields)
  }
}

/** Each line of it is ours; the words come as its arguments. */
const MAC_SCRIPT = [
  'on run argv',
  'display notification (item 3 of argv) with title (item 2 of argv) subtitle (item 1 of argv)',
  'end run',
]

function commandFor(platform: string, { title, body }: Notice): readonly [string, readonly string[]] {
  // What stands first is no option, and so ends them.
  if (platform === 'darwin')
    return ['osascript', [...MAC_SCRIPT.flatMap((line) => ['-e', line]), APPLICATION, title, body]]
  return ['notify-send', [`--app-name=${APPLICATION}`, '--', title, escapeBody(body)]]
}

const MARKUP: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '\\': '\\\\' }

/** The body, and it alone, is markup to whoever shows it, and `notify-send` reads escapes like those of C in it. */
function escapeBody(body: string): string {
  return body.replaceAll(/[&<>\\]/g, (found) => MARKUP[found] ?? found)
}
