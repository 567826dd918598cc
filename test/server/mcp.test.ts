/** `POST /v1/mcp` as anybody may call it (docs/http.md §10 "MCP"; OP-08). */
import { once } from 'node:events'
import type { Writable } from 'node:stream'
import { request as httpRequest, type ClientRequest, type IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import { MAX_SURROUNDINGS_LENGTH } from '../../src/core/limits.ts'
import { MAX_MCP_CONNECTIONS, McpConnections } from '../../src/daemon/serving/mcp-connections.ts'
import { InnerConnections } from '../../src/daemon/serving/inner-connections.ts'
import { connect } from '../../src/client/index.ts'
import { systemClock } from '../../src/core/clock.ts'
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts'
import { request } from '../support/http.ts'
import { Changes, within } from '../support/within.ts'
import type { McpConnectionRequest } from '../../src/server/request/context.ts'
import { startInProcess } from './in-process.ts'
import { SharedDaemon } from './shared-daemon.ts'

const shared = new SharedDaemon()

const PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}'
const HELLO =
  '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"claude-code","version":"1"}}}'

/** One connection as it is on the wire. */
class Line implements Disposable {
  readonly sent: ClientRequest
  readonly #answer: Promise<IncomingMessage>
  readonly #changes = new Changes()
  #text = ''

  constructor(socketPath: string, headers: Readonly<Record<string, string>> = {}) {
    this.sent = httpRequest({
      socketPath,
      method: 'POST',
      path: '/v1/mcp',
      agent: false,
      headers: { host: 'agentd', 'content-type': 'application/x-ndjson', ...headers },
    })
    this.sent.on('error', () => {})
    this.sent.flushHeaders()
    this.#answer = once(this.sent, 'response').then(([answer]: IncomingMessage[]) => {
      if (answer === undefined) throw new Error('no answer')
      return answer.setEncoding('utf8').on('data', (text: string) => {
        this.#text += text
        this.#changes.tell()
      })
    })
  }

  async status(): Promise<number | undefined> {
    return (await within(this.#answer, 'the head of the answer')).statusCode
  }

  say(...lines: readonly string[]): void {
    this.sent.write(lines.map((line) => `${line}\n`).join(''))
  }

  /** What has come, as soon as it holds so many lines. */
  lines(count: number): Promise<readonly string[]> {
    return this.#changes.until(() => {
      const lines = this.#text.split('\n').slice(0, -1)
      return lines.length < count ? undefined : lines
    }, `${count} lines`)
  }

  async stopReading(): Promise<void> {
    ;(await this.#answer).pause()
  }

  async goOnReading(): Promise<void> {
    ;(await this.#answer).resume()
  }

  async ended(): Promise<void> {
    const answer = await this.#answer
    answer.resume()
    await within(once(answer, 'close'), 'the end of the answer')
  }

  [Symbol.dispose](): void {
    this.sent.destroy()
  }
}

function surroundings(value: unknown): Readonly<Record<string, string>> {
  return { 'agentd-surroundings': Buffer.from(JSON.stringify(value)).toString('base64url') }
}

test('lines up are messages, lines down their answers, and an empty line is a sign of life', async () => {
  await using daemon = await startTestDaemon()
  using line = new Line(daemon.socket)
  line.say(HELLO)
  await line.lines(1)

  line.say('', PING)

  const [, life, pong] = await line.lines(3)
  expect(life).toBe('')
  expect(JSON.parse(pong ?? '')).toEqual({ jsonrpc: '2.0', id: 1, result: {} })
  line.sent.end()
  await line.ended()
})

test('what was read is answered though the input ends right behind it (OP-08)', async () => {
  using line = new Line(shared.daemon.socket)
  const call = { name: 'agentd_roster', arguments: {} }
  const roster = JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: call })
  line.say(HELLO, '{"jsonrpc":"2.0","method":"notifications/initialized"}', PING, roster)
  line.sent.end()

  await line.ended()

  const answers = (await line.lines(3)).filter((text) => text.includes('"jsonrpc"'))
  const ids = answers.map((text) => JSON.parse(text).id)
  expect(new Set(ids)).toEqual(new Set([0, 1, 2]))
})

test('what has no answer in time is not waited for when the input ends (OP-08)', async () => {
  await using daemon = await startTestDaemon()
  await using client = await connect({ socket: daemon.socket })
  const listener = await client.session({ instrument: 'l', sessionId: 's1', mailbox: true })
  using line = new Line(daemon.socket)
  const call = { name: 'agentd_ask', arguments: { as: 'asker', text: 'there?', wait_s: 120 } }
  line.say(HELLO, JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: call }))
  await listener.inbox.wait(8_000)
  line.sent.end()

  await line.ended()

  expect((await line.lines(1)).join('')).not.toContain('"id":2')
})

test.each([
  ['no JSON', { 'agentd-surroundings': 'bm8' }],
  ['a member that nobody knows', surroundings({ pid: 1, uid: 0 })],
  ['a process that none is', surroundings({ pid: 0 })],
  ['more than a header may say', surroundings({ cwd: 'x'.repeat(MAX_SURROUNDINGS_LENGTH) })],
])('surroundings of %s are refused before the first line', async (_, headers) => {
  using line = new Line(shared.daemon.socket, headers)

  expect(await line.status()).toBe(400)
})

