/**
 * An installation that the first version made, as it stands on somebody's machine, in the hands of this one.
 *
 * `earlier-set-up.json` was captured from that version: files before and after it, and what it wrote down of them, with
 * `@` for the directory it ran in.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect, test } from 'vitest'
import { ownChanges } from '../../../src/runtimes/setup/own-lines.ts'
import { ALL, createHome, type Home } from './home.ts'

/** Path → text. */
type Files = Readonly<Record<string, string>>

const EARLIER: { readonly before: Files; readonly after: Files; readonly records: Files } = JSON.parse(
  readFileSync(new URL('earlier-set-up.json', import.meta.url), 'utf8'),
)

/** Somebody's home, as it was before the first version came. */
async function createEarlierHome(): Promise<Home> {
  // The usual state directory: one that is named stands in what is written, and its hash in the record.
  const home = await createHome({ env: { AGENTD_STATE_DIR: '' } })
  writeFiles(home, EARLIER.before)
  return home
}

/** What the first version did to it. */
function setUpEarlier(home: Home): void {
  writeFiles(home, EARLIER.after)
  const records = Object.entries(EARLIER.records).map(([name, text]) => [
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

const PLUGIN = { plugin: true }

test('--undo gives every byte back (OP-12)', async () => {
  await using home = await createEarlierHome()
  const before = filesOf(home)
  setUpEarlier(home)

  const done = await home.undoAll()

  expect(done.flatMap(({ step, failure }) => failure ?? step.refusal ?? [])).toEqual([])
  expect(filesOf(home)).toEqual(before)
})

test('set-up run again makes of it what it makes of a home without one, and that is undone to the byte (OP-12)', async () => {
  await using home = await createEarlierHome()
  await using fresh = await createEarlierHome()
  const before = filesOf(home)
  setUpEarlier(home)

  await home.install(ALL, PLUGIN)
  await fresh.install(ALL, PLUGIN)
  const after = filesOf(home)
  const again = await home.install(ALL, PLUGIN)
  await home.undoAll()

  expect(after).toEqual(filesOf(fresh))
  expect(again.flatMap(({ step }) => step.changes)).toEqual([])
  expect(filesOf(home)).toEqual(before)
})

test('every line that changes is named, and no other (OP-12, OP-30)', async () => {
  await using home = await createEarlierHome()
  setUpEarlier(home)

  const done = await home.install(ALL, PLUGIN)

  const changes = done.flatMap(({ step }) =>
    step.changes.flatMap((change) =>
      ownChanges(change).map(({ kind, event, change: what }) =>
        [step.runtime, event ?? kind, what].join(' '),
      ),
    ),
  )
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
    'gemini Notification added',
  ])
})

test('a matcher of ours is brought up to date, and one that somebody has changed is kept (OP-12)', async () => {
  await using home = await createEarlierHome()
  setUpEarlier(home)
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
  expect(matchersOf('PostToolUse').at(-1)).toMatch(/\|Bash\|AskUserQuestion\|/)
})

test('what somebody has changed since is kept, and the rest is brought up to date and undone all the same', async () => {
  await using home = await createEarlierHome()
  setUpEarlier(home)
  const settings = JSON.parse(home.read('.claude/settings.json'))
  settings.model = 'sonnet'
  home.write('.claude/settings.json', JSON.stringify(settings, null, 2))

  await home.install(ALL, PLUGIN)
  const upgraded = JSON.parse(home.read('.claude/settings.json'))
  await home.undoAll()
  const undone = JSON.parse(home.read('.claude/settings.json'))

  expect(upgraded.hooks.PreCompact).toBeUndefined()
  expect(JSON.stringify(upgraded)).not.toContain('"args"')
  const theirs = JSON.parse(EARLIER.before['.claude/settings.json'] ?? '')
  expect(undone).toEqual({ ...theirs, model: 'sonnet' })
})
