/**
 * The library against a daemon that is newer than it: replies, lines and events with members that it does not know, at every depth
 * (FT-17, FED-17).
 */
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { connect } from '../../src/client/index.ts'
import { isJsonObject } from '../../src/core/text/json-object.ts'
import { startInProcess } from '../server/in-process.ts'
import { FilledRemote, remoteNode } from '../support/other-nodes.ts'
import { createTempDir } from '../support/temp-dir.ts'

const LATER = { later_member: { of: ['a', { later: 'version' }] }, later_flag: true }

/** Every object has further members; frames have not, since they are what was sent. */
function grown(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(grown)
  if (!isJsonObject(value) || 'envelope_version' in value) return value
  const members = Object.entries(value).map(([name, member]) => [name, grown(member)])
  return { ...Object.fromEntries(members), ...LATER }
}

/** A line of an answer, of NDJSON or of an event. */
function grownLine(line: string): string {
  const [, head = '', json = ''] = /^(data: )?(\{.*)$/.exec(line) ?? []
  return json === '' ? line : `${head}${JSON.stringify(grown(JSON.parse(json)))}`
}

/** In front of a daemon: what it says has grown. */
async function startLaterDaemon(socketPath: string) {
  const dir = await createTempDir()
  let count = 0
  const pass = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    const { method, url: path, headers } = incoming
    const asked = request({ socketPath, method, path, headers, agent: false }, (answer) => {
      const { 'content-length': _, ...rest } = answer.headers
      outgoing.writeHead(answer.statusCode ?? 500, rest)
      let line = ''
      answer.setEncoding('utf8').on('data', (text: string) => {
        const lines = `${line}${text}`.split('\n')
        line = lines.pop() ?? ''
        for (const one of lines) outgoing.write(`${grownLine(one)}\n`)
        count += lines.length
      })
      answer.on('end', () => outgoing.end(grownLine(line)))
      answer.on('error', () => outgoing.destroy())
    })
    asked.on('error', () => outgoing.destroy())
    outgoing.on('close', () => asked.destroy())
    asked.flushHeaders()
    incoming.pipe(asked)
  }
  const server = createServer(pass)
  server.listen(dir.file('later.sock'))
  await once(server, 'listening')
  return {
    socket: dir.file('later.sock'),
    lines: () => count,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
      await dir[Symbol.asyncDispose]()
    },
  }
}

test('replies, lines and events of a later version are read by what this one knows of them (FED-17)', async () => {
  await using daemon = await startInProcess({
    remote: new FilledRemote(remoteNode('devbox', ['~alice/cc@s9'])),
  })
  await using later = await startLaterDaemon(daemon.socket)
  await using client = await connect({ socket: later.socket })
  const session = await client.session({ instrument: 'cc', sessionId: 's1', mailbox: true })

  const sent = await client.send({
    kind: 'agent_broadcast',
    payload: { broadcast_text: 'x', event_class: 'other' },
  })
  const drained = await session.inbox.drain()
  const receipts = await client.receipts(sent.frameId)
  const stream = session.stream()
  const next = stream.next()
  await stream.opened
  const said = await client.advise('editing')
  const { value: item } = await next
  const roster = await client.roster()
  const history = await client.history()
  await stream.return()

  expect(said).toMatchObject({ recipientCount: 1, remote: { sessions: 1, nodes: ['devbox'] } })
  expect(item).toMatchObject({ type: 'frame', frame: { kind: 'agent_advisory' } })
  expect(roster.map(({ address }) => address)).toContain('~alice/cc@s1')
  expect(history.items).toHaveLength(2)
  expect(drained.items).toHaveLength(1)
  expect(receipts.receipts).toMatchObject([
    { address: '~alice/cc@s1', state: 'seen' },
    { node: 'devbox', state: 'remote-waiting' },
  ])
  expect(later.lines()).toBeGreaterThan(0)
})
