import { chmodSync, existsSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { connect } from '../../../../src/client/index.ts'
import { snapshotOf } from '../../../runtimes/setup/home.ts'
import { AGENTD, agentd, createUser, type Env } from '../../support.ts'

/** Somebody with Gemini CLI and nothing else. */
async function createGeminiUser(): Promise<Awaited<ReturnType<typeof createUser>> & { readonly alone: Env }> {
  const user = await createUser()
  mkdirSync(user.dir.file('home', '.gemini'))
  mkdirSync(user.dir.file('bin'))
  writeFileSync(user.dir.file('bin', 'gemini'), '#!/bin/sh\necho 0.61.0\n')
  chmodSync(user.dir.file('bin', 'gemini'), 0o755)
  return { ...user, alone: { ...user.env, PATH: user.dir.file('bin') } }
}

test('what is found stands under the name of its runtime, with what to do below it; nothing is changed or started', async () => {
  await using user = await createGeminiUser()
  const before = snapshotOf(user.dir.path)

  const { code, stdout, stderr } = await agentd(user.alone, ['doctor'])

  expect(stderr).toBe('')
  expect(code).toBe(0)
  expect(stdout).toContain(`Gemini CLI\n  ok    Gemini CLI 0.61.0 at ${user.dir.file('bin', 'gemini')}.\n`)
  expect(stdout).toContain('  off   No hooks of agentd are set up.\n        → agentd setup gemini\n')
  expect(stdout).toContain('  off   The daemon is not running')
  expect(snapshotOf(user.dir.path)).toEqual(before)
  expect(existsSync(user.dir.file('agentd.sock'))).toBe(false)
})

test('after a set-up the hooks are well, as this very agentd starts them', async () => {
  await using user = await createGeminiUser()
  await agentd(user.alone, ['setup', '--yes'])

  const { code, stdout } = await agentd(user.alone, ['doctor', 'gemini', '--json'])

  expect(code).toBe(0)
  const { ok, findings } = JSON.parse(stdout)
  expect(ok).toBe(true)
  expect(findings).toContainEqual({
    area: 'gemini',
    name: 'hooks',
    state: 'ok',
    sentence: `The hooks are set up in ${user.dir.file('home', '.gemini', 'settings.json')}.`,
  })
  expect(existsSync(realpathSync(AGENTD))).toBe(true)
})

test('something that failed ends it with 1, and --quiet says only that', async () => {
  await using user = await createGeminiUser()
  await agentd(user.alone, ['setup', '--yes'])
  writeFileSync(user.dir.file('home', '.gemini', 'settings.json'), '{"hooksConfig":{"enabled":false}}')

  const { code, stdout } = await agentd(user.alone, ['doctor', 'gemini', '--quiet'])

  expect(code).toBe(1)
  expect(stdout).toMatch(
    /^Gemini CLI\n {2}fail {2}hooksConfig\.enabled is false [^\n]+\n {8}→ take it out of [^\n]+\n$/,
  )
})

test('--live starts the daemon, and says when nobody is there', async () => {
  await using user = await createGeminiUser()

  const { code, stdout } = await agentd(user.env, ['doctor', 'gemini', '--live'])

  expect(code).toBe(0)
  expect(stdout).toContain('  ok    The daemon runs as pid ')
  expect(stdout).toContain('Probes\n  off   No session is attached.\n')
})

test('--live says of a session that does not read that its mail waits', async () => {
  await using user = await createGeminiUser()
  await agentd(user.env, ['start'])
  const client = await connect({ socket: user.dir.file('agentd.sock') })
  const session = await client.session({ instrument: 'cc', sessionId: 's1', mailbox: true })

  const { code, stdout } = await agentd(user.env, [
    'doctor',
    'gemini',
    '--live',
    '--timeout',
    '200ms',
    '--json',
  ])
  await client.close()

  expect(code).toBe(0)
  expect(JSON.parse(stdout).findings).toContainEqual(
    expect.objectContaining({
      area: 'live',
      state: 'warn',
      probe: expect.objectContaining({ address: session.address, state: 'queued' }),
    }),
  )
})

test('--live without a daemon, and none to be started, still tells all the rest', async () => {
  await using user = await createGeminiUser()

  const { code, stdout } = await agentd(user.alone, ['--no-start', 'doctor', 'gemini', '--live'])

  expect(code).toBe(1)
  expect(stdout).toContain('  off   The daemon is not running')
  expect(stdout).toContain('Probes\n  fail  Nobody could be probed: agentd does not answer at ')
})

test('control characters that a program says for its version do not reach the terminal', async () => {
  await using user = await createGeminiUser()
  writeFileSync(user.dir.file('bin', 'gemini'), "#!/bin/sh\nprintf '\\033[31mred\\n'\n")

  const { stdout } = await agentd(user.alone, ['doctor', 'gemini'])

  expect(stdout).toContain('Gemini CLI [31mred at ')
  expect(stdout).not.toContain('\u001b')
})

test.each([
  [['doctor', 'emacs'], 'There is no runtime "emacs"'],
  [['doctor', 'git'], 'There is no runtime "git" to look at'],
  [['doctor', '--timeout', '5s'], '--timeout goes with --live'],
  [['doctor', '--wake'], '--wake goes with --live'],
  [['doctor', '--live', '--timeout', '1ms'], '--timeout must be from 100ms to 10m'],
  [['doctor', '--live', '--timeout', '11m'], '--timeout must be from 100ms to 10m'],
])('%j is a wrong usage: %s', async (args, sentence) => {
  await using user = await createGeminiUser()

  const { code, stderr } = await agentd({ ...user.env, AGENTD_NO_START: '1' }, args)

  expect(code).toBe(2)
  expect(stderr).toContain(sentence)
})
