/**
 * The page's process in front of a real daemon, with files of its own making, and a browser that says what it is told to.
 */
import { once } from 'node:events'
import { get, request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import { connect, type Socket } from 'node:net'
import { systemClock, type Clock } from '../../../src/core/clock.ts'
import type { Logger } from '../../../src/core/log.ts'
import { silentLog } from '../../support/silent-log.ts'
import { listenPrivately } from '../../../src/host/socket/listener.ts'
import type { PageFiles } from '../../../src/ui/serve/files.ts'
import { startSeat, type SeatParts, type SeatProcess } from '../../../src/ui/serve/seat-process.ts'
import { startTestDaemon, type TestDaemon, type TestDaemonOptions } from '../../support/daemon.ts'
import { Changes, within } from '../../support/within.ts'

/** A page of our own. */
export const FILES: PageFiles = new Map([
  [
    '/',
    { status: 200, mediaType: 'text/html; charset=utf-8', bytes: Buffer.from('<!doctype html>the page') },
  ],
  ['/page.js', { status: 200, mediaType: 'text/javascript; charset=utf-8', bytes: Buffer.from('// script') }],
  ['/page.css', { status: 200, mediaType: 'text/css; charset=utf-8', bytes: Buffer.from('/* style */') }],
  ['/icon.svg', { status: 200, mediaType: 'image/svg+xml', bytes: Buffer.from('<svg/>') }],
])

/** One whole answer. */
export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  // Tests look into answers of every shape, and a wrong guess is a failing test.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any
}

/** A request as the page would make it, but for what is said otherwise; a header of undefined is left out. */
export interface Ask {
  readonly method?: string
  readonly token?: string
  readonly json?: unknown
  readonly body?: string
  readonly headers?: Readonly<Record<string, string | undefined>>
}

/** A process that serves. Use it with `await using`. */
export interface TestSeat extends AsyncDisposable {
  readonly process: SeatProcess
  readonly daemon: TestDaemon
  readonly port: number
  readonly authority: string
  readonly doorPath: string
  ask(path: string, ask?: Ask): Promise<Answer>
  /** Follows a new link. @returns the token */
  signIn(): Promise<string>
  /** What comes back for exactly these octets, until the other side has closed. */
  raw(text: string): Promise<string>
}

/** What is to be otherwise than usual. */
export interface SeatOptions extends Partial<Omit<SeatParts, 'clientParts'>> {
  readonly clock?: Clock
  readonly log?: Logger
  readonly daemonOptions?: TestDaemonOptions
}

export async function openSeat({ clock = systemClock, daemonOptions, ...options }: SeatOptions = {}) {
  const daemon = await startTestDaemon(daemonOptions)
  const doorPath = daemon.dir.file('ui.sock')
  const seat = await startSeat({
    socketPath: daemon.socket,
    principal: daemon.principal,
    clientParts: { clock, random: Math.random },
    isOwnPeer: () => true,
    findKey: () => undefined,
    readFiles: () => FILES,
    log: silentLog,
    idleMs: 600_000,
    editor: 'none',
    notify: 'off',
    desktop: { platform: process.platform, env: {} },
    singleKeys: true,
    bindDoor: (server) => listenPrivately(server, doorPath),
    folder: daemon.dir.path,
    ...options,
  })
  const { port } = seat.link()
  return describeSeat({ seat, daemon, port, doorPath })
}

interface Opened {
  readonly seat: SeatProcess
  readonly daemon: TestDaemon
  readonly port: number
  readonly doorPath: string
}

function describeSeat({ seat, daemon, port, doorPath }: Opened): TestSeat {
  const authority = `127.0.0.1:${port}`
  const ask = (path: string, asked: Ask = {}): Promise<Answer> => askAt(port, path, asked)
  return {
    process: seat,
    daemon,
    port,
    authority,
    doorPath,
    ask,
    async signIn() {
      const { body } = await ask('/login', { json: { key: keyOf(seat.link().url) } })
      return body.token
    },
    raw: (text) => within(talk(port, text), `the end of ${JSON.stringify(text.slice(0, 60))}`),
    async [Symbol.asyncDispose]() {
      await seat.stop()
      await daemon[Symbol.asyncDispose]()
    },
  }
}

/** The key in a link. */
export function keyOf(url: string): string {
  return new URL(url).hash.replace('#key=', '')
}

/** The head of a request to this port, with everything that a page's own has. */
export function headOf(authority: string, line: string, ...fields: readonly string[]): string {
  return `${[line, `host: ${authority}`, ...fields].join('\r\n')}\r\n\r\n`
}

function askAt(port: number, path: string, { token, json, headers = {}, ...rest }: Ask): Promise<Answer> {
  const body = rest.body ?? (json === undefined ? undefined : JSON.stringify(json))
  const method = rest.method ?? (body === undefined ? 'GET' : 'POST')
  const fields = {
    origin: method === 'GET' ? undefined : `http://127.0.0.1:${port}`,
    'content-type': json === undefined ? undefined : 'application/json',
    authorization: token === undefined ? undefined : `Bearer ${token}`,
    ...headers,
  }
  const sent = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
  const answered = new Promise<Answer>((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path, method, headers: sent, agent: false }
    const outgoing = httpRequest(options, (incoming) => {
      let text = ''
      incoming.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
      incoming.once('error', reject)
      incoming.once('end', () => {
        const { statusCode: status = 0, headers: got } = incoming
        resolve({ status, headers: got, text, body: readJson(text) })
      })
    })
    outgoing.once('error', reject)
    outgoing.end(body)
  })
  return within(answered, `the answer to ${method} ${path}`)
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function talk(port: number, text: string): Promise<string> {
  return new Promise((resolve) => {
    let said = ''
    const socket = connect(port, '127.0.0.1', () => void socket.write(text))
    socket.setEncoding('latin1').on('data', (chunk: string) => (said += chunk))
    socket.once('error', () => resolve(said))
    socket.once('close', () => resolve(said))
  })
}

/** A connection that is open. */
export async function connectTo(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  await within(new Promise<void>((resolve) => void socket.once('connect', resolve)), 'a connection')
  return socket
}

/** A page's stream, read as text. */
export async function openPage(seat: TestSeat, token: string, { query = '', lastEventId = '' } = {}) {
  const headers = {
    authorization: `Bearer ${token}`,
    ...(lastEventId !== '' && { 'last-event-id': lastEventId }),
  }
  const path = `/v1/watch${query}`
  const request = get({ host: '127.0.0.1', port: seat.port, path, headers, agent: false })
  request.on('error', () => {})
  const [answer]: IncomingMessage[] = await within(once(request, 'response'), 'the head of a watch')
  const changes = new Changes()
  let text = ''
  answer!.on('data', (chunk: Buffer) => {
    text += chunk.toString()
    changes.tell()
  })
  answer!.on('error', () => {})
  const closed = new Promise<void>((resolve) => void answer!.once('close', () => resolve()))
  return {
    status: answer!.statusCode,
    headers: answer!.headers,
    text: () => text,
    until: (wanted: string) => changes.until(() => (text.includes(wanted) ? text : undefined), wanted),
    ended: () => within(closed, 'the end of the watch'),
    close: () => void request.destroy(),
  }
}
