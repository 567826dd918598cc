/** What stands in the repository for the marketplaces of runtimes is what set-up writes, with agentd by its name. */
import { execFileSync, spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createProgram } from '../../../src/cli/program.ts'
import { publishedFiles } from '../../../src/runtimes/marketplace/published-files.ts'
import { findHookRole } from '../../../src/runtimes/setup/files/launch.ts'
import { createTempDir } from '../../support/temp-dir.ts'

const ROOT = join(import.meta.dirname, '..', '..', '..')
const FILES = publishedFiles()

const read = (path: string): string => FILES.get(path) ?? ''

/** The lines of a file of hooks, with the event of each. */
function linesOf(path: string): readonly { event: string; command: string }[] {
  const { hooks }: { hooks: Record<string, { hooks: { command: string }[] }[]> } = JSON.parse(read(path))
  return Object.entries(hooks).flatMap(([event, groups]) =>
    groups.flatMap((group) => group.hooks.map(({ command }) => ({ event, command }))),
  )
}

// `vitest -u` of this file writes them anew.
test.each([...FILES.keys()])('%s is as it is generated', async (path) => {
  await expect(read(path)).toMatchFileSnapshot(join(ROOT, path))
})

test('nothing else stands beside them', () => {
  const found = ['plugin', '.claude-plugin'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length + 1)),
  )

  expect(found.toSorted()).toEqual([...FILES.keys()].toSorted())
})

test('its hooks are those of set-up, event by event, and are known again as ours', () => {
  const claude = linesOf('plugin/hooks/claude-code.json')
  const codex = linesOf('plugin/hooks/codex.json')

  expect(claude.map(({ event }) => event)).toContain('PostToolBatch')
  expect(codex.map(({ event }) => event)).toEqual([
    'SessionStart',
    'UserPromptSubmit',
    'PreToolUse',
    'PostToolUse',
    'Stop',
    'SessionEnd',
  ])
  for (const { command } of codex) expect(findHookRole({ command }, 'codex')).toBe('hook')
  expect(new Set(claude.map(({ command }) => findHookRole({ command }, 'claude-code')))).toEqual(
    new Set(['hook', 'wait']),
  )
})

test('where there is no agentd its hooks take in what they are handed, say nothing and end well', async () => {
  await using dir = await createTempDir()
  const shell = execFileSync('sh', ['-c', 'command -v sh'], { encoding: 'utf8' }).trim()
  const cat = execFileSync('sh', ['-c', 'command -v cat'], { encoding: 'utf8' }).trim()
  symlinkSync(cat, dir.file('cat'))
  for (const { command } of [
    ...linesOf('plugin/hooks/claude-code.json'),
    ...linesOf('plugin/hooks/codex.json'),
  ]) {
    const input = 'x'.repeat(256 * 1_024)
    const { status, stdout, stderr, error } = spawnSync(shell, ['-c', command], {
      encoding: 'utf8',
      env: { PATH: dir.path },
      input,
    })

    expect({ status, said: `${stdout}${stderr}`, error }).toEqual({ status: 0, said: '', error: undefined })
  }
})

test('the skill names commands and tools that there are', () => {
  const skill = readFileSync(join(ROOT, 'plugin/skills/agentd/SKILL.md'), 'utf8')
  const commands = new Set(createProgram([]).commands.map((command) => command.name()))
  const named = [...skill.matchAll(/`agentd ([a-z-]+)/g)].map(([, name]) => name ?? '')
  const folder = join(ROOT, 'src/mcp/tools')
  const sources = readdirSync(folder).map((file) => readFileSync(join(folder, file), 'utf8'))
  const tools = new Set(
    sources.flatMap((text) => [...text.matchAll(/name: '(agentd_\w+)'/g)].map(([, name]) => name)),
  )

  expect(named.length).toBeGreaterThan(8)
  expect(named.filter((name) => !commands.has(name))).toEqual([])
  expect(
    [...skill.matchAll(/agentd_[a-z]+/g)].map(([name]) => name).filter((name) => !tools.has(name)),
  ).toEqual([])
})
