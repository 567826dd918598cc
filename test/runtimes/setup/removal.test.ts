/**
 * Everything on record taken out at once, each by itself: of every project, and whatever became of it since.
 */
import { chmodSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { pathsFor } from '../../../src/runtimes/setup/paths.ts'
import type { Applied } from '../../../src/runtimes/setup/apply.ts'
import { ALL, createHome, snapshotOf, type Home } from './home.ts'

function faults(done: readonly Applied[]): readonly string[] {
  return done.flatMap(({ step, failure }) => failure ?? step.refusal ?? [])
}

function notes(done: readonly Applied[]): readonly string[] {
  return done.flatMap(({ step }) => step.notes)
}

/** Sets up a project of the same person. @returns its folder */
async function setUpProject(home: Home, name: string, runtimes: readonly string[]): Promise<string> {
  const project = home.dir.file(name)
  mkdirSync(home.dir.file(name, '.git'), { recursive: true })
  const { environment } = home.request.paths
  await home.install(runtimes, { paths: pathsFor(environment, 'project', project) })
  return project
}

/** A `claude` that notes where it was called, and with what. */
function writeClaude(home: Home): void {
  mkdirSync(home.dir.file('bin'))
  const text = `#!/bin/sh\necho "$(/bin/pwd) $*" >>'${home.dir.file('calls')}'\n`
  writeFileSync(home.dir.file('bin', 'claude'), text, { mode: 0o755 })
}

function lastCall(home: Home): string | undefined {
  return readFileSync(home.dir.file('calls'), 'utf8').trim().split('\n').at(-1)
}

test('the user and two projects are rid of it, and nothing is remembered', async () => {
  await using home = await createHome()
  await home.install(ALL)
  const projects = [await setUpProject(home, 'one', ALL), await setUpProject(home, 'two', ['codex'])]

  const done = await home.removeAll()

  expect(faults(done)).toEqual([])
  expect(home.snapshot()).toEqual({})
  for (const project of projects) expect(Object.keys(snapshotOf(project))).toEqual(['.git'])
  expect(readdirSync(home.dir.file('state', 'setup'))).toEqual([])
})

test('a project that was deleted since is no fault', async () => {
  await using home = await createHome()
  writeClaude(home)
  rmSync(await setUpProject(home, 'one', ['claude-code', 'codex']), { recursive: true })

  const done = await home.removeAll()

  expect(faults(done)).toEqual([])
  expect(readdirSync(home.dir.file('state', 'setup'))).toEqual([])
})

test.each([
  ['as this version records it', (record: string) => record],
  ['as the first version recorded it', (record: string) => record.replace(/,\s*"directory": "[^"]*"/, '')],
])("a project's server is taken out in its folder, %s", async (_, edit) => {
  await using home = await createHome()
  writeClaude(home)
  const project = await setUpProject(home, 'one', ['claude-code'])
  const [name = ''] = readdirSync(home.dir.file('state', 'setup'))
  const record = readFileSync(home.dir.file('state', 'setup', name), 'utf8')
  writeFileSync(home.dir.file('state', 'setup', name), edit(record))
  const { node, script } = home.request.launch
  const server = { type: 'stdio', command: node, args: [script, 'mcp'] }
  home.write('.claude.json', JSON.stringify({ projects: { [project]: { mcpServers: { agentd: server } } } }))

  const done = await home.removeAll()

  expect(record).toContain('"directory"')
  expect(faults(done)).toEqual([])
  expect(lastCall(home)).toBe(`${project} mcp remove --scope local agentd`)
})

test('a server in a project that the first version did not name is told, and what is known of it is kept', async () => {
  await using home = await createHome()
  writeClaude(home)
  await setUpProject(home, 'one', ['claude-code'])
  const [name = ''] = readdirSync(home.dir.file('state', 'setup'))
  const path = home.dir.file('state', 'setup', name)
  const { forget, ...record } = JSON.parse(readFileSync(path, 'utf8'))
  const { directory: _, ...unnamed } = forget
  writeFileSync(path, JSON.stringify({ ...record, files: [], forget: unnamed }))

  const done = await home.removeAll()

  expect(faults(done)).toEqual([])
  expect(notes(done)).toEqual([
    expect.stringContaining('"agentd setup claude-code --undo --scope project" there'),
  ])
  expect(readdirSync(home.dir.file('state', 'setup'))).toEqual([name])
})

test("a runtime's program that is gone is no fault either", async () => {
  await using home = await createHome()
  writeClaude(home)
  await home.install(['claude-code'])
  rmSync(home.dir.file('bin'), { recursive: true })
  const { node, script } = home.request.launch
  home.write(
    '.claude.json',
    JSON.stringify({ mcpServers: { agentd: { command: node, args: [script, 'mcp'] } } }),
  )

  const done = await home.removeAll()

  expect(faults(done)).toEqual([])
  expect(notes(done)).toEqual([expect.stringMatching(/bin\/claude is gone; .*started by nobody/)])
})

test.each([
  ['codex.json', '{', 'is damaged'],
  ['codex.json', '{"version":2}', 'is of another version of agentd'],
  [
    'later.json',
    '{"version":1,"runtime":"later","files":[],"directories":[],"forget":null}',
    'by another version',
  ],
])('a record %s that holds %s is said, and the others go', async (name, text, sentence) => {
  await using home = await createHome()
  await home.install(['gemini', 'codex'])
  writeFileSync(home.dir.file('state', 'setup', name), text)

  const done = await home.removeAll()

  expect(faults(done)).toEqual([expect.stringContaining(sentence)])
  expect(Object.keys(home.snapshot()).some((path) => path.startsWith('.gemini'))).toBe(false)
})

test('entries without a record are taken out by what they are', async () => {
  await using home = await createHome()
  await home.install(['cursor'])
  rmSync(home.dir.file('state'), { recursive: true })

  const done = await home.removeAll()

  expect(faults(done)).toEqual([])
  expect(JSON.stringify(home.snapshot())).not.toContain('agentd.cjs')
})

test('a file that was locked against us since is said by name, and the rest goes', async () => {
  await using home = await createHome()
  await home.install(['gemini', 'codex'])
  chmodSync(home.path('.gemini/settings.json'), 0o444)

  const done = await home.removeAll()

  expect(faults(done)).toEqual([expect.stringMatching(/settings\.json is left alone: it is read-only/)])
  expect(Object.keys(home.snapshot()).some((path) => path.startsWith('.codex'))).toBe(false)
})
