/**
 * An installation that an earlier version made, as it stands on somebody's machine, in the hands of this one.
 *
 * `earlier-set-up.json` was captured from the first version, whose hooks were programs, and `node-lines-set-up.json` from
 * the last one whose every line started Node: files before and after it, and what it wrote down of them, with `@` for the
 * directory it ran in.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect, test } from 'vitest'
import type { Applied } from '../../../src/runtimes/setup/apply.ts'
import { ownChanges } from '../../../src/runtimes/setup/own-lines.ts'
import type { Launch } from '../../../src/runtimes/setup/files/launch.ts'
import { CALLING, LAUNCH } from './desired-files.ts'
import { ALL, createHome, type Home } from './home.ts'

/** Path → text. */
type Files = Readonly<Record<string, string>>

/** What a version did to a home. */
interface Capture {
  readonly before: Files
  readonly after: Files
  readonly records: Files
}

function readCapture(name: string): Capture {
  return JSON.parse(readFileSync(new URL(name, import.meta.url), 'utf8'))
}

const FIRST = readCapture('earlier-set-up.json')
const NODE_LINES = readCapture('node-lines-set-up.json')

const VERSIONS: readonly (readonly [version: string, capture: Capture])[] = [
  ['the first version', FIRST],
  ['the last whose lines all start Node', NODE_LINES],
]

/** This version, on a machine with `curl` and on one without. */
const LAUNCHES: readonly Launch[] = [CALLING, LAUNCH]

/** Somebody's home, as it was before any version came. */
async function createEarlierHome(launch: Launch = CALLING): Promise<Home> {
  // The usual state directory: one that is named stands in what is written, and its hash in the record.
  const home = await createHome({ env: { AGENTD_STATE_DIR: '' } })
  writeFiles(home, FIRST.before)
  return home.moved(launch)
}

/** What that version did to it. */
function setUpEarlier(home: Home, { after, records: written }: Capture): void {
  writeFiles(home, after)
  const records = Object.entries(written).map(([name, text]) => [
    `.local/state/agentd/setup/${name}`,
    text.replaceAll('@', home.dir.path),
  ])
  mkdirSync(home.path('.local/state/agentd/setup'), { recursive: true, mode: 0o700 })
  writeFiles(home, Object.fromEntries(records))
}

function writeFiles(home: Home, files: Files): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(home.path(name)), { recursive: true, mode: 0o700 })
    writeFileSync(home.path(name), text, { mode: 0o600 })
  }
}

/** Without what agentd keeps for itself. */
function filesOf(home: Home): Files {
  return Object.fromEntries(Object.entries(home.snapshot()).filter(([name]) => !name.startsWith('.local')))
}

/** Runtime, event or kind, and what became of it, of each line that has changed. */
function changesOf(done: readonly Applied[]): readonly string[] {
  return done.flatMap(({ step }) =>
    step.changes.flatMap((change) =>
      ownChanges(change).map(({ kind, event, change: what }) =>
        [step.runtime, event ?? kind, what].join(' '),
      ),
    ),
  )
}

const PLUGIN = { plugin: true }

test.each(VERSIONS)('%s: --undo gives every byte back (OP-12)', async (_, capture) => {
  await using home = await createEarlierHome()
  const before = filesOf(home)
  setUpEarlier(home, capture)

  const done = await home.undoAll()

  expect(done.flatMap(({ step, failure }) => failure ?? step.refusal ?? [])).toEqual([])
  expect(filesOf(home)).toEqual(before)
})

test.each(VERSIONS.flatMap(([version, capture]) => LAUNCHES.map((launch) => ({ version, capture, launch }))))(
  '$version: set-up run again makes of it what it makes of a home without one, and that is undone to the byte (OP-12)',
  async ({ capture, launch }) => {
    await using home = await createEarlierHome(launch)
    await using fresh = await createEarlierHome(launch)
    const before = filesOf(home)
    setUpEarlier(home, capture)

    await home.install(ALL, PLUGIN)
    await fresh.install(ALL, PLUGIN)
    const after = filesOf(home)
    const again = await home.install(ALL, PLUGIN)
    await home.undoAll()

    expect(after).toEqual(filesOf(fresh))
    expect(again.flatMap(({ step }) => step.changes)).toEqual([])
    expect(filesOf(home)).toEqual(before)
  },
)

