/**
 * HTTP over a Unix socket as a stranger would speak it: nothing here comes from `src`.
 */
import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import { connect as netConnect, type Socket } from 'node:net'
import { createParser, type EventSourceMessage } from 'eventsource-parser'
import { Changes, within } from './within.ts'

/** One request. `json` sets the media type; `body` goes out as it is. */
export interface RequestOptions {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string | string[]>>
  readonly token?: string
  readonly json?: unknown
  readonly body?: string | Buffer
}

/** One whole answer. */
export interface Reply {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  /** The body as JSON; undefined when it is none. */
  // Tests look into answers of every shape, and a wrong guess is a failing test.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any
}

function headersOf({ headers = {}, token, json }: RequestOptions): Record<string, string | string[]> {
  return {
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(json !== undefined && { 'content-type': 'application/json' }),
    ...headers,
  }
}

/** Sends a request on a connection of its own and reads the whole answer. */
export function request(socketPath: string, path: string, options: RequestOptions = {}): Promise<Reply> {
  const { json, body = json === undefined ? undefined : JSON.stringify(json) } = options
  const method = options.method ?? (body === undefined ? 'GET' : 'POST')
  const answered = new Promise<Reply>((resolve, reject) => {
    const outgoing = httpRequest(
      { socketPath, path, method, headers: headersOf(options), agent: false },
      (incoming) => {
        readWhole(incoming).then(resolve, reject)
      },
    )
    outgoing.once('error', reject)
    outgoing.end(body)
  })
  return within(answered, `the answer to ${method} ${path}`)
}

/** POST with a JSON body. */
export function post(socketPath: string, path: string, json: unknown, token?: string): Promise<Reply> {
  return request(socketPath, path, { json, ...(token !== undefined && { token }) })
}

async function readWhole(incoming: IncomingMessage): Promise<Reply> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk)
  const text = Buffer.concat(chunks).toString('utf8')
  return { status: incoming.statusCode ?? 0, headers: incoming.headers, text, body: readJson(text) }
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A connection that sends exactly the bytes it is given, and keeps exactly those it gets. */
export interface RawConnection extends Disposable {
  readonly socket: Socket
  write(data: string | Buffer): void
  /** Everything received so far. */
  bytes(): Buffer
  text(): string
  /** Waits until the text received so far matches; the match. */
  until(pattern: RegExp, what?: string): Promise<RegExpExecArray>
  /** Waits until `look` finds something in what has been received. */
  untilFound<T>(look: () => T | undefined, what: string): Promise<T>
  /** Resolves when the other side has closed, or cut, the connection. */
  readonly closed: Promise<void>
  readonly isClosed: boolean
}

export async function connectRaw(socketPath: string): Promise<RawConnection> {
  const socket = netConnect({ path: socketPath })
  const chunks: Buffer[] = []
  const changes = new Changes()
  let isClosed = false
  socket.on('data', (chunk: Buffer) => {
    chunks.push(chunk)
    changes.tell()
  })
  const closed = new Promise<void>((resolve) => {
    socket.once('close', () => {
      isClosed = true
      changes.tell()
      resolve()
    })
  })
  const bytes = (): Buffer => Buffer.concat(chunks)
  const text = (): string => bytes().toString('utf8')
  await within(
    new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve)
      socket.once('error', reject)
    }),
    'the connection',
  )
  // A cut connection is what some tests are after; it shows in `closed`.
  socket.on('error', () => {})
  const untilFound = <T>(look: () => T | undefined, what: string): Promise<T> =>
    changes.until(() => {
      const found = look()
      if (found === undefined && isClosed) {
        throw new Error(`the connection closed while waiting for ${what}; it had sent:\n${text()}`)
      }
      return found
    }, what)
  return {
    socket,
    write: (data) => void socket.write(data),
    bytes,
    text,
    until: (pattern, what = String(pattern)) => untilFound(() => pattern.exec(text()) ?? undefined, what),
    untilFound,
    closed,
    get isClosed() {
      return isClosed
    },
    [Symbol.dispose]: () => void socket.destroy(),
  }
}

/** A stream as a stranger reads it: every byte, and what `eventsource-parser` makes of them. */
export interface SseReader extends Disposable {
  readonly connection: RawConnection
  /** Status line and headers, as they came. */
  readonly head: string
  readonly status: number
  /** What came after the head. */
  body(): string
  /** Every event so far. */
  readonly events: readonly EventSourceMessage[]
  readonly comments: readonly string[]
  readonly retries: readonly number[]
  /** The next event that `next` has not given yet, of the given name or of any. */
  next(name?: string): Promise<EventSourceMessage>
  /** Waits until this many frames have come, and gives them parsed. */
  frames(count: number): Promise<Record<string, unknown>[]>
  /** Resolves when the daemon has ended the stream. */
  readonly ended: Promise<void>
}

