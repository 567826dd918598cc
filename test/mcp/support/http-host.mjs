/**
 * The same server over HTTP on the loopback interface, for the conformance suite, which speaks nothing else.
 *
 * Prints its address and serves until its input ends. The daemon is found as by any command.
 */
import { createServer as createHttpServer } from 'node:http'
import { createMcpHandler } from '@modelcontextprotocol/server'
import { connect } from '../../../dist/client/connect.js'
import { systemClock } from '../../../dist/core/clock.js'
import { McpConnection } from '../../../dist/mcp/session/connection.js'
import { createServer } from '../../../dist/mcp/server.js'

const connection = new McpConnection({
  reach: () => connect(),
  findHooked: () => undefined,
  carriesOn: () => false,
  hosts: [],
  place: {},
  clock: systemClock,
  onTrouble: (sentence) => console.error(sentence),
})
const handler = createMcpHandler(() =>
  createServer(connection, { version: '0.0.0', verbs: 'agentd', onCalled() {} }),
)

const http = createHttpServer(async (incoming, outgoing) => {
  const chunks = []
  for await (const chunk of incoming) chunks.push(chunk)
  const hasBody = incoming.method === 'POST'
  const answer = await handler.fetch(
    new Request(`http://${incoming.headers.host}${incoming.url}`, {
      method: incoming.method,
      headers: Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]),
      ...(hasBody && { body: Buffer.concat(chunks) }),
    }),
  )
  outgoing.writeHead(answer.status, Object.fromEntries(answer.headers))
  for await (const chunk of answer.body ?? []) outgoing.write(chunk)
  outgoing.end()
})
http.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${http.address().port}/mcp`))

process.stdin.resume().once('end', async () => {
  await connection.leave()
  process.exit(0)
})
