import { existsSync, mkdirSync, readFileSync, readdirSync, realpathSync, writeFileSync } from 'node:fs'
import { stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import { hookLine } from '../../../../src/runtimes/setup/files/launch.ts'
import { snapshotOf } from '../../../runtimes/setup/home.ts'
import { AGENTD, agentd, createUser, startOnTerminal, type Env } from '../../support.ts'
import { hasProgram } from '../../../support/needs.ts'
import type { TempDir } from '../../../support/temp-dir.ts'

const SETTINGS = '{\n  // mine\n  "ui": { "theme": "dark" }\n}\n'

const NEXT_START = 'Sessions that run already take it up at their next start: Gemini CLI.\n'

/** What is said of sessions that run already. */
function said({ stderr }: { readonly stderr: string }): string | undefined {
  return stderr.split('\n').find((one) => one.startsWith('Sessions that run already'))
}

/** Somebody with Gemini CLI and nothing else: what this machine has installed must not be found. */
async function createGeminiUser(): Promise<Awaited<ReturnType<typeof createUser>> & { readonly alone: Env }> {
  const user = await createUser()
  mkdirSync(user.dir.file('home', '.gemini'))
  writeFileSync(user.dir.file('home', '.gemini', 'settings.json'), SETTINGS)
  return { ...user, alone: { ...user.env, PATH: user.dir.file('bin') } }
}

test('--dry-run shows the exact difference, and changes nothing', async () => {
  await using user = await createGeminiUser()
  const before = snapshotOf(user.dir.path)

  const { code, stdout } = await agentd(user.alone, ['setup', '--dry-run'])

  expect(code).toBe(0)
  expect(stdout).toContain(
    `--- ${user.dir.file('home')}/.gemini/settings.json\n+++ ${user.dir.file('home')}/.gemini/settings.json\n@@ -1,4 +1,`,
  )
  expect(stdout).toContain('-  "ui": { "theme": "dark" }\n+  "ui": { "theme": "dark" },\n+  "hooks": {\n')
  expect(stdout).toContain(
    `+            "command": "${hookLine({ node: process.execPath, script: realpathSync(AGENTD) }, 'gemini')}",\n`,
  )
  expect(snapshotOf(user.dir.path)).toEqual(before)
})

test('--yes writes it without asking; a second time there is nothing to do; --undo gives every byte back', async () => {
  await using user = await createGeminiUser()
  const before = snapshotOf(user.dir.file('home'))

  const first = await agentd(user.alone, ['setup', '--yes'])
  const second = await agentd(user.alone, ['setup', '--yes'])
  const undone = await agentd(user.alone, ['setup', '--undo', '--yes'])
  const again = await agentd(user.alone, ['setup', '--undo', '--yes'])

  const file = user.dir.file('home', '.gemini', 'settings.json')
  expect(first).toEqual({ code: 0, stdout: `Gemini CLI:\n  changed ${file}\n`, stderr: NEXT_START })
  expect(second.stdout).toBe('Gemini CLI: nothing to do\n')
  expect(undone.stdout).toBe(`Gemini CLI:\n  changed ${file}\n`)
  expect(again).toEqual({ code: 0, stdout: 'nothing to do\n', stderr: '' })
  expect(snapshotOf(user.dir.file('home'))).toEqual(before)
})

test('without a terminal nobody can be asked, so nothing is done', async () => {
  await using user = await createGeminiUser()

  const { code, stderr } = await agentd(user.alone, ['setup'])

  expect(code).toBe(2)
  expect(stderr).toContain('look with --dry-run, then repeat with --yes')
  expect(existsSync(user.dir.file('state'))).toBe(false)
})

test.runIf(hasProgram('script')).each([
  ['y', true],
  ['n', false],
  ['', false],
  ['yes please', false],
])('on a terminal it is said what changes, and %j is an answer', async (reply, isYes) => {
  await using user = await createGeminiUser()
  await using running = startOnTerminal(user.env, ['setup', 'gemini'])

  await running.untilSaid(/Change this\? \[y\/N\] /)
  running.type(`${reply}\n`)
  const { code, stdout } = await running.ended

  expect(code).toBe(0)
  expect(stdout).toContain('7 hook lines, MCP server')
  expect(stdout).not.toContain('"hooks": {')
  expect(stdout).toContain(isYes ? 'changed' : 'Nothing was changed.')
  expect(readFileSync(user.dir.file('home', '.gemini', 'settings.json'), 'utf8') === SETTINGS).toBe(!isYes)
})

/** What a terminal shows before the question, line by line, without what moves the cursor. */
function linesBefore(said: string): readonly string[] {
  const [before = ''] = said.split('Change this?')
  return stripVTControlCharacters(before).split('\r\n').slice(0, -1)
}

test.runIf(hasProgram('script'))(
  'it asks after six lines: each file with its hook lines, the server, and what they are for (OP-30)',
  async () => {
    await using user = await createGeminiUser()
    mkdirSync(user.dir.file('bin'))
    mkdirSync(user.dir.file('bin'), { recursive: true })
    writeFileSync(user.dir.file('bin', 'claude'), '#!/bin/sh\n', { mode: 0o755 })
    const env = { ...user.env, PATH: `${user.dir.file('bin')}:${user.env['PATH'] ?? ''}` }
    await using running = startOnTerminal(env, ['setup', 'claude-code', 'codex'])

    await running.untilSaid(/Change this\?/)

    const lines = linesBefore(running.stdout())
    expect(lines).toEqual([
      'agentd setup is going to change (--diff shows every line):',
      '  ~/.claude/settings.json  12 hook lines, new file',
      '  claude mcp add           MCP server',
      '  ~/.codex/hooks.json      6 hook lines, new file',
      '  ~/.codex/config.toml     MCP server, new file',
      'Hooks tell of messages and edits, the MCP server gives tools; --undo undoes it.',
    ])
    expect(lines.filter((line) => line.length > 80)).toEqual([])
  },
)

test.runIf(hasProgram('script'))('--diff shows every line above the question', async () => {
  await using user = await createGeminiUser()
  await using running = startOnTerminal(user.env, ['setup', 'gemini', '--diff'])

  await running.untilSaid(/Change this\?/)

  expect(running.stdout()).toContain('+  "hooks": {')
  expect(running.stdout()).toContain('7 hook lines, MCP server')
})

function commandOf(groups: unknown): string {
  const [group] = Array.isArray(groups) ? groups : []
  return String(group.hooks[0].command)
}

/** Codex' hooks as the first version wrote them. */
function writeEarlierHooks(dir: TempDir): void {
  const hooks = [
    'SessionStart',
    'UserPromptSubmit',
    'PreToolUse',
    'PostToolUse',
    'PreCompact',
    'Stop',
    'SessionEnd',
  ]
  const command = `${process.execPath} /opt/agentd/bin/agentd.cjs hook codex`
  const group = { hooks: [{ type: 'command', command, timeout: 5 }] }
  mkdirSync(dir.file('home', '.codex'))
  writeFileSync(
    dir.file('home', '.codex', 'hooks.json'),
    JSON.stringify({ hooks: Object.fromEntries(hooks.map((event) => [event, [group]])) }, null, 2),
  )
}

const UPGRADE = [
  '    changed    SessionStart, UserPromptSubmit, PreToolUse, PostToolUse, Stop,',
  '               SessionEnd',
  '    taken out  PreCompact',
]

test.runIf(hasProgram('script'))(
  'what an earlier version has written is gone through line by line before the question (OP-12)',
  async () => {
    await using user = await createUser()
    writeEarlierHooks(user.dir)
    await using running = startOnTerminal(user.env, ['setup', 'codex', '--hooks-only'])

    await running.untilSaid(/Change this\?/)

    expect(linesBefore(running.stdout()).slice(1, 5)).toEqual([
      '  ~/.codex/hooks.json  6 hook lines changed, 1 hook line taken out',
      ...UPGRADE,
    ])
  },
)

test('--yes says line by line what it has brought up to date, and --undo takes old and new out (OP-12)', async () => {
  await using user = await createUser()
  writeEarlierHooks(user.dir)

  const upgraded = await agentd(user.env, ['setup', 'codex', '--hooks-only', '--yes'])
  const undone = await agentd(user.env, ['setup', 'codex', '--undo', '--yes'])

  const file = user.dir.file('home', '.codex', 'hooks.json')
  expect(upgraded.stdout.split('\n').slice(1, 4)).toEqual([
    `  changed ${file}`,
    '    changed    SessionStart, UserPromptSubmit, PreToolUse, PostToolUse, Stop, SessionEnd',
    '    taken out  PreCompact',
  ])
  expect(undone.stdout).toBe(`Codex CLI:\n  changed ${file}\n`)
  expect(readFileSync(file, 'utf8')).not.toContain('agentd')
})

test('--json says what was done, with the differences', async () => {
  await using user = await createGeminiUser()

  const { stdout } = await agentd(user.alone, ['setup', 'gemini', '--yes', '--json'])

  expect(JSON.parse(stdout)).toMatchObject({
    changed: true,
    runtimes: [
      {
        runtime: 'gemini',
        files: [
          {
            path: user.dir.file('home', '.gemini', 'settings.json'),
            change: 'changed',
            diff: expect.stringContaining('@@'),
            lines: expect.arrayContaining([
              { kind: 'hook', event: 'SessionStart', change: 'added' },
              { kind: 'server', change: 'added' },
            ]),
          },
        ],
        run: [],
      },
    ],
  })
})

test('a file that is not understood is left alone, the others are set up, and the exit code says so', async () => {
  await using user = await createGeminiUser()
  writeFileSync(user.dir.file('home', '.gemini', 'settings.json'), '{\n  "a": 1\n  "b": 2\n}\n')

  const { code, stdout, stderr } = await agentd(user.alone, ['setup', 'gemini', 'cursor', '--yes'])

  expect(code).toBe(78)
  expect(stderr).toContain('.gemini/settings.json is left alone: line 3, column 3: comma expected.')
  expect(stdout).toContain('Cursor:\n  created ')
  expect(readFileSync(user.dir.file('home', '.gemini', 'settings.json'), 'utf8')).toBe(
    '{\n  "a": 1\n  "b": 2\n}\n',
  )
})

test('control characters in a file do not reach the terminal', async () => {
  await using user = await createGeminiUser()
  writeFileSync(user.dir.file('home', '.gemini', 'settings.json'), '{\n  "a": "\u009b31m\u202e"\n}\n')

  const { stdout } = await agentd(user.alone, ['setup', '--dry-run'])

  // oxlint-disable-next-line no-control-regex -- that is what must not be there
  expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u0080-\u009f\u202e]/)
})

