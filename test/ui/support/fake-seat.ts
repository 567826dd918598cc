/**
 * The process behind the page, for tests of the page alone: the four files with the headers they are served with, a watch
 * that says what a test wants, and every request written down.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createHash, createHmac } from 'node:crypto'
import { join } from 'node:path'
import { SEAT_HEADERS } from '../../../src/ui/serve/entry/answer.ts'
import { readPageFiles } from '../../../src/ui/serve/files.ts'
import { snapshot } from './wire.ts'

/** As the page is really served: it has to work with these headers, or it does not work. */
const FILES = readPageFiles(join(import.meta.dirname, '..', '..', '..', 'dist', 'ui', 'page'))

/** The key in the link, and the token it is exchanged for. */
export const KEY = 'a-key-of-the-link'
const TOKEN = 'a-token-of-the-seat'

/** A request of the page that is not for a file, as it came. */
export interface Asked {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: unknown
}

/** What is answered; undefined: nothing ever. */
export interface Answer {
  readonly status: number
  readonly body: unknown
}

/** Answers what the daemon would. */
export type Answers = (asked: Asked) => Answer | undefined

const ACCEPTED: Answer = {
  status: 200,
  body: { frame_id: 'f', event_id: 'e1-900', recipient_count: 1, queued_count: 0, ack: 'process' },
}

/** One process behind a page. */
export class FakeSeat {
  readonly asked: Asked[] = []
  /** What the next watch begins with. */
  snapshot: Readonly<Record<string, unknown>> = snapshot()
  /** What requests other than the watch are answered. */
  answers: Answers = () => ACCEPTED
  /** Refuses the watch with this, instead of beginning one. */
  refusal: Answer | undefined
  /** What signing in says besides: `editor`, `single_keys`, `notify`. */
  facts: Readonly<Record<string, unknown>> = {}
  /** The daemon's, as the next watch says it. */
  version = '0.1.0'
  readonly #server = createServer((request, response) => void this.#serve(request, response))
  readonly #watches = new Set<ServerResponse>()
  #port = 0

  /** Listens. @returns the link that a person would get */
  async start(port = 0): Promise<string> {
    this.#server.listen(port, '127.0.0.1')
    await once(this.#server, 'listening')
    const address = this.#server.address()
    this.#port = typeof address === 'object' && address !== null ? address.port : 0
    return `http://127.0.0.1:${this.#port}/#${KEY}`
  }

  get port(): number {
    return this.#port
  }

  get watches(): number {
    return this.#watches.size
  }

  /** Requests for one path, the oldest first. */
  askedFor(path: string): readonly Asked[] {
    return this.asked.filter((one) => one.path.split('?')[0] === path)
  }

  /** Says an event on every watch. */
  say(name: string, data: unknown, eventId?: string): void {
    const id = eventId === undefined ? '' : `id: ${eventId}\n`
    for (const watch of this.#watches)
      watch.write(`${id}event: agentd_${name}\ndata: ${JSON.stringify(data)}\n\n`)
  }

  /** Ends every watch, as a daemon that goes does. */
  cut(): void {
    for (const watch of this.#watches) watch.end()
  }

  async stop(): Promise<void> {
    this.cut()
    this.#server.close()
    this.#server.closeAllConnections()
    await once(this.#server, 'close')
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = request
    const [path = ''] = url.split('?')
    const file = FILES.get(path)
    if (file !== undefined) {
      response.writeHead(200, { ...SEAT_HEADERS, 'content-type': file.mediaType })
      response.end(file.bytes)
      return
    }
    const asked = { method, path: url, headers, body: await readBody(request) }
    this.asked.push(asked)
    if (path === '/v1/watch' && this.refusal === undefined) return this.#watch(response)
    const answer = path === '/v1/watch' ? this.refusal : (ownAnswer(asked, this.facts) ?? this.answers(asked))
    if (answer === undefined) return
    response.writeHead(answer.status, { ...SEAT_HEADERS, 'content-type': 'application/json' })
    response.end(JSON.stringify(answer.body))
  }

  #watch(response: ServerResponse): void {
    response.writeHead(200, {
      ...SEAT_HEADERS,
      'content-type': 'text/event-stream',
      'agentd-version': this.version,
    })
    this.#watches.add(response)
    response.once('close', () => this.#watches.delete(response))
    response.write(`retry: 1000\n\nevent: agentd_snapshot\ndata: ${JSON.stringify(this.snapshot)}\n\n`)
  }
}

/** Signing in, and the proof that it is itself. */
function ownAnswer({ path, body }: Asked, more: FakeSeat['facts']): Answer | undefined {
  if (path === '/login') {
    const isGood = JSON.stringify(body) === JSON.stringify({ key: KEY })
    const facts = { principal: '~alice', entity: 'human.alice', peer_check: 'kernel', editor: false, ...more }
    return isGood
      ? { status: 200, body: { token: TOKEN, ...facts } }
      : { status: 401, body: { code: 'link-used', message: 'This link has been used.' } }
  }
  if (path === '/signing') return { status: 200, body: { signed_with: null } }
  const nonce = /^\/hello\?nonce=([\w-]+)$/.exec(path)?.[1]
  if (nonce === undefined) return undefined
  const digest = createHash('sha256').update(TOKEN).digest()
  return { status: 200, body: { proofs: [createHmac('sha256', digest).update(nonce).digest('base64url')] } }
}

async function readBody(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(Buffer.from(chunk))
  const text = Buffer.concat(chunks).toString()
  return text === '' ? undefined : JSON.parse(text)
}
