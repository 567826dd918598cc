/**
 * MCP over stdio: one connection, from its first line to the end of its input.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports#stdio
 */
import type { Readable, Writable } from 'node:stream'
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import { MAX_MESSAGE_OCTETS } from './session/bounds.ts'
import { McpConnection, type McpConnectionParts } from './session/connection.ts'
import { LineBound } from './line-bound.ts'
import { createServer } from './server.ts'

/** What is served, and where. */
export interface ServeParts extends McpConnectionParts {
  readonly input: Readable
  /** JSON-RPC and nothing else is written here. */
  readonly output: Writable
  readonly version: string
  /** Ends the connection as the end of its input does. */
  readonly signal?: AbortSignal | undefined
}

/** JSON-RPC's answer to a message whose id was not read. */
const TOO_LONG = {
  jsonrpc: '2.0',
  id: null,
  error: { code: -32_600, message: `A message may be at most ${MAX_MESSAGE_OCTETS} octets long.` },
}

/** Serves until the input ends, then says farewell to the daemon. Never rejects. */
export async function serveMcp(parts: ServeParts): Promise<void> {
  const { input, output, version, onTrouble, signal } = parts
  const connection = new McpConnection(parts)
  const lines = new LineBound(MAX_MESSAGE_OCTETS, () => {
    onTrouble(TOO_LONG.error.message)
    output.write(`${JSON.stringify(TOO_LONG)}\n`)
  })
  const wire = new WatchedTransport(lines, output)
  const handle = serveStdio(() => createServer(connection, version), {
    transport: wire,
    onerror: ({ message }) => onTrouble(message),
  })
  input.pipe(lines)
  const end = (): void => void lines.end()
  // A pipe does not pass on that its source was torn away.
  input.once('close', end)
  input.once('error', end)
  signal?.addEventListener('abort', end, { once: true })
  if (signal?.aborted === true) end()
  void connection.warm()
  await wire.closed
  input.unpipe(lines)
  await handle.close()
  await connection.leave()
}

/** A transport that says when it is done, whoever ended it. */
class WatchedTransport extends StdioServerTransport {
  readonly closed: Promise<void>
  #tell: (() => void) | undefined

  constructor(input: Readable, output: Writable) {
    // What comes in has been bounded line by line; two chunks of it may wait together.
    super(input, output, { maxBufferSize: 4 * MAX_MESSAGE_OCTETS })
    this.closed = new Promise((resolve) => (this.#tell = resolve))
  }

  override async close(): Promise<void> {
    await super.close()
    this.#tell?.()
  }
}