test('lines by curl go back to Node where curl has gone, and are undone to the byte all the same (OP-02, OP-12)', async () => {
  await using home = await createEarlierHome()
  const before = filesOf(home)

  await home.install(ALL, PLUGIN)
  const calling = JSON.stringify(filesOf(home))
  await home.moved(LAUNCH).install(ALL, PLUGIN)
  const without = JSON.stringify(filesOf(home))
  await home.undoAll()

  expect(calling).toContain('agentd-hook gemini /usr/bin/curl')
  expect(without).not.toContain('curl')
  expect(filesOf(home)).toEqual(before)
})

test('every line that changes is named, and no other (OP-12, OP-30)', async () => {
  await using home = await createEarlierHome()
  setUpEarlier(home, FIRST)

  const changes = changesOf(await home.install(ALL, PLUGIN))

  expect(changes.filter((line) => line.endsWith('removed'))).toEqual([
    'claude-code PreCompact removed',
    'codex PreCompact removed',
    'cursor preCompact removed',
    'copilot PreCompact removed',
  ])
  expect(changes).toEqual(
    expect.arrayContaining([
      'claude-code SessionStart changed',
      'claude-code SessionStart (waits) changed',
      'codex Stop changed',
      'gemini AfterTool changed',
      'cursor stop changed',
      'copilot notification changed',
      'opencode file changed',
    ]),
  )
  expect(changes.filter((line) => line.endsWith('added') || line.includes('server'))).toEqual([
    'claude-code Notification added',
    'claude-code StopFailure added',
    'claude-code PostToolBatch added',
    'claude-code PostToolUseFailure added',
    'gemini Notification added',
  ])
})

test('a matcher of ours is brought up to date, and one that somebody has changed is kept (OP-12)', async () => {
  await using home = await createEarlierHome()
  setUpEarlier(home, FIRST)
  const matcher = '"matcher": "Edit|MultiEdit|Write|NotebookEdit"'
  home.write(
    '.claude/settings.json',
    home.read('.claude/settings.json').replace(matcher, '"matcher": "Write"'),
  )

  await home.install(ALL, PLUGIN)

  const { hooks } = JSON.parse(home.read('.claude/settings.json'))
  const matchersOf = (event: string): unknown[] =>
    hooks[event].map((group: { matcher?: string }) => group.matcher)
  expect(matchersOf('PreToolUse').at(-1)).toBe('Write')
  // Of all tools, which is to say without one (OP-13).
  expect(matchersOf('PostToolUse')).toEqual(['Edit', undefined])
})

test('of lines that all started Node, those of a start stay, and the others are named (OP-02, OP-12)', async () => {
  await using home = await createEarlierHome()
  setUpEarlier(home, NODE_LINES)

  const changes = changesOf(await home.install(ALL, PLUGIN))

  expect(changes.filter((line) => /sessionstart/i.test(line))).toEqual([
    'claude-code SessionStart (waits) changed',
  ])
  expect(changes.filter((line) => line.endsWith('removed') || line.includes('server'))).toEqual([])
  expect(changes).toEqual(
    expect.arrayContaining([
      'claude-code PreToolUse changed',
      'claude-code PostToolBatch added',
      'codex SessionEnd changed',
      'copilot notification changed',
      'opencode file changed',
    ]),
  )
})

test('what somebody has changed since is kept, and the rest is brought up to date and undone all the same', async () => {
  await using home = await createEarlierHome()
  setUpEarlier(home, FIRST)
  const settings = JSON.parse(home.read('.claude/settings.json'))
  settings.model = 'sonnet'
  home.write('.claude/settings.json', JSON.stringify(settings, null, 2))

  await home.install(ALL, PLUGIN)
  const upgraded = JSON.parse(home.read('.claude/settings.json'))
  await home.undoAll()
  const undone = JSON.parse(home.read('.claude/settings.json'))

  expect(upgraded.hooks.PreCompact).toBeUndefined()
  expect(JSON.stringify(upgraded)).not.toContain('"args"')
  const theirs = JSON.parse(FIRST.before['.claude/settings.json'] ?? '')
  expect(undone).toEqual({ ...theirs, model: 'sonnet' })
})
