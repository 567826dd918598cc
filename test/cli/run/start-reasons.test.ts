/** Who starts a daemon that will not come up is told why, in the daemon's own words, and not to start it. */
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { keepsFrames } from '../../support/without-sqlite.ts'
import { alterDatabase } from '../../support/damage.ts'
import { SOON_MS } from '../../../src/cli/run/patience.ts'
import { agentd, createUser } from '../support.ts'

test('start and a command that starts it print why it cannot be started (R-02)', async () => {
  await using user = await createUser()
  const config = user.dir.file('agentd.json')
  const env = { ...user.env, AGENTD_CONFIG: config }
  writeFileSync(config, '{"ring": {"max_frames": "many"}}', { mode: 0o600 })

  const outcomes = [await agentd(env, ['start']), await agentd(env, ['roster'])]

  const stderr = `agentd: The configuration ${config} is refused: "ring.max_frames" must be a number.\n`
  expect(outcomes).toEqual([stderr, stderr].map(() => ({ code: 78, stdout: '', stderr })))
})

test('a place that others may write to is refused by name, with what to do (R-02)', async () => {
  await using user = await createUser()
  mkdirSync(user.dir.file('open'))
  chmodSync(user.dir.file('open'), 0o777)
  const env = { ...user.env, AGENTD_SOCKET: user.dir.file('open', 'a.sock') }

  const { code, stderr } = await agentd(env, ['start'])

  expect(code).toBe(78)
  expect(stderr).toMatch(
    /^agentd: The socket .+ is refused: others may write the directory .+; run chmod go-w/,
  )
})

test('a program at the socket that is not agentd is called that, and nobody is told to start another (R-04)', async () => {
  await using user = await createUser()
  const socket = user.dir.file('foreign.sock')
  const server = createServer((connection) => connection.on('error', () => {}).end('220 hello\r\n'))
  await once(server.listen(socket), 'listening')

  const { code, stderr } = await agentd({ ...user.env, AGENTD_SOCKET: socket }, ['status'])
  server.close()

  expect(code).toBe(69)
  expect(stderr).toContain(
    'another program listens there, which does not speak HTTP. End it, or give agentd another place with AGENTD_SOCKET.\n',
  )
  expect(existsSync(user.dir.file('state'))).toBe(false)
})

test('a program at the socket that says nothing is given two seconds, and named by its place (R-04, OP-29)', async () => {
  await using user = await createUser()
  const socket = user.dir.file('silent.sock')
  const server = createServer((connection) => connection.on('error', () => {}).resume())
  await once(server.listen(socket), 'listening')
  const env = { ...user.env, AGENTD_SOCKET: socket }

  const outcomes = await Promise.all([['start'], ['status'], ['stop']].map((words) => agentd(env, words)))
  server.close()

  expect(SOON_MS).toBeLessThanOrEqual(2_000)
  const stderr =
    `agentd: what listens at ${socket} does not answer, and nothing says which process it is. ` +
    'To end it: stop it where it was started, or give agentd another place with AGENTD_SOCKET.\n'
  expect(outcomes).toEqual(outcomes.map(() => ({ code: 69, stdout: '', stderr })))
  expect(existsSync(user.dir.file('state'))).toBe(false)
})

test.runIf(keepsFrames())(
  'a store of a newer agentd is set aside and called that, with the way back (R-23, HD-14)',
  async () => {
    await using user = await createUser()
    await agentd(user.env, ['start'])
    await agentd(user.env, ['stop'])
    await alterDatabase(user.dir.file('state', 'ring.db'), 'PRAGMA user_version = 99')

    const { code, stdout } = await agentd(user.env, ['start']).then(() => agentd(user.env, ['status']))

    expect(code).toBe(0)
    expect(stdout).toMatch(
      /A store of another version of agentd was set aside as \S+ring\.corrupt-\S+; "agentd store adopt" of that version takes it back\./,
    )
  },
)
