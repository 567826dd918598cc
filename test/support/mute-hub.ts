/**
 * A bad peer: a server that lets everybody in as a hub does, and whose engine answers what it is told to and nothing else. One
 * whose disk has become full is like that.
 */
import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { LineSplitter } from '../../src/core/text/lines.ts'
import { portOf } from './cut-proxy.ts'

/** Far more than the client ever says in a line. */
const MAX_LINE_OCTETS = 65_536

const INFO = {
  server_id: 'MUTE',
  version: '2.9.10',
  proto: 1,
  headers: true,
  max_payload: 2_097_152,
  nonce: 'nonce-of-the-hub',
  auth_required: true,
}

export interface MuteWish {
  /** What a request is answered with, by its subject; undefined: nothing. */
  readonly answer?: (subject: string) => object | undefined
  /** Whether it says that it is there once it has let somebody in. */
  readonly answersPings?: boolean
}

export class MuteHub implements AsyncDisposable {
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  readonly #wish: MuteWish

  private constructor(server: Server, wish: MuteWish) {
    this.#server = server
    this.#wish = wish
    server.on('connection', (socket) => this.#serve(socket))
  }

  static async start(wish: MuteWish = {}): Promise<MuteHub> {
    const server = createServer()
    const hub = new MuteHub(server, wish)
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return hub
  }

  get port(): number {
    return portOf(this.#server)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    this.#server.close()
    await once(this.#server, 'close')
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket)
    socket.on('close', () => this.#sockets.delete(socket))
    socket.on('error', () => {})
    socket.write(`INFO ${JSON.stringify(INFO)}\r\n`)
    const lines = new LineSplitter(MAX_LINE_OCTETS, 'cut')
    let pings = 0
    socket.on('data', (chunk: Buffer) => {
      for (const { line } of lines.feed(chunk)) {
        const [word, subject = '', reply = ''] = line.toString().trim().split(' ')
        if (word === 'PING') pings += 1
        if (word === 'PING' && (pings === 1 || this.#wish.answersPings === true)) socket.write('PONG\r\n')
        if (word === 'PUB' || word === 'HPUB') this.#answer(socket, subject, reply)
      }
    })
  }

  /** Everything that is answered goes to the client's one subscription, its first. */
  #answer(socket: Socket, subject: string, reply: string): void {
    const answer = this.#wish.answer?.(subject)
    if (answer === undefined) return
    const text = JSON.stringify(answer)
    socket.write(`MSG ${reply} 1 ${Buffer.byteLength(text)}\r\n${text}\r\n`)
  }
}
