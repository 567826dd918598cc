/**
 * Every client looks whose socket it is before a word is said, and a number that a peer names is never signalled (HD-20).
 */
import { once } from 'node:events'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createServer as createRawServer } from 'node:net'
import { expect, test } from 'vitest'
import { connect } from '../../src/client/connect.ts'
import { callOnce } from '../../src/client/http/one-call.ts'
import { HostRefusal } from '../../src/host/files/refusal.ts'
import { loadPeerCredentials } from '../../src/host/socket/peer-credentials.ts'
import { agentd, createUser, fullAgentd } from '../cli/support.ts'
import { HEALTH } from '../support/fake-daemon.ts'
import { startTestDaemon } from '../support/daemon.ts'
import { request } from '../support/http.ts'
import { isSo } from '../support/needs.ts'
import { createTempDir } from '../support/temp-dir.ts'

const START = { hook_event_name: 'SessionStart', session_id: 's1', cwd: '/', source: 'startup' }

/** Every way a client begins to speak, and what it ends with. */
const CLIENTS: readonly (readonly [string, readonly string[], number])[] = [
  ['a verb by its short way', ['advise', 'hello'], 78],
  ['a request', ['roster'], 78],
  ['a stream', ['tail'], 78],
  ['the server of tools', ['mcp'], 78],
  ['a start', ['start'], 78],
  ['a stop', ['stop'], 78],
  ['set-up', ['setup', 'git', '--dry-run'], 78],
  ['the doctor', ['doctor'], 1],
  // Whatever happens (docs/http.md §11).
  ['a hook', ['hook', 'claude-code'], 0],
  ['a hook that waits', ['hook', 'claude-code', '--wait'], 0],
]

test.each(CLIENTS)('%s says no word at a place that others may write (HD-20)', async (_, args, code) => {
  await using place = await openPlace()
  const env = { ...place.user.env, AGENTD_TOKEN: 'secret' }

  const outcome = await agentd(env, args, JSON.stringify(START))

  expect(outcome.code).toBe(code)
  if (code === 78) expect(outcome.stderr).toContain('is refused: others may write the directory')
  if (code === 0) expect(outcome).toMatchObject({ stdout: '', stderr: '' })
  expect(place.heard()).toBe(0)
})

test('the full way says no word there either (HD-20)', async () => {
  await using place = await openPlace()

  expect(await fullAgentd(place.user.env, ['advise', 'hello'])).toMatchObject({ code: 78, stdout: '' })
  expect(place.heard()).toBe(0)
})

test('the library, a kept client and the short way of hooks refuse it with a reason (HD-20)', async () => {
  await using place = await openPlace()
  await using daemon = await startTestDaemon()
  const client = await connect({ socket: daemon.socket })
  const opened = client.stream()
  await opened.opened

  await expect(connect({ socket: place.socket })).rejects.toBeInstanceOf(HostRefusal)
  const call = { socketPath: place.socket, method: 'GET', path: '/v1/health', token: undefined } as const
  await expect(callOnce(call)).rejects.toBeInstanceOf(HostRefusal)

  // The next connection of a client that was let in before: a stream, a line of a pipe, a request.
  chmodSync(daemon.dir.path, 0o777)
  await expect(client.stream().opened).rejects.toBeInstanceOf(HostRefusal)
  await expect(client.advise('hello')).rejects.toBeInstanceOf(HostRefusal)
  chmodSync(daemon.dir.path, 0o700)
  await client.advise('hello')
  await client.close()
  expect(place.heard()).toBe(0)
})

test('a hook of curl that leads to such a place is found by the doctor (HD-20)', async () => {
  await using place = await openPlace()
  const { user, socket } = place
  const settings = user.dir.file('home', '.claude')
  const hook = { type: 'command', command: `curl -s --unix-socket "${socket}" http://agentd/v1/health` }
  mkdirSync(settings, { mode: 0o700 })
  writeFileSync(`${settings}/settings.json`, JSON.stringify({ hooks: { Stop: [{ hooks: [hook] }] } }))

  const { stdout } = await agentd({ ...user.env, AGENTD_SOCKET: user.dir.file('other', 'a.sock') }, [
    'doctor',
  ])

  expect(stdout).toContain(`sends to ${socket} by curl, whoever answers there: others may write`)
})

test('stop asks the daemon, and signals no number that a peer names (HD-20)', async () => {
  await using user = await createUser()
  const kills = user.dir.file('kills')
  const asked: string[] = []
  // A peer of this very user: the place is right, and what it says is not.
  const server = createServer((request, response) => {
    asked.push(`${request.method ?? ''} ${request.url ?? ''}`)
    response.setHeader('content-type', 'application/json')
    const isStop = request.url === '/v1/stop'
    response.end(JSON.stringify(isStop ? { pid: -1 } : { ...HEALTH, pid: -1 }), () => {
      if (isStop) setImmediate(() => server.close(() => undefined).closeAllConnections())
    })
  }).listen(user.env['AGENTD_SOCKET'])
  await once(server, 'listening')
  const spy = user.dir.file('spy.cjs')
  const text = `process.kill = (...call) => require('node:fs').appendFileSync(${JSON.stringify(kills)}, call.join(' ') + '\\n')`
  writeFileSync(spy, text)
  writeFileSync(kills, '')

  const { code } = await agentd({ ...user.env, NODE_OPTIONS: `--require ${spy}` }, ['stop'])

  expect({ code, kills: readFileSync(kills, 'utf8') }).toEqual({ code: 0, kills: '' })
  expect(asked).toContain('POST /v1/stop')
})

test('stop ends a daemon, and a session may not (HD-20)', async () => {
  await using plain = await startTestDaemon()
  const client = await connect({ socket: plain.socket })
  const session = await client.session({ instrument: 'cc', sessionId: 's1' })
  const refused = await request(plain.socket, '/v1/stop', { method: 'POST', token: session.token })
  expect(refused.body).toMatchObject({ code: 'scope-unauthorised' })
  await client.close()
  expect(await agentd(plain.env, ['stop'])).toMatchObject({
    code: 0,
    stdout: `agentd stopped, pid ${plain.pid}\n`,
  })
  expect(await plain.exited).toEqual({ code: 0, signal: null })
})

test.runIf(
  isSo((await loadPeerCredentials(process.platform)) !== undefined, 'the kernel is not asked who listens'),
)('a daemon that takes no orders is ended as the process the kernel names (HD-20)', async () => {
  await using strict = await startTestDaemon({ config: { auth: 'session' } })
  expect(await agentd(strict.env, ['stop'])).toMatchObject({
    code: 0,
    stdout: `agentd stopped, pid ${strict.pid}\n`,
  })
  expect(await strict.exited).toEqual({ code: 0, signal: null })
})

/** A socket in a folder that everybody may write, with a peer that counts who comes, and somebody whose variables lead there. */
async function openPlace() {
  const dir = await createTempDir()
  const user = await createUser()
  const socket = dir.file('a.sock')
  let connections = 0
  const server = createRawServer((peer) => {
    connections += 1
    peer.destroy()
  }).listen(socket)
  await once(server, 'listening')
  chmodSync(dir.path, 0o777)
  const env = { ...user.env, AGENTD_SOCKET: socket }
  return {
    socket,
    user: { env, dir: user.dir },
    heard: () => connections,
    async [Symbol.asyncDispose]() {
      server.close()
      await user[Symbol.asyncDispose]()
      await dir[Symbol.asyncDispose]()
    },
  }
}
