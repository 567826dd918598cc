/**
 * The line that long work shows, under fake time, and what Ctrl-C leaves of it on a real terminal.
 */
import { appendFileSync, existsSync, writeFileSync } from 'node:fs'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { formatVoltEvent, voltEvent } from '../../../src/aee/evidence/volt.ts'
import {
  DRAWN_EVERY_MS,
  Progress,
  SHOWN_AFTER_MS,
  type ProgressScreen,
} from '../../../src/cli/terminal/progress.ts'
import { hasProgram } from '../../support/needs.ts'
import { agentd, createUser, startOnTerminal } from '../support.ts'

/** A terminal, as far as the line needs one. */
class Screen implements ProgressScreen {
  readonly redraws: boolean
  readonly noteColumns: number
  readonly drawn: string[] = []

  constructor(redraws = true, noteColumns = 80) {
    this.redraws = redraws
    this.noteColumns = noteColumns
  }

  status(text: string): void {
    this.drawn.push(text)
  }
}

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'setInterval', 'clearInterval'] }))
afterEach(() => void vi.useRealTimers())

test('what is done within a second shows nothing, and takes nothing away', () => {
  const screen = new Screen()
  const progress = new Progress(screen, 'counting', 10)

  vi.advanceTimersByTime(SHOWN_AFTER_MS - 1)
  progress.advance(10)
  progress.stop()

  expect(screen.drawn).toEqual([])
})

test('a known size is a bar, an unknown one the time it has taken; both end with an empty line', () => {
  const screen = new Screen()
  const known = new Progress(screen, 'verifying volt.ndjson', 200)
  known.advance(90)
  vi.advanceTimersByTime(3_000)
  expect(screen.drawn.at(-1)).toBe('[#########-----------]  45 %  3s  verifying volt.ndjson')
  known.advance(1_000)
  vi.advanceTimersByTime(DRAWN_EVERY_MS)
  expect(screen.drawn.at(-1)).toBe('[####################] 100 %  3s  verifying volt.ndjson')
  known.stop()
  known.stop()
  expect(screen.drawn.filter((line) => line === '')).toHaveLength(1)

  const unknown = new Progress(screen, 'forgetting 5 items')
  vi.advanceTimersByTime(2_000)
  expect(screen.drawn.at(-1)).toBe('forgetting 5 items … 2s')
  unknown.stop()
  vi.advanceTimersByTime(5_000)
  expect(screen.drawn.at(-1)).toBe('')
})

test('it is never as wide as the terminal, and on a narrow one it has no bar', () => {
  for (const columns of [10, 30, 59, 80]) {
    const screen = new Screen(true, columns)
    const progress = new Progress(
      screen,
      'verifying a file with a name that is long enough to be cut '.repeat(2),
      10,
    )
    vi.advanceTimersByTime(2_000)
    expect(screen.drawn.at(-1)?.length).toBeLessThan(columns)
    expect(screen.drawn.at(-1)?.startsWith('[')).toBe(columns >= 60)
    progress.stop()
  }
})

test('where nobody reads it there is neither a line nor a timer, and Ctrl-C is as it was', () => {
  const screen = new Screen(false)
  const before = process.listenerCount('SIGINT')
  const progress = new Progress(screen, 'counting', 10)

  vi.advanceTimersByTime(60_000)
  progress.advance(5)
  expect([vi.getTimerCount(), process.listenerCount('SIGINT') - before]).toEqual([0, 0])
  progress.stop()
  expect(screen.drawn).toEqual([])
})

/** A ledger that takes some seconds to be held against itself. */
function writeLedger(path: string, lines: number): void {
  writeFileSync(path, '{"volt_version":"0.1"}\n')
  const line = `${JSON.stringify({ volt_version: '0.1', payload: { text: 'x'.repeat(400) } })}\n`
  for (let i = 0; i < lines; i += 10_000) appendFileSync(path, line.repeat(10_000))
}

test.runIf(hasProgram('script'))(
  'Ctrl-C takes the line away and ends the program; in a pipe there is none',
  async () => {
    vi.useRealTimers()
    await using user = await createUser()
    const ledger = user.dir.file('volt.ndjson')
    writeLedger(ledger, 600_000)
    await using shown = startOnTerminal(user.env, ['audit', 'verify', ledger])
    await shown.untilSaid(/\d+ %  \d+s  verifying volt\.ndjson/)
    shown.type('\u0003')
    const { code, stdout } = await shown.ended

    expect(code).toBe(130)
    expect(stdout.replaceAll('\u001b[2m', '').replaceAll('\u001b[22m', '').endsWith('\r\u001b[K')).toBe(true)

    writeLedger(ledger, 100_000)
    await using dumb = startOnTerminal({ ...user.env, TERM: 'dumb' }, ['audit', 'verify', ledger])
    expect((await dumb.ended).stdout).not.toContain('verifying')
    const piped = await agentd(user.env, ['audit', 'verify', ledger])
    expect(piped.stdout + piped.stderr).not.toContain('verifying')
  },
)

test.runIf(hasProgram('script'))(
  'a bundle of a long ledger shows its line, and Ctrl-C ends it before a folder is made',
  async () => {
    vi.useRealTimers()
    await using user = await createUser()
    const ledger = user.dir.file('volt.ndjson')
    const event = voltEvent(undefined, {
      eventId: 'E1',
      runId: 'RUN1',
      atMs: 1,
      eventType: 'run.started',
      actor: { actor_type: 'system', actor_id: 'a' },
      context: { correlation_id: 'another' },
      payload: {},
    })
    const line = `${formatVoltEvent(event)}\n`
    for (let i = 0; i < 30; i += 1) appendFileSync(ledger, line.repeat(10_000))
    const out = user.dir.file('bundle')
    const words = ['audit', 'bundle', 'the-workflow', '--ledger', ledger, '--out', out]
    await using shown = startOnTerminal(user.env, words)
    await shown.untilSaid(/bundling the-workflow … \d+s/)
    shown.type('\u0003')
    const { code, stdout } = await shown.ended

    expect(code).toBe(130)
    expect(stdout.replaceAll('\u001b[2m', '').replaceAll('\u001b[22m', '').endsWith('\r\u001b[K')).toBe(true)
    expect(existsSync(out)).toBe(false)

    writeFileSync(ledger, line)
    const piped = await agentd(user.env, words)
    expect([piped.code, piped.stdout + piped.stderr]).toEqual([
      2,
      'agentd: No VOLT ledger knows the workflow "the-workflow".\n',
    ])
  },
)
