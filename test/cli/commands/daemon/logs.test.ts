/**
 * `agentd logs`: whichever log there is, said which, followed over a restart.
 */
import { execFileSync } from 'node:child_process'
import { appendFileSync, chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { runsOnLinux } from '../../../support/needs.ts'
import { AGENTD, agentd, createUser, startAgentd, type Env } from '../../support.ts'

const SERVING = /serving socket=\S+ principal=~alice pid=(\d+)/g

test('the log of a start in the background is found, narrowed, and given to programs as it was written', async () => {
  await using user = await createUser()
  const file = user.dir.file('state/agentd.log')
  const absent = await agentd(user.env, ['logs'])
  await agentd(user.env, ['start'])

  const shown = await agentd(user.env, ['logs'])
  const last = await agentd(user.env, ['logs', '-n', '1', '--json'])
  appendFileSync(file, '{"ts":"2020-01-01T00:00:00Z","level":"info","event":"old"}\nof the old\n')

  expect(absent).toEqual({
    code: 3,
    stdout: '',
    stderr: `There is no log yet: ${file} is made by the first start in the background ("agentd start").\n`,
  })
  expect(shown.stdout).toMatch(SERVING)
  expect(shown.stderr).toBe(`log: ${file}\n`)
  expect(JSON.parse(last.stdout)).toMatchObject({ level: 'info', event: 'serving' })
  expect((await agentd(user.env, ['logs', '-n', '2'])).stdout).toMatch(/ old\nof the old\n$/)
  expect((await agentd(user.env, ['logs', '--since', '1h'])).stdout).not.toContain('old')
  expect((await agentd(user.env, ['logs', '--since', 'soon'])).code).toBe(2)
  expect((await agentd(user.env, ['logs', '-n', 'many'])).code).toBe(2)
})

test('-f goes on over a restart, and Ctrl-C is its ordinary end', async () => {
  await using user = await createUser()
  await agentd(user.env, ['start'])
  await using followed = startAgentd(user.env, ['logs', '-f'])
  await followed.untilSaid(/serving/)

  await agentd(user.env, ['stop'])
  await agentd(user.env, ['start'])
  await followed.untilSaid(/serving[^]*stopping[^]*serving/)
  followed.signal('SIGINT')

  expect(await followed.ended).toMatchObject({ code: 0 })
})

test('a daemon in the foreground has no log that is kept, and that is said', async () => {
  await using user = await createUser()
  await using serving = startAgentd(user.env, ['serve'])
  await serving.untilSaid(/serving/)

  expect(await agentd(user.env, ['logs'])).toEqual({
    code: 3,
    stdout: '',
    stderr: expect.stringMatching(/^agentd, pid \d+, runs in the foreground: .*\n$/),
  })
})

/** Somebody whose daemon systemd is to start, and a stand-in for journalctl, which no test machine need have. */
async function createServiceUser(script: string) {
  const user = await createUser()
  await agentd(user.env, ['service', 'install'])
  mkdirSync(user.dir.file('bin'))
  writeFileSync(user.dir.file('bin/journalctl'), `#!/bin/sh\n${script}\n`)
  chmodSync(user.dir.file('bin/journalctl'), 0o755)
  const env: Env = { ...user.env, PATH: `${user.dir.file('bin')}:${user.env['PATH'] ?? ''}` }
  return { ...user, env, [Symbol.asyncDispose]: user[Symbol.asyncDispose] }
}

test.runIf(runsOnLinux('the cgroup of a process'))(
  'as a service the journal is asked, and its refusal is told',
  async () => {
    await using user = await createServiceUser(
      `echo "$@" >"$HOME/asked"; echo '{"ts":"t","level":"warn","event":"from-the-journal"}'`,
    )
    const shown = await agentd(user.env, ['logs', '-n', '7', '--since', '2026-11-28T00:00:00Z'])

    expect(shown).toEqual({
      code: 0,
      stdout: 't warn  from-the-journal\n',
      stderr: 'log: the journal of agentd.service\n',
    })
    expect(readFileSync(user.dir.file('home/asked'), 'utf8').trim()).toBe(
      '--user --unit=agentd.service --output=cat --no-pager --quiet --lines=7 --since=@1795824000',
    )
    await using refused = await createServiceUser('echo "No journal files were found." >&2; exit 1')
    expect(await agentd(refused.env, ['logs'])).toMatchObject({
      code: 78,
      stderr: expect.stringContaining('journalctl says "No journal files were found."'),
    })
  },
)

test('a reader that has seen enough ends it without a word', async () => {
  await using user = await createUser()
  await agentd(user.env, ['start'])
  appendFileSync(user.dir.file('state/agentd.log'), 'x\n'.repeat(200_000))

  const out = execFileSync(
    'sh',
    ['-c', `"${process.execPath}" "${AGENTD}" logs -n 100000 2>&1 | head -n 2`],
    {
      env: user.env,
      encoding: 'utf8',
    },
  )
  expect(out).toBe(`log: ${user.dir.file('state/agentd.log')}\nx\n`)
})
