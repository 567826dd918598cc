/** Words of others are arguments of a program, and text to whoever reads them there (SEAT-43). */
import { expect, test, vi } from 'vitest'
import {
  Desktop,
  MAX_NOTIFIERS,
  NOTIFIER_MS,
  type DesktopParts,
  type Notice,
} from '../../../../src/ui/serve/alerts/desktop.ts'
import { escapeUnseen } from '../../../../src/core/text/unseen.ts'
import { alertOf } from '../../../../src/ui/seat/alerts/alert-words.ts'
import { readNeed } from '../../../../src/ui/seat/needs/need.ts'
import { FakeClock } from '../../../support/fake-clock.ts'
import { silentLog } from '../../../support/silent-log.ts'
import { createTempDir, type TempDir } from '../../../support/temp-dir.ts'
import { need } from '../../support/wire.ts'
import { installRecorder, shownByDesktop, type Recorder } from './recorder.ts'

/** What a sender may write to get out of the text it is. */
const HOSTILE = [
  `quotes " ' \` and $(reboot)`,
  'back\\slashes \\n \\" \\\\',
  '-u critical',
  '--help',
  'a & b &amp; c &lt;i&gt;',
  '<b>bold</b> <a href="file:///etc/passwd">open</a>',
  'one\ntwo\r\nthree',
  'pay \u202Eeruces\u2066 now\u0007\u001B[2J',
  '" & (do shell script "reboot") & "',
]

/** A desktop that numbers its notifications from 1 on, as `notify-send --print-id` tells, and one that closes them. */
function installNumbering(dir: TempDir) {
  const recorder = installRecorder(
    dir,
    'notify-send',
    `const made = require('node:fs').readFileSync(${JSON.stringify(dir.file('notify-send.calls'))}, 'utf8').split('\\n')
     const replaced = process.argv.find((word) => word.startsWith('--replace-id='))
     console.log(replaced ? replaced.slice(13) : made.length - 1)`,
  )
  return { recorder, closing: installRecorder(dir, 'gdbus') }
}

const notice = (key: string, more: Partial<Notice> = {}): Notice => ({
  key,
  title: key,
  body: '',
  isQuiet: false,
  ...more,
})

function desktopWith(recorder: Pick<Recorder, 'env'>, more: Partial<DesktopParts> = {}) {
  const warned: string[] = []
  const log = { ...silentLog, warn: (event: string) => void warned.push(event) }
  const clock = new FakeClock()
  const desktop = new Desktop({ platform: 'linux', env: recorder.env, clock, log, ...more })
  return { desktop, clock, warned, [Symbol.dispose]: () => desktop.close() }
}

const alertWith = (text: string) => {
  const found = readNeed(need('n1', { text, from: { address: '~alice/cc-opus@s1', present: true } }))
  if (found === undefined) throw new Error('it was not read')
  return alertOf('k', found)
}

const untilCalls = (recorder: Recorder, count: number): Promise<void> =>
  vi.waitFor(() => expect(recorder.calls()).toHaveLength(count), 15_000)

test('notify-send gets two words behind its options, and shows what the text shows (SEAT-43)', async () => {
  await using dir = await createTempDir()
  const recorder = installRecorder(dir, 'notify-send')
  using to = desktopWith(recorder)
  for (const [at, text] of HOSTILE.entries()) {
    to.desktop.show(alertWith(text))
    await untilCalls(recorder, at + 1)
  }

  for (const [at, call] of recorder.calls().entries()) {
    const { body } = alertWith(HOSTILE[at]!)
    expect(call.slice(0, -1)).toEqual(['--app-name=agentd', '--print-id', '--', 'cc-opus@s1 · question'])
    expect(shownByDesktop(call.at(-1)!)).toBe(body)
    expect(escapeUnseen(body)).toBe(body)
  }
  expect(to.warned).toEqual([])
})

test('osascript gets a script that is ours and the words as its arguments (SEAT-43)', async () => {
  await using dir = await createTempDir()
  const recorder = installRecorder(dir, 'osascript')
  using to = desktopWith(recorder, { platform: 'darwin' })
  const alerts = HOSTILE.map(alertWith)
  for (const [at, alert] of alerts.entries()) {
    to.desktop.show(alert)
    await untilCalls(recorder, at + 1)
  }

  const script = recorder.calls()[0]!.slice(0, 6)
  expect(script.filter((_, at) => at % 2 === 0)).toEqual(['-e', '-e', '-e'])
  expect(script[1]).toBe('on run argv')
  for (const [at, call] of recorder.calls().entries())
    expect(call).toEqual([...script, 'agentd', alerts[at]!.title, alerts[at]!.body])
})

test('a title that begins like an option is none (SEAT-43)', async () => {
  await using dir = await createTempDir()
  const recorder = installRecorder(dir, 'notify-send')
  using to = desktopWith(recorder)
  to.desktop.show({ key: 'k', title: '--icon=/etc/passwd', body: '-t 0', isQuiet: false })
  await untilCalls(recorder, 1)

  expect(recorder.calls()).toEqual([['--app-name=agentd', '--print-id', '--', '--icon=/etc/passwd', '-t 0']])
})