/** Opens a stream; `query` goes behind the path as it is. @throws Error when the answer is no stream */
export async function openStream(
  socketPath: string,
  target: string,
  options: Pick<RequestOptions, 'headers' | 'token'> = {},
): Promise<SseReader> {
  const connection = await connectRaw(socketPath)
  const lines = Object.entries(headersOf(options)).map(([name, value]) => `${name}: ${String(value)}\r\n`)
  connection.write(`GET ${target} HTTP/1.1\r\nhost: agentd\r\n${lines.join('')}\r\n`)
  const [head] = await connection.until(/^[\s\S]*?\r\n\r\n/, `the head of ${target}`)
  const status = Number(head.split(' ')[1])
  const events: EventSourceMessage[] = []
  const comments: string[] = []
  const retries: number[] = []
  const parser = createParser({
    onEvent: (event) => void events.push(event),
    onComment: (comment) => void comments.push(comment),
    onRetry: (delay) => void retries.push(delay),
  })
  const body = (): string => connection.bytes().subarray(Buffer.byteLength(head)).toString('utf8')
  const decoder = new TextDecoder()
  let fed = Buffer.byteLength(head)
  const feed = (): void => {
    const bytes = connection.bytes()
    if (bytes.length > fed) parser.feed(decoder.decode(bytes.subarray(fed), { stream: true }))
    fed = bytes.length
  }
  const given = new Set<EventSourceMessage>()
  const frames = (): EventSourceMessage[] => events.filter(({ event }) => event === 'agent_frame')
  return {
    connection,
    head,
    status,
    body,
    get events() {
      feed()
      return events
    },
    get comments() {
      feed()
      return comments
    },
    get retries() {
      feed()
      return retries
    },
    async next(name) {
      const event = await connection.untilFound(
        () => {
          feed()
          return events.find((one) => !given.has(one) && (name === undefined || one.event === name))
        },
        `the next ${name ?? 'event'}`,
      )
      given.add(event)
      return event
    },
    frames: (count) =>
      connection.untilFound(() => {
        feed()
        return frames().length < count ? undefined : frames().map(({ data }) => JSON.parse(data))
      }, `${count} frames`),
    ended: connection.closed,
    [Symbol.dispose]: () => void connection.socket.destroy(),
  }
}

/** A submission of many lines whose answers are read while it is still being sent. */
export interface LineExchange extends Disposable {
  /** A value becomes one line of JSON; text and bytes go out as they are. */
  send(line: unknown): void
  write(data: string | Buffer): boolean
  /** Says that no more lines follow. */
  end(): void
  /** The answers so far. */
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly answers: readonly any[]
  /** Waits for this many answers, and gives them all. */
  // oxlint-disable-next-line typescript/no-explicit-any
  answered(count: number): Promise<readonly any[]>
  readonly status: Promise<number>
  readonly headers: Promise<IncomingHttpHeaders>
  /** Resolves when the answer has ended, or was cut. */
  readonly ended: Promise<void>
  /** Stops reading answers until `resume`. */
  pause(): Promise<void>
  resume(): void
  /** Bytes that are written and not yet taken by the kernel. */
  readonly unsentBytes: number
}

/** Opens `POST /v1/frames` as NDJSON, or another path. */
export function openLines(
  socketPath: string,
  { path = '/v1/frames', token }: { path?: string; token?: string } = {},
): LineExchange {
  const changes = new Changes()
  // oxlint-disable-next-line typescript/no-explicit-any
  const answers: any[] = []
  let rest = ''
  const headers = headersOf({
    headers: { 'content-type': 'application/x-ndjson', 'transfer-encoding': 'chunked' },
    ...(token !== undefined && { token }),
  })
  const outgoing = httpRequest({ socketPath, path, method: 'POST', headers, agent: false })
  const incoming = new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.once('response', resolve)
    outgoing.once('error', reject)
  })
  const ended = incoming.then(
    (message) => {
      message.setEncoding('utf8').on('data', (chunk: string) => {
        const lines = (rest + chunk).split('\n')
        rest = lines.pop() ?? ''
        for (const line of lines) answers.push(JSON.parse(line))
        changes.tell()
      })
      // A cut answer ends with 'error' and 'close', a whole one with 'end' and 'close'.
      message.on('error', () => {})
      return new Promise<void>((resolve) => {
        message.once('close', () => resolve())
      })
    },
    () => {},
  )
  const status = within(
    incoming.then(({ statusCode }) => statusCode ?? 0),
    'the head of the answer',
  )
  // Not every test asks for it.
  status.catch(() => {})
  outgoing.on('error', () => {})
  outgoing.flushHeaders()
  return {
    send: (line) => void outgoing.write(`${JSON.stringify(line)}\n`),
    write: (data) => outgoing.write(data),
    end: () => void outgoing.end(),
    answers,
    answered: (count) =>
      changes.until(() => (answers.length < count ? undefined : answers), `${count} answer lines`),
    status,
    headers: incoming.then(({ headers: said }) => said),
    ended,
    pause: async () => void (await within(incoming, 'the head of the answer')).pause(),
    resume: () => void incoming.then((message) => message.resume()),
    get unsentBytes() {
      return outgoing.writableLength
    },
    [Symbol.dispose]: () => void outgoing.destroy(),
  }
}
