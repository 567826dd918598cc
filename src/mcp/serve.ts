/**
 * MCP over two streams of lines: one connection, from its first line to the end of its input.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports#stdio
 */
import type { Readable, Writable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import type { JSONRPCMessage } from '@modelcontextprotocol/server'
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import { MAX_JSON_PARTS, MAX_JSON_VALUES, MAX_MCP_MESSAGE_OCTETS } from '../core/limits.ts'
import { LAST_ANSWERS_MS } from './session/bounds.ts'
import { McpConnection, type ConnectionEnd, type McpConnectionParts } from './session/connection.ts'
import { decodeKept, encodeKept, isKept } from './session/kept.ts'
import { LineBound } from './line-bound.ts'
import { reworded } from './reworded.ts'
import { createServer, type VerbSet } from './server.ts'

/** What is served, and where. */
export interface ServeParts extends McpConnectionParts {
  readonly input: Readable
  /** JSON-RPC and nothing else is written here, but for what a pipe keeps and the answers to its signs of life. */
  readonly output: Writable
  readonly version: string
  /** Absent: agentd's own. */
  readonly verbs?: VerbSet | undefined
  /** The other end is a pipe, and what is served lives in the daemon. */
  readonly pipe?: PipeSide | undefined
}

/** What there is between a pipe and the daemon. */
export interface PipeSide {
  /** Aborted when the daemon goes: what was registered stays, and the pipe comes back to it. */
  readonly closing: AbortSignal
  /** Told what an unfinished line holds, in octets; throws where that is more than may be held. */
  readonly holds: (octets: number) => void
}

/** JSON-RPC's answer to a message whose id was not read. */
const TOO_LONG = {
  jsonrpc: '2.0',
  error: {
    code: -32_600,
    message:
      `A message may be at most ${MAX_MCP_MESSAGE_OCTETS} octets long, with at most ${MAX_JSON_PARTS} arrays, objects and ` +
      `members and ${MAX_JSON_VALUES} values.`,
  },
}

/** Serves until the input ends, then says farewell to the daemon. Never rejects. */
export async function serveMcp(parts: ServeParts): Promise<void> {
  const { input, output, version, verbs = 'agentd', onTrouble, pipe } = parts
  const connection = new McpConnection(parts)
  const keeper = new Keeper(connection, output, pipe !== undefined)
  const lines = createLines(parts, keeper)
  let how: ConnectionEnd = 'torn'
  const wire = new WatchedTransport(lines, output, () => how === 'ended')
  const server = { version, verbs, onCalled: () => keeper.tell() }
  const handle = serveStdio(() => createServer(connection, server), {
    transport: wire,
    onerror: ({ message }) => onTrouble(message),
  })
  input.pipe(lines)
  const end = (as: ConnectionEnd) => (): void => {
    how = as
    lines.end()
  }
  input.once('end', () => (how = 'ended'))
  // A pipe does not pass on that its source was torn away.
  input.once('close', () => lines.end())
  input.once('error', end('torn'))
  lines.once('error', end('torn'))
  const onClosing = end('closing')
  pipe?.closing.addEventListener('abort', onClosing, { once: true })
  if (pipe?.closing.aborted === true) onClosing()
  void connection.warm()
  await wire.closed
  pipe?.closing.removeEventListener('abort', onClosing)
  input.unpipe(lines)
  await handle.close()
  await connection.leave(how)
}

function createLines({ output, onTrouble, pipe }: ServeParts, keeper: Keeper): LineBound {
  return new LineBound({
    maxOctets: MAX_MCP_MESSAGE_OCTETS,
    onDropped: (id) => {
      onTrouble(TOO_LONG.error.message)
      output.write(`${JSON.stringify({ ...TOO_LONG, id })}\n`)
    },
    takes: (line) => keeper.takes(line),
    holds: (octets) => pipe?.holds(octets),
    onceRead: (goOn) => {
      // Of one that was torn away, the end of the input is told as well.
      if (output.writableNeedDrain && !output.destroyed) output.once('drain', goOn)
      else goOn()
    },
  })
}

/** The lines between a pipe and the daemon that are no messages: what the pipe keeps, and signs of life. */
class Keeper {
  readonly #connection: McpConnection
  readonly #output: Writable
  /** Without a pipe there is nobody to keep anything, and an empty line says nothing. */
  readonly #isForPipe: boolean
  #told = ''

  constructor(connection: McpConnection, output: Writable, isForPipe: boolean) {
    this.#connection = connection
    this.#output = output
    this.#isForPipe = isForPipe
  }

  /** Whether a line that came in is one of these. */
  takes(line: Buffer): boolean {
    if (!this.#isForPipe) return false
    if (line.length === 1) return this.#output.write('\n') || true
    if (!isKept(line)) return false
    const kept = decodeKept(line)
    if (kept !== undefined) this.#connection.restore(kept)
    return true
  }

  /** Has the pipe keep what has changed, before the answer behind which it did. */
  tell(): void {
    if (!this.#isForPipe) return
    const line = encodeKept(this.#connection.kept)
    if (line === this.#told) return
    this.#told = line
    this.#output.write(`${line}\n`)
  }
}

/**
 * A transport that says when it is done, whoever ended it. At the end of its input that is once what was asked before has
 * been answered, or has had the time to be.
 */
class WatchedTransport extends StdioServerTransport {
  readonly closed: Promise<void>
  #tell: (() => void) | undefined
  readonly #output: Writable
  readonly #isToAnswer: () => boolean
  /** Ids of requests that have no answer yet; taken out by that, or when the host gives one up. */
  readonly #open = new Set<unknown>()
  /** Set by the end of the input while something is in there. */
  #onAnswered: (() => void) | undefined

  constructor(input: Readable, output: Writable, isToAnswer: () => boolean) {
    // What comes in has been bounded line by line; two chunks of it may wait together.
    super(input, output, { maxBufferSize: 4 * MAX_MCP_MESSAGE_OCTETS })
    this.#output = output
    this.#isToAnswer = isToAnswer
    this.closed = new Promise((resolve) => (this.#tell = resolve))
  }

  override start(): Promise<void> {
    const deliver = this.onmessage
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- it is a member of the SDK's transport, and no event
    this.onmessage = (message: JSONRPCMessage) => {
      if ('method' in message && 'id' in message) this.#open.add(message.id)
      else if ('method' in message && message.method === 'notifications/cancelled')
        this.#settle(message.params?.['requestId'])
      deliver?.(message)
    }
    return super.start()
  }

  override send(message: JSONRPCMessage): Promise<void> {
    const sent = super.send(reworded(message))
    if (!('method' in message)) this.#settle(message.id)
    return sent
  }

  override async close(): Promise<void> {
    if (this.#isToAnswer() && this.#open.size > 0 && !this.#output.destroyed) await this.#lastAnswers()
    await super.close()
    this.#tell?.()
  }

  #settle(id: unknown): void {
    this.#open.delete(id)
    if (this.#open.size === 0) this.#onAnswered?.()
  }

  async #lastAnswers(): Promise<void> {
    const late = new AbortController()
    const answered = new Promise<void>((resolve) => {
      this.#onAnswered = resolve
      this.#output.once('close', resolve)
    })
    const outOfTime = pause(LAST_ANSWERS_MS, undefined, { signal: late.signal, ref: false }).catch(() => {})
    await Promise.race([answered, outOfTime])
    late.abort()
    this.#open.clear()
  }
}