test('Codex is said to want trust', async () => {
  await using user = await createGeminiUser()

  const { stderr } = await agentd(user.alone, ['setup', 'codex', '--yes'])

  expect(stderr).toContain('run /hooks in Codex and trust agentd')
})

test.each([
  [['setup', 'emacs', '--yes'], 'There is no runtime "emacs"'],
  [['setup', '--hooks-only', '--mcp-only', '--yes'], 'leave nothing to set up'],
  [['setup', '--undo', '--mcp-only', '--yes'], '--undo takes back all of it'],
  [['setup', 'claude-code', '--plugin', '--yes'], 'needs a folder'],
  [['setup', '--plugin', 'x', '--yes'], 'for claude-code alone'],
])('%j is a wrong usage: %s', async (args, sentence) => {
  await using user = await createGeminiUser()

  const { code, stderr } = await agentd(user.alone, args)

  expect(code).toBe(2)
  expect(stderr).toContain(sentence)
})

test('where no runtime is found, that is said', async () => {
  await using user = await createUser()

  const { code, stderr } = await agentd({ ...user.env, PATH: user.dir.file('bin') }, ['setup', '--yes'])

  expect(code).toBe(2)
  expect(stderr).toContain('No runtime was found here; name the ones to set up: claude-code, codex,')
})

