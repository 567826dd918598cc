import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { setupsNamed } from '../../../src/runtimes/setup/selection.ts'
import { hookLine } from '../../../src/runtimes/setup/files/launch.ts'
import { planInstall } from '../../../src/runtimes/setup/install.ts'
import { createHome, type Home, SETUPS } from '../setup/home.ts'
import { LAUNCH } from '../setup/desired-files.ts'

/**
 * Keeps servers as `claude mcp add` and `remove` do, in the file and the form of docs/runtimes.md §1.7, and notes how
 * it was called. The real one cannot be run without an account.
 */
const STAND_IN = `#!${process.execPath}
const fs = require('node:fs')
const [, verb, ...words] = process.argv.slice(2)
const home = process.env.STAND_IN_HOME
fs.appendFileSync(home + '/calls', JSON.stringify(process.argv.slice(2)) + '\\n')
const file = home + '/.claude.json'
const state = fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) : { numStartups: 3 }
state.mcpServers ??= {}
if (verb === 'add') {
  const at = words.indexOf('--')
  const [command, ...args] = words.slice(at + 1)
  if (state.mcpServers[words[at - 1]]) process.exit(1)
  state.mcpServers[words[at - 1]] = { type: 'stdio', command, args, env: {} }
} else delete state.mcpServers[words.at(-1)]
fs.writeFileSync(file, JSON.stringify(state))
`

async function createClaudeHome(): Promise<Home> {
  const home = await createHome()
  mkdirSync(home.dir.file('bin'))
  writeFileSync(
    home.dir.file('bin', 'claude'),
    STAND_IN.replace('process.env.STAND_IN_HOME', JSON.stringify(home.path())),
    {
      mode: 0o755,
    },
  )
  return home
}

function calls(home: Home): readonly (readonly string[])[] {
  if (!existsSync(home.path('calls'))) return []
  return home
    .read('calls')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}

function servers(home: Home): Readonly<Record<string, unknown>> {
  return JSON.parse(home.read('.claude.json')).mcpServers
}

test("the server is added through Claude's own command, once, and taken back through it", async () => {
  await using home = await createClaudeHome()

  await home.install(['claude-code'])
  await home.install(['claude-code'])
  expect(servers(home)).toEqual({
    agentd: { type: 'stdio', command: LAUNCH.node, args: [LAUNCH.script, 'mcp'], env: {} },
  })
  await home.undo(['claude-code'])

  expect(JSON.parse(home.read('.claude.json'))).toEqual({ numStartups: 3 })
  expect(calls(home)).toEqual([
    [
      'mcp',
      'add',
      '--env',
      expect.stringMatching(/^AGENTD_STATE_DIR=/),
      '--scope',
      'user',
      'agentd',
      '--',
      LAUNCH.node,
      LAUNCH.script,
      'mcp',
    ],
    ['mcp', 'remove', '--scope', 'user', 'agentd'],
  ])
})

test.each([
  [
    'a list that was there',
    '{\n  "mcpServers": {},\n  "numStartups": 3\n}',
    { mcpServers: {}, numStartups: 3 },
  ],
  ['none', '{\n  "numStartups": 3\n}', { numStartups: 3 }],
])('nothing is left of ours in .claude.json, and %s is there again (OP-30)', async (_, before, after) => {
  await using home = await createClaudeHome()
  home.write('.claude.json', before)

  await home.install(['claude-code'])
  await home.moved({ ...LAUNCH, node: '/new/node' }).install(['claude-code'])
  await home.moved({ ...LAUNCH, node: '/new/node' }).undo(['claude-code'])

  expect(JSON.parse(home.read('.claude.json'))).toEqual(after)
  expect(existsSync(home.path('.claude.json.lock'))).toBe(false)
})

test("somebody's own server that came meanwhile stays", async () => {
  await using home = await createClaudeHome()
  await home.install(['claude-code'])
  const state = JSON.parse(home.read('.claude.json'))
  state.mcpServers.theirs = { command: 'theirs' }
  home.write('.claude.json', JSON.stringify(state))

  await home.undo(['claude-code'])

  expect(servers(home)).toEqual({ theirs: { command: 'theirs' } })
})

