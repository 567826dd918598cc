/**
 * `agentd mcp`: lines between an agent runtime and the daemon, over however many daemons there are one after another.
 *
 * It knows of the protocol what it takes to say nothing wrong when a daemon goes: a handshake is said anew, what changes
 * nothing is asked again, and a call that was under way fails with a sentence.
 *
 * @see docs/http.md §10 "MCP"; OP-08
 */
import type { Readable, Writable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { MAX_MCP_MESSAGE_OCTETS } from '../../core/limits.ts'
import { LineSplitter } from '../../core/text/lines.ts'
import { messageOf } from '../../core/thrown.ts'
import type { PipeBounds } from './bounds.ts'
import { Handshake } from './handshake.ts'
import { NoLink, type Link, type LinkEvents } from './link.ts'
import { CALL, failureOf, readMessage, refusalOf, unreadable, type Message } from './message.ts'
import { Requests } from './requests.ts'
import { Watch } from './watch.ts'

/** What a pipe is made from. */
export interface PipeParts {
  /** JSON-RPC and nothing else is written here. */
  readonly output: Writable
  /** A link to the daemon, started where that is needed and allowed. @throws NoLink */
  readonly reach: (events: LinkEvents) => Promise<Link>
  /** A link to a server in this process, for what needs no daemon. */
  readonly openOffline: (events: LinkEvents) => Promise<Link>
  /** Told in one sentence what is wrong, for whoever reads the log. */
  readonly onTrouble: (sentence: string) => void
  readonly bounds: PipeBounds
}

const TOO_LONG = `A message may be at most ${MAX_MCP_MESSAGE_OCTETS} octets long.`
const TOO_MANY = 'Too many requests are under way; wait for one to end.'
const MAYBE = 'it may or may not have been done. Look before you repeat it.'

export class McpPipe {
  readonly #parts: PipeParts
  readonly #handshake = new Handshake()
  readonly #requests = new Requests()
  readonly #watch: Watch
  #link: Link | undefined
  /** Set while what needs no daemon is answered in this process. */
  #offline: Link | undefined
  /** Why there is no daemon; set by who looked for it. */
  #reason = new NoLink('absent', 'There is no daemon.')
  /** One line at a time looks for a link and is sent. */
  #turn: Promise<void> = Promise.resolve()
  #isOver = false

  constructor(parts: PipeParts) {
    this.#parts = parts
    this.#watch = new Watch(parts.bounds, () => this.#giveUp())
  }

  /** Copies until the host ends its output, and then for as long as a farewell may take. */
  async run(input: Readable): Promise<void> {
    const lines = new LineSplitter(MAX_MCP_MESSAGE_OCTETS, 'cut')
    try {
      for await (const chunk of input) {
        if (!Buffer.isBuffer(chunk)) continue
        for (const { line } of lines.feed(chunk)) await this.#inTurn(() => this.#take(line))
      }
    } catch {
      // Torn away, which is an end as any other.
    }
    this.#isOver = true
    this.#watch.stop()
    const { endMs } = this.#parts.bounds
    const farewell = Promise.all([this.#link?.end(), this.#offline?.end()])
    await Promise.race([farewell, pause(endMs, undefined, { ref: false })])
    this.#link?.drop()
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    this.#turn = this.#turn.then(work)
    return this.#turn
  }

  async #take(line: Buffer): Promise<void> {
    if (line.length > MAX_MCP_MESSAGE_OCTETS) {
      this.#parts.onTrouble(TOO_LONG)
      return this.#tell(unreadable(TOO_LONG))
    }
    const message = readMessage(line)
    if (message.cancels !== undefined) this.#requests.close(message.cancels)
    await this.#send(message)
    this.#handshake.note(message)
  }

  /** Sends a line over the link there is, or to the daemon that comes next. */
  async #send(message: Message): Promise<void> {
    const isRequest = message.id !== undefined && message.method !== undefined
    // Without a daemon there is nobody whom a notification or an answer would tell anything.
    if (!isRequest && this.#link === undefined) return void this.#offline?.write(message.line)
    const link = this.#link ?? (await this.#findLink(message))
    if (link === undefined) return this.#refuse(message)
    if (isRequest && !this.#requests.add(message)) return this.#tell(refusalOf(message, TOO_MANY))
    this.#watch.expect(link, this.#requests.count)
    if (!link.write(message.line)) await this.#untilTaken(link)
  }

  async #findLink(message: Message): Promise<Link | undefined> {
    if (this.#offline !== undefined && message.method !== CALL) return this.#offline
    try {
      return await this.#connect(message)
    } catch (error) {
      this.#reason = error instanceof NoLink ? error : new NoLink('refused', messageOf(error), error)
      this.#parts.onTrouble(this.#reason.message)
    }
    if (this.#reason.kind === 'refused' || message.method === CALL) return undefined
    return this.#openOffline(message)
  }

  /** @returns undefined where that cannot be loaded either */
  async #openOffline(message: Message): Promise<Link | undefined> {
    try {
      const offline: Link = await this.#parts.openOffline({
        onHeard: () => {},
        onLost: () => {},
        onLine: (line) => this.#hear(line, offline),
      })
      await this.#handshake.repeat(offline, message, this.#parts.bounds.headMs)
      this.#offline = offline
    } catch (error) {
      this.#parts.onTrouble(messageOf(error))
    }
    return this.#offline
  }

  async #connect(message: Message): Promise<Link> {
    const { bounds, reach } = this.#parts
    const link: Link = await reach({
      onHeard: () => this.#watch.heard(),
      onLine: (line) => this.#hear(line, link),
      onLost: (how) => this.#lose(link, how),
    })
    this.#link = link
    const isGreeted = await this.#handshake.repeat(link, message, bounds.headMs)
    if (!isGreeted || this.#link !== link) {
      this.#link = undefined
      link.drop()
      throw new NoLink('silent', 'The daemon has gone again, or has not answered the handshake.')
    }
    this.#offline?.drop()
    this.#offline = undefined
    return link
  }

  #hear(line: Buffer, link: Link | undefined): void {
    if (this.#handshake.takes(line)) return
    const { id } = readMessage(line)
    if (this.#handshake.swallows(id)) return
    if (id !== undefined) this.#requests.close(id)
    this.#watch.expect(this.#link, this.#requests.count)
    const { output } = this.#parts
    if (output.write(Buffer.concat([line, Buffer.from('\n')]))) return
    // A host that does not read is not read for; the daemon feels it, and cuts it in time.
    link?.pause()
    output.once('drain', () => link?.resume())
  }

  /** The daemon says nothing any more. */
  #giveUp(): void {
    const link = this.#link
    if (link === undefined) return
    link.drop()
    this.#lose(link, 'it does not answer')
  }

  #lose(link: Link, how: string): void {
    if (this.#link !== link) return
    this.#link = undefined
    this.#watch.stop()
    this.#handshake.interrupt()
    if (this.#isOver) return
    const { failed, again } = this.#requests.orphan()
    const fault = {
      code: 'lost',
      message: `The daemon was lost in the middle of this call (${how}): ${MAYBE}`,
    }
    for (const message of failed) this.#tell(failureOf(message, fault, this.#handshake.isModern))
    for (const message of again) void this.#inTurn(() => this.#send(message))
  }

  /** Waits for a link that takes nothing just now, and not for ever. */
  async #untilTaken(link: Link): Promise<void> {
    const late = new AbortController()
    const { silentMs } = this.#parts.bounds
    const outOfTime = pause(silentMs, 'late', { signal: late.signal, ref: false }).catch(() => 'taken')
    const how = await Promise.race([link.drained().then(() => 'taken'), outOfTime])
    late.abort()
    if (how === 'late') this.#giveUp()
  }

  #refuse(message: Message): void {
    const { kind, message: sentence } = this.#reason
    const { isModern } = this.#handshake
    const fault = { code: 'unreachable', message: sentence }
    this.#tell(kind === 'refused' ? refusalOf(message, sentence) : failureOf(message, fault, isModern))
  }

  #tell(text: string): void {
    if (!this.#parts.output.destroyed) this.#parts.output.write(text)
  }
}