test.each([
  [
    ['codex', 'gemini', 'cursor'],
    [],
    'Sessions that run already take it up at their next start: Codex CLI, Gemini CLI.',
  ],
  [['claude-code'], ['--hooks-only'], undefined],
  [['cursor', 'vscode'], [], undefined],
])('%j %j: it is said whose running sessions go on without it', async (runtimes, flags, line) => {
  await using user = await createUser()

  const done = await agentd(user.env, ['setup', ...runtimes, ...flags, '--yes'])
  const idle = await agentd(user.env, ['setup', ...runtimes, ...flags, '--yes'])
  const undone = await agentd(user.env, ['setup', ...runtimes, '--undo', '--yes'])

  expect(said(done)).toBe(line)
  expect(said(idle)).toBeUndefined()
  expect(said(undone)).toBe(
    line?.replace(
      'take it up at their next start',
      'keep it until they end, and start the daemon when they use its tools',
    ),
  )
})

test('Claude Code takes up its hooks at once, and its tools at its next start', async () => {
  await using user = await createUser()
  mkdirSync(user.dir.file('bin'), { recursive: true })
  writeFileSync(user.dir.file('bin', 'claude'), '#!/bin/sh\nexit 0\n', { mode: 0o755 })
  const env = { ...user.env, PATH: `${user.dir.file('bin')}:${process.env['PATH']}` }

  const { stderr } = await agentd(env, ['setup', 'claude-code', '--yes'])

  expect(stderr).toContain(
    'Sessions that run already take it up at their next start: the tools of Claude Code.',
  )
})