test('a server of an earlier place is replaced', async () => {
  await using home = await createClaudeHome()
  await home.install(['claude-code'])

  await home.moved({ ...LAUNCH, node: '/new/node' }).install(['claude-code'])

  expect(servers(home)).toMatchObject({ agentd: { command: '/new/node' } })
})

test("a server that is somebody else's is neither replaced nor removed", async () => {
  await using home = await createClaudeHome()
  home.write('.claude.json', '{"mcpServers":{"agentd":{"command":"theirs"}}}')

  const [done] = await home.install(['claude-code'])
  await home.undo(['claude-code'])

  expect(done?.step.notes).toEqual([expect.stringContaining('is not ours')])
  expect(calls(home)).toEqual([])
})

test('one that was given to something else after set-up stays', async () => {
  await using home = await createClaudeHome()
  await home.install(['claude-code'])
  home.write('.claude.json', '{"mcpServers":{"agentd":{"command":"theirs"}}}')

  await home.undo(['claude-code'])

  expect(servers(home)).toEqual({ agentd: { command: 'theirs' } })
})

test('without its program, the command to run is printed', async () => {
  await using home = await createHome()

  const [step] = planInstall(setupsNamed(SETUPS, ['claude-code']), home.request)

  expect(step?.commands).toEqual([])
  expect(step?.notes).toEqual([
    expect.stringMatching(
      /^claude is not on PATH; .*claude mcp add .*agentd -- \/opt\/node\/bin\/node \S+ mcp$/,
    ),
  ])
})

test('a command that fails is told with its last word, and what was written can be undone', async () => {
  await using home = await createClaudeHome()
  writeFileSync(home.dir.file('bin', 'claude'), '#!/bin/sh\necho "no config" >&2\nexit 1\n', { mode: 0o755 })

  const [done] = await home.install(['claude-code'])
  await home.undo(['claude-code'])

  expect(done?.failure).toContain('failed: no config')
  expect(existsSync(home.path('.claude'))).toBe(false)
})

test('the plugin is a folder of its own, and the settings stay as they are', async () => {
  await using home = await createHome()
  const pluginFolder = home.path('plugin')

  const done = await home.install(['claude-code'], { pluginFolder })
  const read = (name: string): unknown => JSON.parse(readFileSync(`${pluginFolder}/${name}`, 'utf8'))

  expect(done.flatMap(({ step }) => step.notes).join('\n')).toContain(
    'claude plugin install agentd@agentd-local',
  )
  expect(read('.claude-plugin/marketplace.json')).toMatchObject({
    name: 'agentd-local',
    plugins: [{ name: 'agentd', source: './agentd' }],
  })
  expect(read('agentd/.claude-plugin/plugin.json')).toMatchObject({ name: 'agentd' })
  expect(read('agentd/.mcp.json')).toEqual({
    mcpServers: { agentd: { command: LAUNCH.node, args: [LAUNCH.script, 'mcp'] } },
  })
  expect(read('agentd/hooks/hooks.json')).toMatchObject({
    hooks: {
      Stop: [{ hooks: [{ command: hookLine(LAUNCH, 'claude-code') }] }, { hooks: [{ asyncRewake: true }] }],
    },
  })
  expect(existsSync(home.path('.claude'))).toBe(false)
  await home.undo(['claude-code'])
  expect(home.snapshot()).toEqual({})
})

test('plugin and settings are never both: every hook would run twice', async () => {
  await using home = await createHome()
  home.write('.claude/settings.json', '{"enabledPlugins":{"agentd@agentd-local":true}}')
  const [refused] = await home.install(['claude-code'])
  home.write('.claude/settings.json', '{}')
  await home.install(['claude-code'])
  const [plugin] = await home.install(['claude-code'], { pluginFolder: home.path('plugin') })

  expect(refused?.step.refusal).toContain('claude plugin uninstall agentd')
  expect(plugin?.step.refusal).toContain('agentd setup claude-code --undo')
})
