/**
 * One full-duplex request to the daemon: lines up in its body, lines down in its answer.
 *
 * @see docs/http.md §10 "MCP"; OP-08
 */
import { once } from 'node:events'
import { request, type ClientRequest, type IncomingMessage } from 'node:http'
import { systemErrorCode } from '../../core/thrown.ts'
import { MAX_MCP_MESSAGE_OCTETS } from '../../core/limits.ts'
import { LineSplitter } from '../../core/text/lines.ts'
import { requireOwnSocket } from '../../host/socket/own-socket.ts'
import { MAX_REFUSAL_OCTETS } from './bounds.ts'
import { NoLink, type Link, type LinkEvents } from './link.ts'

/** Where the daemon is, and what it is told. */
export interface DaemonDoor {
  readonly socketPath: string
  /** Where tools are served, with what is asked for: `/v1/mcp?verbs=memo`. */
  readonly path: string
  /** Header fields besides those that every request has. */
  readonly headers: Readonly<Record<string, string>>
  /** How long it may take to begin with its answer, in milliseconds. */
  readonly headMs: number
}

const LINE_FEED = Buffer.from('\n')

/** What the system says where nobody listens, and where there is no room. */
const ABSENT = new Set(['ENOENT', 'ECONNREFUSED', 'ENOTDIR'])
const BUSY = new Set(['EAGAIN', 'ECONNRESET', 'EPIPE'])

const NO_ROOM = 503

/** @throws NoLink, or HostRefusal for a socket that is not this user's alone (HD-20) */
export async function openDaemonLink(door: DaemonDoor, events: LinkEvents): Promise<Link> {
  requireOwnSocket(door.socketPath)
  const sent = request({
    socketPath: door.socketPath,
    method: 'POST',
    path: door.path,
    agent: false,
    headers: { host: 'agentd', 'content-type': 'application/x-ndjson', ...door.headers },
  })
  sent.flushHeaders()
  const response = await headOf(sent, door)
  if (response.statusCode !== 200) throw await readRefusal(sent, response, door.headMs)
  return new DaemonLink(sent, response, events)
}

class DaemonLink implements Link {
  readonly #request: ClientRequest
  readonly #response: IncomingMessage
  readonly #closed: Promise<void>
  /** Ended from here, so that the end is no news. */
  #isOver = false

  constructor(sent: ClientRequest, response: IncomingMessage, events: LinkEvents) {
    this.#request = sent
    this.#response = response
    const lines = new LineSplitter(2 * MAX_MCP_MESSAGE_OCTETS, 'cut')
    response.on('data', (chunk: Buffer) => {
      events.onHeard()
      for (const { line } of lines.feed(chunk)) events.onLine(line)
    })
    // That it broke off is told by its `close`.
    response.on('error', () => {})
    sent.on('error', () => response.destroy())
    this.#closed = new Promise((resolve) => {
      response.once('close', () => {
        sent.destroy()
        resolve()
        if (!this.#isOver) events.onLost('it has gone')
        this.#isOver = true
      })
    })
  }

  write(line: Buffer): boolean {
    return this.#isOver || this.#request.write(Buffer.concat([line, LINE_FEED]))
  }

  async drained(): Promise<void> {
    if (this.#request.writableNeedDrain)
      await Promise.race([once(this.#request, 'drain').catch(() => {}), this.#closed])
  }

  pause(): void {
    this.#response.pause()
  }

  resume(): void {
    this.#response.resume()
  }

  end(): Promise<void> {
    this.#isOver = true
    this.#response.resume()
    this.#request.end()
    return this.#closed
  }

  drop(): void {
    this.#isOver = true
    this.#request.destroy()
  }
}

function headOf(sent: ClientRequest, { headMs, socketPath }: DaemonDoor): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const fail = (reason: NoLink): void => {
      clearTimeout(deadline)
      reject(reason)
      sent.destroy()
    }
    const deadline = setTimeout(() => {
      fail(
        new NoLink('silent', `The daemon at ${socketPath} has not answered for ${headMs / 1_000} seconds.`),
      )
    }, headMs)
    sent.once('error', (error) => fail(noLinkOf(error, socketPath)))
    sent.once('response', (response) => {
      clearTimeout(deadline)
      resolve(response)
    })
  })
}

function noLinkOf(error: Error, socketPath: string): NoLink {
  const code = systemErrorCode(error) ?? ''
  if (ABSENT.has(code)) return new NoLink('absent', `No daemon answers at ${socketPath}.`, error)
  const kind = BUSY.has(code) ? 'busy' : 'refused'
  return new NoLink(kind, `The daemon at ${socketPath} cannot be reached: ${error.message}.`, error)
}

/** The daemon's own sentence. */
async function readRefusal(
  sent: ClientRequest,
  response: IncomingMessage,
  timeoutMs: number,
): Promise<NoLink> {
  const cut = setTimeout(() => sent.destroy(), timeoutMs)
  const kind = (response.statusCode ?? 0) === NO_ROOM ? 'busy' : 'refused'
  let text = ''
  response.setEncoding('utf8')
  response.on('data', (chunk: string) => {
    text += chunk
    if (text.length > MAX_REFUSAL_OCTETS) sent.destroy()
  })
  response.on('error', () => {})
  // It closes the connection behind a refusal, or this does.
  await once(response, 'close').catch(() => {})
  clearTimeout(cut)
  sent.destroy()
  const told = /"message":("(?:[^"\\]|\\.)*")/.exec(text)?.[1]
  const message: unknown = told === undefined ? undefined : JSON.parse(told)
  return new NoLink(
    kind,
    typeof message === 'string' ? message : `The daemon answered ${response.statusCode}.`,
  )
}