test('two at once both end well, and the result is that of one', async () => {
  await using user = await createGeminiUser()

  const outcomes = await Promise.all([1, 2, 3].map(() => agentd(user.alone, ['setup', '--yes'])))
  const check = await agentd(user.alone, ['setup', '--yes'])
  await agentd(user.alone, ['setup', '--undo', '--yes'])

  expect(outcomes.map(({ code }) => code)).toEqual([0, 0, 0])
  // Whoever came first has done it.
  expect(outcomes.map(({ stderr }) => stderr).toSorted()).toEqual(['', '', NEXT_START])
  expect(check.stdout).toBe('Gemini CLI: nothing to do\n')
  expect(readFileSync(user.dir.file('home', '.gemini', 'settings.json'), 'utf8')).toBe(SETTINGS)
  expect(readdirSync(user.dir.file('state', 'setup'))).toEqual([])
})

test.runIf(hasProgram('curl'))(
  'lines name curl and the socket of this environment, and a key only where one is asked for (OP-02, OP-04)',
  async () => {
    await using user = await createUser()
    const hooks = user.dir.file('home', '.codex', 'hooks.json')
    mkdirSync(user.dir.file('home', '.codex'))
    const linesOf = (): readonly string[] =>
      Object.values(JSON.parse(readFileSync(hooks, 'utf8')).hooks).map((groups) => commandOf(groups))

    await agentd(user.env, ['setup', 'codex', '--hooks-only', '--yes'])
    const open = linesOf()
    mkdirSync(user.dir.file('config', 'agentd'))
    writeFileSync(user.dir.file('config', 'agentd', 'config.json'), '{"auth":"session"}', { mode: 0o600 })
    await agentd(user.env, ['setup', 'codex', '--hooks-only', '--yes'])
    const keyed = linesOf()
    const header = user.dir.file('state', 'person.header')
    const key = readFileSync(header, 'utf8')
    await agentd(user.env, ['setup', 'codex', '--undo', '--yes'])

    const isByCurl = (line: string): boolean => line.includes(` ${user.env['AGENTD_SOCKET'] ?? 'no socket'}`)
    expect(open.map(isByCurl)).toEqual([false, true, true, true, true, true])
    expect(open.join('')).not.toContain('person.header')
    expect(keyed.slice(1).every((line) => line.endsWith(` ${header}`))).toBe(true)
    expect(key).toMatch(/^agentd-key: [\w-]{43}\n$/)
    expect(existsSync(header)).toBe(false)
  },
)

test('without curl every line starts Node (OP-02)', async () => {
  await using user = await createGeminiUser()

  await agentd(user.alone, ['setup', 'gemini', '--yes'])

  const settings = readFileSync(user.dir.file('home', '.gemini', 'settings.json'), 'utf8')
  expect(settings.match(/agentd\.cjs hook gemini/g)).toHaveLength(7)
  expect(settings).not.toContain('curl')
})