test('a program that is not there is said once, and nothing else comes of it (SEAT-43)', async () => {
  await using dir = await createTempDir()
  using to = desktopWith({ env: { PATH: dir.path } })
  to.desktop.show(alertWith('one'))
  await vi.waitFor(() => expect(to.warned).toEqual(['notifier-missing']))
  const recorder = installRecorder(dir, 'notify-send', 'process.exit(3)')
  using other = desktopWith(recorder)
  to.desktop.show(alertWith('two'))
  // With the options of today, and without: it may be an older one.
  for (const count of [2, 4]) {
    other.desktop.show(alertWith('three'))
    await untilCalls(recorder, count)
  }
  await vi.waitFor(() => expect(other.warned).toEqual(['notifier-failed']))

  expect(to.warned).toEqual(['notifier-missing'])
})

test('no more than three hang at a time, each is killed after five seconds, and then there is room again (SEAT-43)', async () => {
  await using dir = await createTempDir()
  const recorder = installRecorder(dir, 'notify-send', 'setInterval(() => {}, 1000)')
  using to = desktopWith(recorder)
  for (let at = 0; at <= MAX_NOTIFIERS; at += 1) to.desktop.show(alertWith(`question ${at}`))
  await untilCalls(recorder, MAX_NOTIFIERS)
  expect(to.warned).toEqual(['notifier-hangs'])
  to.clock.advance(NOTIFIER_MS)
  await vi.waitFor(() => expect(to.warned).toEqual(['notifier-hangs', 'notifier-failed']), 15_000)
  await vi.waitFor(() => {
    to.desktop.show(alertWith('once more'))
    expect(recorder.calls().length).toBeGreaterThan(MAX_NOTIFIERS)
  }, 15_000)
})

test('what is withdrawn is closed by its number, one after the other, and what was never shown is not (SEAT-41)', async () => {
  await using dir = await createTempDir()
  const { recorder, closing } = installNumbering(dir)
  using to = desktopWith(recorder)
  for (const [at, key] of ['one', 'two', 'three', 'four', 'five'].entries()) {
    to.desktop.show(notice(key))
    await untilCalls(recorder, at + 1)
  }
  await vi.waitFor(() => {
    to.desktop.withdraw('two')
    expect(closing.calls()).toHaveLength(1)
  }, 15_000)
  to.desktop.withdraw('never')
  await vi.waitFor(() => {
    to.desktop.clear()
    expect(closing.calls()).toHaveLength(5)
  }, 15_000)

  expect(closing.calls()[0]?.slice(-2)).toEqual([
    '--method=org.freedesktop.Notifications.CloseNotification',
    'uint32 2',
  ])
  const numbers = new Set(closing.calls().map((words) => words.at(-1)))
  expect(numbers).toEqual(new Set([1, 2, 3, 4, 5].map((number) => `uint32 ${number}`)))
  expect(to.warned).toEqual([])
})

test('what is settled while it is on its way is closed as soon as it is there (SEAT-41)', async () => {
  await using dir = await createTempDir()
  const { recorder, closing } = installNumbering(dir)
  using to = desktopWith(recorder)
  to.desktop.show(notice('one'))
  to.desktop.withdraw('one')

  await vi.waitFor(() => expect(closing.calls().map((words) => words.at(-1))).toEqual(['uint32 1']), 15_000)
})

test('less of the same takes the place of what stands there, without calling anybody, and is not shown by itself (SEAT-41)', async () => {
  await using dir = await createTempDir()
  const { recorder } = installNumbering(dir)
  using to = desktopWith(recorder)
  to.desktop.show(notice('together', { title: '2 need you', isQuiet: true }))
  to.desktop.show(notice('together', { title: '3 need you' }))
  await vi.waitFor(() => {
    to.desktop.show(notice('together', { title: '2 need you', isQuiet: true }))
    expect(recorder.calls().length).toBeGreaterThan(1)
  }, 15_000)

  expect(recorder.calls()[0]?.at(-2)).toBe('3 need you')
  expect(recorder.calls()[1]).toEqual([
    '--app-name=agentd',
    '--print-id',
    '--replace-id=1',
    '--urgency=low',
    '--',
    '2 need you',
    '',
  ])
})

test('a notify-send that knows no numbers shows it all the same, and is asked for none again (SEAT-43)', async () => {
  await using dir = await createTempDir()
  const recorder = installRecorder(
    dir,
    'notify-send',
    `if (process.argv.includes('--print-id')) process.exit(1)`,
  )
  using to = desktopWith(recorder)
  /** Whether a number was asked for, of each call for a title. */
  const callsFor = (title: string): readonly boolean[] => {
    const calls = recorder.calls().filter((words) => words.at(-2) === title)
    return calls.map((words) => words.includes('--print-id'))
  }
  /** Shows it. @returns whether a number was asked for, first */
  const show = async (title: string): Promise<boolean> => {
    to.desktop.show(notice(title))
    await vi.waitUntil(() => callsFor(title).includes(false), 15_000)
    return callsFor(title).includes(true)
  }

  expect(await show('question 1')).toBe(true)
  // It is known when the program has ended, which is a moment after it was called.
  await vi.waitUntil(async () => !(await show(`question ${recorder.calls().length}`)), 15_000)
  expect(to.warned).toEqual([])
})