test("a session's token opens nothing: whoever it was given to would speak for others", async () => {
  const { token } = await shared.register()
  using line = new Line(shared.daemon.socket, { authorization: `Bearer ${token}` })

  expect(await line.status()).toBe(403)
})

test('another media type is refused', async () => {
  using line = new Line(shared.daemon.socket, { 'content-type': 'application/json' })

  expect(await line.status()).toBe(415)
})

test('surroundings name the session that calls, and what to keep of it comes before the answer', async () => {
  await using daemon = await startTestDaemon()
  const env = { CLAUDE_CODE_SESSION_ID: 's1' }
  using line = new Line(daemon.socket, surroundings({ pid: daemon.pid, env, cwd: '/tmp' }))
  line.say(HELLO)
  line.say('{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"agentd_roster","arguments":{}}}')

  const [, kept, roster] = await line.lines(3)

  expect(JSON.parse(kept ?? '')).toMatchObject({ agentd: { sessions: [{ key: 'claude-code:s1' }] } })
  expect(roster).toContain('~alice/cc@s1')
})

test('with the last place taken one more is told to come again, and a place that was given back is free', async () => {
  const parts = {
    clock: systemClock,
    log: { info() {}, warn() {}, error() {} },
    version: '0.0.0',
    inner: new InnerConnections(),
    socketPath: '/nonexistent/agentd.sock',
    personKey: undefined,
    hooks: { get: () => Promise.reject(new Error('nobody serves')) },
  }
  const few = new McpConnections({ ...parts, admitted: 4 })
  const many = new McpConnections({ ...parts, admitted: 1 << 20 })
  const first = await few.reserve()
  await few.reserve()

  await expect(few.reserve()).rejects.toMatchObject({ code: 'busy', retryAfterMs: expect.any(Number) })
  first.release()
  first.release()
  await few.reserve()
  await expect(few.reserve()).rejects.toMatchObject({ code: 'busy' })
  for (let i = 0; i < MAX_MCP_CONNECTIONS; i += 1) await many.reserve()
  await expect(many.reserve()).rejects.toMatchObject({ code: 'busy' })
})

test('an unfinished line holds memory that all share, and beyond what there is of it the connection ends (HD-09)', async () => {
  const limits = { waiting_bytes: 1_048_576 }
  await using daemon = await startTestDaemon({ config: { limits } })
  using line = new Line(daemon.socket)
  line.say(HELLO)
  await line.lines(1)

  line.sent.write('"'.padEnd(limits.waiting_bytes + 1, 'x'))
  await line.ended()

  using next = new Line(daemon.socket)
  next.say(HELLO)
  expect(await next.lines(1)).toHaveLength(1)
})

test('what is said behind the end, or to who has gone, is lost and harms nobody', async () => {
  const outputs: Writable[] = []
  const serve = ({ output }: McpConnectionRequest): Promise<void> => {
    outputs.push(output)
    // Its end is not yet through.
    output.end()
    output.write('late')
    return Promise.resolve()
  }
  const mcp = { reserve: () => Promise.resolve({ serve, release: () => {} }) }
  await using daemon = await startInProcess({ mcp })
  using line = new Line(daemon.socket)
  await line.status()
  await line.ended()

  for (const output of outputs) output.write('late')

  expect(outputs).toHaveLength(1)
  expect((await request(daemon.socket, '/v1/health')).status).toBe(200)
})

test('who does not read the answers is not read from, and neither side holds what the other sends', async () => {
  await using daemon = await startTestDaemon()
  using line = new Line(daemon.socket)
  line.say(HELLO)
  await line.lines(1)
  await line.stopReading()

  // Large both ways, so that few of them fill what a kernel holds.
  const params = { _meta: { pad: 'x'.repeat(4_096) } }
  const list = JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/list', params })
  const batch = Array.from({ length: 50 }, () => list)
  let batches = 0
  do {
    line.say(...batch)
    batches += 1
    await healthOf(daemon)
  } while (line.sent.writableLength < 1_048_576)

  expect((await healthOf(daemon)).memory.waiting_bytes).toBeLessThan(1_048_576)
  await line.goOnReading()
  expect(await line.lines(1 + batches * batch.length)).toHaveLength(1 + batches * batch.length)
})

test('connections that are over give their place back, however they ended', async () => {
  await using daemon = await startTestDaemon({ nodeArgs: [] })
  const before = await connectionsOf(daemon)
  for (let round = 0; round < 3; round += 1) {
    const torn = new Line(daemon.socket)
    torn.say(HELLO)
    await torn.lines(1)
    torn[Symbol.dispose]()
    using ended = new Line(daemon.socket)
    ended.sent.end(`${HELLO}\n`)
    await ended.ended()
  }

  expect(await connectionsOf(daemon)).toBe(before)
})

/** Sessions the daemon knows: what a connection registered goes with it. */
async function connectionsOf(daemon: TestDaemon): Promise<number> {
  return (await healthOf(daemon)).sessions
}

async function healthOf({ socket }: TestDaemon) {
  return (await request(socket, '/v1/health')).body
}
