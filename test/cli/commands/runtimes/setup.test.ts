import { existsSync, mkdirSync, readFileSync, readdirSync, realpathSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { snapshotOf } from '../../../runtimes/setup/home.ts'
import { AGENTD, agentd, createUser, startOnTerminal, type Env } from '../../support.ts'
import { hasProgram } from '../../../support/needs.ts'

const SETTINGS = '{\n  // mine\n  "ui": { "theme": "dark" }\n}\n'

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
    `+            "command": "${process.execPath} ${realpathSync(AGENTD)} hook gemini",\n`,
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
  expect(first).toEqual({ code: 0, stdout: `Gemini CLI:\n  changed ${file}\n`, stderr: '' })
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
])('on a terminal the difference is shown, and %j is an answer', async (reply, isYes) => {
  await using user = await createGeminiUser()
  await using running = startOnTerminal(user.env, ['setup', 'gemini'])

  await running.untilSaid(/Change this\? \[y\/N\] /)
  running.type(`${reply}\n`)
  const { code, stdout } = await running.ended

  expect(code).toBe(0)
  expect(stdout).toContain('+  "hooks": {')
  expect(stdout).toContain(isYes ? 'changed' : 'Nothing was changed.')
  expect(readFileSync(user.dir.file('home', '.gemini', 'settings.json'), 'utf8') === SETTINGS).toBe(!isYes)
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
  expect(stderr).toContain('No runtime was found here')
})

test('two at once both end well, and the result is that of one', async () => {
  await using user = await createGeminiUser()

  const outcomes = await Promise.all([1, 2, 3].map(() => agentd(user.alone, ['setup', '--yes'])))
  const check = await agentd(user.alone, ['setup', '--yes'])
  await agentd(user.alone, ['setup', '--undo', '--yes'])

  expect(outcomes.map(({ code, stderr }) => ({ code, stderr }))).toEqual(
    outcomes.map(() => ({ code: 0, stderr: '' })),
  )
  expect(check.stdout).toBe('Gemini CLI: nothing to do\n')
  expect(readFileSync(user.dir.file('home', '.gemini', 'settings.json'), 'utf8')).toBe(SETTINGS)
  expect(readdirSync(user.dir.file('state', 'setup'))).toEqual([])
})
