/**
 * One request over the socket, written and read by hand: where a program does nothing else, `node:http` would cost more
 * than the request.
 *
 * @see docs/http.md §§2, 3, 8; P-06
 */
import { connect, type OnReadOpts, type Socket } from 'node:net'
import { systemErrorCode } from '../../core/thrown.ts'
import { howAbsent } from './absence.ts'
import { UsageError } from '../../core/errors.ts'
import { encodeJson } from '../../core/text/json.ts'
import { requireOwnSocket } from '../../host/socket/own-socket.ts'

/** What is asked of the daemon. */
export interface OneCall {
  readonly socketPath: string
  readonly method: 'GET' | 'POST'
  readonly path: string
  /** Sent as JSON; a string is JSON already. */
  readonly body?: Readonly<Record<string, unknown>> | string
  /** Further fields of the head. */
  readonly headers?: Readonly<Record<string, string>>
  readonly token: string | undefined
  /** The person's key, of a call without a token (docs/http.md §2). */
  readonly personKey?: string | undefined
  /** Gives the call up, where that is to be sooner than after {@link ANSWER_MS}. */
  readonly signal?: AbortSignal
}

/** What came of it. */
export type OneAnswer =
  | { readonly kind: 'answered'; readonly status: number; readonly text: string }
  /** Nobody listens; nothing was sent. */
  | { readonly kind: 'absent'; readonly how: string }
  /** Something was sent, and no whole answer came: whether it was accepted is unknown. */
  | { readonly kind: 'silent'; readonly how: string }

/** A connection that rests after its answer. */
export interface HeldCall {
  /** When the daemon has closed it, as it does when it stops listening. */
  readonly closed: Promise<void>
  release(): void
}

/** Connecting and answering together; who calls must not be held up. */
export const ANSWER_MS = 10_000

/** The longest answer that is read: a frame of full size, and what stands around it. */
export const MAX_ANSWER_OCTETS = 1_048_576

/** On a Unix socket a full backlog answers EAGAIN at once: it means "busy", not "absent". */
const BUSY_TRIES = 10
const BUSY_PAUSE_MS = 25

/** What may stand in a header without ending it. */
const TOKEN = /^[\u0021-\u007e]+$/

/** Of an answer at a time. */
const CHUNK_BYTES = 65_536

const HEAD_END = '\r\n\r\n'

/**
 * @throws UsageError for a token that cannot be one, AgentdError `field-invalid` for nesting without end, HostRefusal for
 *   a socket that is not this user's alone (HD-20)
 */
export async function callOnce(call: OneCall): Promise<OneAnswer> {
  const request = formatRequest(call, 'close')
  for (let tries = 1; ; tries += 1) {
    const { answer, socket } = await exchange(call, request)
    // In the next turn, which a short way does not live to see: taking a socket apart costs a millisecond.
    setImmediate(() => socket.destroy())
    if (answer !== 'busy') return answer
    if (tries === BUSY_TRIES || call.signal?.aborted === true)
      return { kind: 'silent', how: 'it is too busy to take a connection' }
    await new Promise((resolve) => setTimeout(resolve, BUSY_PAUSE_MS * tries))
  }
}

/** Asks once, and keeps the connection, answered or not. @throws as {@link callOnce} */
export async function callAndHold(call: OneCall): Promise<HeldCall> {
  const { socket } = await exchange(call, formatRequest(call, 'keep-alive'))
  const closed = socket.closed
    ? Promise.resolve()
    : new Promise<void>((resolve) => void socket.once('close', resolve))
  return { closed, release: () => void socket.destroy() }
}

function formatRequest(
  { method, path, body, headers = {}, token, personKey }: OneCall,
  connection: 'close' | 'keep-alive',
): string {
  const values = [token, personKey, ...Object.values(headers)]
  if (!values.every((value) => value === undefined || TOKEN.test(value))) {
    throw new UsageError('The token holds characters that no token has.')
  }
  const text = body === undefined ? '' : typeof body === 'string' ? body : encodeJson(body, 'body')
  const lines = [
    `${method} ${path} HTTP/1.1`,
    'host: agentd',
    `connection: ${connection}`,
    ...(body === undefined
      ? []
      : ['content-type: application/json', `content-length: ${Buffer.byteLength(text)}`]),
    ...(token === undefined ? [] : [`authorization: Bearer ${token}`]),
    ...(personKey === undefined ? [] : [`agentd-key: ${personKey}`]),
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ]
  return `${lines.join('\r\n')}${HEAD_END}${text}`
}

/** One try, and the socket it was made over; it is the caller's to end. */
interface Exchanged {
  readonly answer: OneAnswer | 'busy'
  readonly socket: Socket
}

function exchange({ socketPath, signal }: OneCall, request: string): Promise<Exchanged> {
  requireOwnSocket(socketPath)
  return new Promise((resolve) => {
    let received = Buffer.alloc(0)
    let sent = false
    const socket = connect({ path: socketPath, onread: readingTo((chunk) => take(chunk)) })
    const settle = (answer: OneAnswer | 'busy'): void => {
      clearTimeout(deadline)
      signal?.removeEventListener('abort', giveUp)
      resolve({ answer, socket })
    }
    const fail = (how: string): void => settle({ kind: sent ? 'silent' : 'absent', how })
    const giveUp = (): void => settle({ kind: 'silent', how: 'it has said nothing in time' })
    const deadline = setTimeout(() => {
      settle({ kind: 'silent', how: `it has said nothing for ${ANSWER_MS / 1_000} seconds` })
    }, ANSWER_MS)
    const take = (chunk: Uint8Array): void => {
      received = Buffer.concat([received, chunk])
      const answer = readAnswer(received)
      if (answer !== undefined) settle(answer)
      else if (received.length > MAX_ANSWER_OCTETS) fail('its answer has no end')
    }
    socket.once('connect', () => {
      sent = true
    })
    // Queued until there is a connection; waiting for the event first would cost a turn of the loop.
    socket.write(request)
    // A held one may be torn away later.
    socket.on('error', (error) => {
      const code = systemErrorCode(error)
      if (!sent && code === 'EAGAIN') settle('busy')
      else fail(sent ? error.message : howAbsent(code, error.message))
    })
    socket.once('close', () => fail('it closed the connection without an answer'))
    if (signal?.aborted === true) giveUp()
    else signal?.addEventListener('abort', giveUp)
  })
}

/** Straight from the kernel: the way through a stream would cost half a millisecond. */
function readingTo(take: (chunk: Uint8Array) => void): OnReadOpts {
  return {
    buffer: Buffer.allocUnsafe(CHUNK_BYTES),
    callback: (length, chunk) => {
      take(chunk.subarray(0, length))
      return true
    },
  }
}

/** @returns undefined while it is not whole */
function readAnswer(received: Buffer): OneAnswer | undefined {
  const headEnd = received.indexOf(HEAD_END)
  if (headEnd === -1) return undefined
  const head = received.subarray(0, headEnd).toString('latin1')
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1])
  const length = status === 204 ? 0 : Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1])
  if (Number.isNaN(status) || Number.isNaN(length))
    return { kind: 'silent', how: 'it does not speak as agentd does' }
  const body = received.subarray(headEnd + HEAD_END.length)
  if (body.length < length) return undefined
  return { kind: 'answered', status, text: body.subarray(0, length).toString('utf8') }
}
