/** Words of others are arguments of a program, and text to whoever reads them there (SEAT-43). */
import { expect, test, vi } from 'vitest'
import {
  Desktop,
  MAX_NOTIFIERS,
  NOTIFIER_MS,
  type DesktopParts,
} from '../../../../src/ui/serve/alerts/desktop.ts'
import { escapeUnseen } from '../../../../src/core/text/unseen.ts'
import { alertOf } from '../../../../src/ui/seat/alerts/alert-words.ts'
import { readNeed } from '../../../../src/ui/seat/needs/need.ts'
import { FakeClock } from '../../../support/fake-clock.ts'
import { silentLog } from '../../../support/silent-log.ts'
import { createTempDir } from '../../../support/temp-dir.ts'
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
    expect(call.slice(0, -1)).toEqual(['--app-name=agentd', '--', 'cc-opus@s1 · question'])
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
  to.desktop.show({ title: '--icon=/etc/passwd', body: '-t 0' })
  await untilCalls(recorder, 1)

  expect(recorder.calls()).toEqual([['--app-name=agentd', '--', '--icon=/etc/passwd', '-t 0']])
})

test('a program that is not there is said once, and nothing else comes of it (SEAT-43)', async () => {
  await using dir = await createTempDir()
  using to = desktopWith({ env: { PATH: dir.path } })
  to.desktop.show(alertWith('one'))
  await vi.waitFor(() => expect(to.warned).toEqual(['notifier-missing']))
  const recorder = installRecorder(dir, 'notify-send', 'process.exit(3)')
  using other = desktopWith(recorder)
  to.desktop.show(alertWith('two'))
  for (const count of [1, 2]) {
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
