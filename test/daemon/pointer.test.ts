/** Where a daemon says that it is to be asked: files beside its socket and in its state, and a card on it (docs/http.md §§1, 10). */
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { Pointer as Told } from '../../src/protocol/http/daemon-replies.ts'
import { agentd } from '../cli/support.ts'
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts'
import { post, request } from '../support/http.ts'
import { createTempDir } from '../support/temp-dir.ts'

const Pointer = Told.extend({ process: z.string() }).strict()

function places({ dir }: Pick<TestDaemon, 'dir'>): readonly string[] {
  return [dir.file('agentd.json'), dir.file('state', 'agentd.json')]
}

function read(path: string): z.infer<typeof Pointer> {
  return Pointer.parse(JSON.parse(readFileSync(path, 'utf8')))
}

test('both files say where, whose and which, to nobody else, and a client finds its stream by them', async () => {
  await using daemon = await startTestDaemon()
  const health = await request(daemon.socket, '/v1/health')

  const [beside, inState] = places(daemon).map(read)

  expect(inState).toEqual(beside)
  expect(beside).toMatchObject({ socket: daemon.socket, principal: '~alice', version: health.body.version })
  expect(beside?.process.startsWith(`${daemon.pid} `)).toBe(true)
  for (const path of places(daemon)) expect(statSync(path).mode & 0o777).toBe(0o600)
  const { frames = '', socket = '' } = beside ?? {}
  expect((await request(socket, frames)).status).toBe(200)
})

test('the card says the same, and is refused like any other route where a token is asked for (docs/http.md §10)', async () => {
  await using daemon = await startTestDaemon()
  await using guarded = await startTestDaemon({ config: { auth: 'session' } })
  const path = '/.well-known/mcp/server-card.json'

  const card = await request(daemon.socket, path)

  const { process: _, ...pointer } = read(daemon.dir.file('agentd.json'))
  expect(card.headers['content-type']).toBe('application/json')
  expect(card.body).toEqual({ ...pointer, name: 'agentd', title: 'agentd', description: expect.any(String) })
  expect((await request(guarded.socket, path)).status).toBe(401)
  const key = readFileSync(guarded.dir.file('state', 'person.key'), 'utf8').trim()
  expect((await request(guarded.socket, path, { headers: { 'agentd-key': key } })).status).toBe(200)
  expect((await request(daemon.socket, `${path}?x=1`)).status).toBe(400)
  expect((await request(daemon.socket, path, { method: 'POST' })).status).toBe(405)
})

test('they go with the daemon, and after a kill still say where it was, until the next one says it anew', async () => {
  await using dir = await createTempDir()
  const first = await startTestDaemon({ dir })
  await first.stop()
  expect(places(first).filter(existsSync)).toEqual([])

  const killed = await startTestDaemon({ dir })
  await killed.stop('SIGKILL')
  const left = read(dir.file('agentd.json'))
  await using next = await startTestDaemon({ dir })

  expect(left).toMatchObject({ socket: next.socket, principal: '~alice' })
  expect(left.process.startsWith(`${killed.pid} `)).toBe(true)
  for (const path of places(next)) expect(read(path).process.startsWith(`${next.pid} `)).toBe(true)
})

test('what another daemon has written meanwhile stays, and so does a file that is no pointer', async () => {
  await using dir = await createTempDir()
  const configuration = dir.file('agentd.json')
  writeFileSync(configuration, '{"ack":"disk"}', { mode: 0o600 })
  const daemon = await startTestDaemon({ dir })
  const inState = dir.file('state', 'agentd.json')
  const another = readFileSync(inState, 'utf8').replace('"process":"', '"process":"1')
  writeFileSync(inState, another)

  await daemon.stop()

  expect(readFileSync(configuration, 'utf8')).toBe('{"ack":"disk"}')
  expect(readFileSync(inState, 'utf8')).toBe(another)
  expect(daemon.stderr()).toContain('is no pointer file')
})

test('agentd resolve says who is reachable under a handle, and of a foreign one that nobody is, with 3', async () => {
  await using daemon = await startTestDaemon()
  await post(daemon.socket, '/v1/sessions', { instrument: 'codex', session_id: 'r1', mailbox: true })

  const own = await agentd(daemon.env, ['resolve'])
  const json = await agentd(daemon.env, ['resolve', '~alice', '--json'])
  const foreign = await agentd(daemon.env, ['resolve', '~bob'])
  const broken = await agentd(daemon.env, ['resolve', 'bob'])

  expect(own).toMatchObject({ code: 0, stderr: '' })
  expect(own.stdout).toContain(`socket     ${daemon.socket}\n`)
  expect(own.stdout).toContain('~alice/codex@r1')
  expect(JSON.parse(json.stdout)).toMatchObject({
    handle: '~alice',
    principal: '~alice',
    socket: daemon.socket,
    stream: '/v1/handles/~alice/stream',
    sessions: [{ address: '~alice/codex@r1' }],
  })
  expect(foreign).toEqual({
    code: 3,
    stdout: '',
    stderr: "~bob is not reachable here: this machine's agentd answers for ~alice.\n",
  })
  expect(broken.code).toBe(2)
})

test('agentd resolve of a foreign handle is an answer for programs too, and starts no daemon when told so', async () => {
  await using daemon = await startTestDaemon()

  const { code, stdout } = await agentd(daemon.env, ['resolve', '~bob', '--json'])
  await daemon.stop()
  const gone = await agentd(daemon.env, ['resolve', '--no-start'])

  expect({ code, ...JSON.parse(stdout) }).toEqual({
    code: 3,
    handle: '~bob',
    principal: '~alice',
    sessions: [],
  })
  expect(gone.code).toBe(69)
})
