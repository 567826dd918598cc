/**
 * What goes wrong under `--json` is one object on stderr, whichever way the command went (docs/json.md "Errors").
 */
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startTestDaemon } from '../../support/daemon.ts'
import { AGENTD, agentd, createUser, fullAgentd, type Env, type Outcome } from '../support.ts'
import { spawnSync } from 'node:child_process'

/** The one object on stderr, where nothing else was said. */
function errorOf({ code, stdout, stderr }: Outcome): unknown {
  expect(stdout).toBe('')
  expect(stderr.trimEnd().split('\n')).toHaveLength(1)
  const error: unknown = JSON.parse(stderr)
  expect(error).toMatchObject({ exit_code: code })
  return error
}

const USAGE: readonly (readonly [string, readonly string[]])[] = [
  ['no command', ['--json']],
  ['no subcommand', ['service', '--json']],
  ['no such command', ['rostr', '--json']],
  ['no such option', ['roster', '--bogus', '--json']],
  ['an argument too few', ['lock', '--json']],
  ['an argument too many', ['status', 'now', '--json']],
  ['a value that is none of the choices', ['send', '{}', '--kind', 'gossip', '--json']],
  ['a duration that is none', ['ask', 'who?', '--timeout', 'soon', '--json']],
  ['no such topic', ['help', 'xyzzy', '--json']],
]

test.each(USAGE)('%s is a wrong usage, told as an object', async (_what, words) => {
  await using user = await createUser()

  const outcome = await agentd(user.env, words)

  expect(outcome.code).toBe(2)
  expect(errorOf(outcome)).toMatchObject({ code: 'usage', message: expect.stringMatching(/\w/) })
})

test('a refusal, an absent daemon and a missing answer have their code and what the command ends with', async () => {
  await using daemon = await startTestDaemon()
  await using user = await createUser()
  const refused = ['send', '--kind', 'agent_advisory', '{}', '--json']

  const both = [await agentd(daemon.env, refused), await fullAgentd(daemon.env, refused)]
  const absent = [
    await agentd(user.env, ['advise', 'hello', '--no-start', '--json']),
    await fullAgentd(user.env, ['advise', 'hello', '--no-start', '--json']),
    await agentd(user.env, ['roster', '--no-start', '--json']),
  ]
  const unheard = await agentd(daemon.env, ['ask', 'anybody?', '--json'])

  for (const one of both)
    expect(errorOf(one)).toMatchObject({
      code: 'field-missing',
      field: 'payload.advisory_text',
      exit_code: 1,
    })
  for (const one of absent) expect(errorOf(one)).toMatchObject({ code: 'unreachable', exit_code: 69 })
  expect(errorOf(unheard)).toMatchObject({ code: 'no-listener', exit_code: 3 })
})

test('what stands behind -- is text, and makes no program of a person', async () => {
  await using user = await createUser()

  const outcome = await agentd(user.env, ['roster', '--bogus', '--', '--json'])

  expect(outcome).toMatchObject({ code: 2, stderr: "agentd: unknown option '--bogus'\n" })
})

test('a launcher that finds nothing to load says that as an object, too', async () => {
  await using user = await createUser()
  const root = mkdtempSync(join(user.dir.path, 'package-'))
  mkdirSync(join(root, 'bin'))
  cpSync(AGENTD, join(root, 'bin', 'agentd.cjs'))

  const said = runLauncher(join(root, 'bin', 'agentd.cjs'), user.env, ['roster', '--json'])
  const toPeople = runLauncher(join(root, 'bin', 'agentd.cjs'), user.env, ['roster', '--', '--json'])
  rmSync(root, { recursive: true })

  expect(errorOf(said)).toMatchObject({ code: 'defect', exit_code: 70 })
  expect(toPeople).toMatchObject({ code: 70, stderr: expect.stringMatching(/^agentd: this checkout/) })
})

function runLauncher(launcher: string, env: Env, words: readonly string[]): Outcome {
  const { status, stdout, stderr } = spawnSync(process.execPath, [launcher, ...words], {
    env,
    encoding: 'utf8',
  })
  return { code: status, stdout, stderr }
}
