/**
 * A node of a realm for tests of the bridge: a daemon that speaks `/v1/link/*` and nothing else, with a ring, marks and a
 * cursor in memory; and a bridge, the real process, in front of it.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { toError } from '../../src/client/http/backoff.ts'
import { objectOf, parseMembers, textMember, type JsonObject } from '../../src/core/text/json-object.ts'
import { readEventId } from '../../src/protocol/address/event-id.ts'
import { readBatch, verifyBatch, type BatchHead } from '../../src/link/batch.ts'
import type { LinkFile } from '../../src/link/link-file.ts'
import { stampOf } from '../../src/link/reading.ts'
import { nodeId, readLane } from '../../src/link/realm.ts'
import { formatRecord } from '../../src/link/record.ts'
import { createTempDir, type TempDir } from '../support/temp-dir.ts'
import { Changes, within } from '../support/within.ts'

const BRIDGE = join(import.meta.dirname, '..', '..', 'dist', 'bridge', 'main.js')

/** One record of the ring. */
interface Kept {
  readonly lane: string
  readonly e: string
  readonly digest: string
  readonly line: string
}

/** What a batch was handed over with. */
export interface Taken {
  readonly subject: string
  readonly seq: number
  readonly flags: JsonObject
  readonly records: number
  readonly octets: number
}

/** What a disk holds of a node: its ring and what it knows of the others. */
export interface Disk {
  readonly epoch: string
  readonly ring: readonly Kept[]
  readonly cursor: JsonObject | undefined
  readonly marks: ReadonlyMap<string, number>
}

/** What a node writes and reads, where that is not one lane of a person's own realm. */
export interface NodePlan {
  readonly realm: string
  readonly lanes: readonly string[]
  readonly filters: readonly string[]
}

/** One feed, and how far in the ring it is. */
interface OpenFeed {
  readonly response: ServerResponse
  sent: number
}

export class LinkedNode implements AsyncDisposable {
  readonly name: string
  readonly socketPath: string
  /** Tells that anything below has changed. */
  readonly changes = new Changes()
  epoch: string
  ring: Kept[] = []
  plan: NodePlan
  /** By filter. */
  readonly cursors = new Map<string, JsonObject>()
  marks = new Map<string, number>()
  /** What was acknowledged, by lane. */
  readonly acks = new Map<string, JsonObject>()
  /** Places that the hub would not take. */
  readonly refused: JsonObject[] = []
  /** What came from others and was new, in the order of its coming: lane and text. */
  readonly got: { readonly lane: string; readonly text: string }[] = []
  /** Every batch that was handed over, repeats included. */
  readonly batches: Taken[] = []
  /** Their heads. */
  readonly heads: BatchHead[] = []
  /** What the bridge said of the link, the newest last. */
  readonly conditions: JsonObject[] = []
  readonly presences: JsonObject[] = []
  readonly estates: string[] = []
  /** What is answered to an estate. */
  authorityEpoch = 0
  /** Keys of the others, as an estate would say them. */
  readonly keys = new Map<string, string>()
  /** Lanes whose batches are answered as those of a later version. */
  readonly unreadable = new Set<string>()
  /** Set while batches of it are not known: the epoch of the estate that they name. */
  knownEpoch = Number.MAX_SAFE_INTEGER
  /** Opens the paths of the link; a bridge gets it when it starts. */
  token = 'token-of-the-bridge'
  /** Called when a batch was taken and is not answered; what it waits for holds the answer back. */
  afterTaking: (() => Promise<void>) | undefined
  readonly #dir: TempDir
  #server: Server | undefined
  readonly #sockets = new Set<Socket>()
  readonly #feeds = new Map<string, OpenFeed>()
  #bridge: ChildProcess | undefined
  /** How often a bridge was started. */
  #stderr = ''

  private constructor(name: string, dir: TempDir, epoch: string) {
    this.name = name
    this.plan = {
      realm: 'p.alice',
      lanes: [`agentd.v1.p.alice.f.${name}`],
      filters: ['agentd.v1.p.alice.f.>'],
    }
    this.#dir = dir
    this.epoch = epoch
    this.socketPath = dir.file('d.sock')
  }

  /** @param disk - of a node that was copied, or an empty one */
  static async start(name: string, disk?: Disk): Promise<LinkedNode> {
    const node = new LinkedNode(name, await createTempDir(), disk?.epoch ?? `${name}1`.replaceAll('-', ''))
    if (disk !== undefined) {
      node.ring = [...disk.ring]
      node.cursor = disk.cursor
      node.marks = new Map(disk.marks)
    }
    await node.listen()
    return node
  }

  /** The first lane, which most have alone. */
  get lane(): string {
    return this.plan.lanes[0] ?? ''
  }

  /** Of the first filter. */
  get cursor(): JsonObject | undefined {
    return this.cursors.get(this.plan.filters[0] ?? '')
  }

  set cursor(cursor: JsonObject | undefined) {
    this.cursors.clear()
    if (cursor !== undefined) this.cursors.set(this.plan.filters[0] ?? '', cursor)
  }

  /** Of the first lane. */
  get acked(): JsonObject | undefined {
    return this.acks.get(this.lane)
  }

  set acked(acked: JsonObject | undefined) {
    this.acks.clear()
    if (acked !== undefined) this.acks.set(this.lane, acked)
  }

  /** A copy of what it has on its disk. */
  disk(): Disk {
    return { epoch: this.epoch, ring: [...this.ring], cursor: this.cursor, marks: new Map(this.marks) }
  }

  async listen(): Promise<void> {
    const server = createServer((request, response) => {
      this.#answer(request, response).catch((error: unknown) => response.destroy(toError(error)))
    })
    server.on('connection', (socket) => {
      this.#sockets.add(socket)
      socket.on('close', () => this.#sockets.delete(socket))
    })
    this.#server = server
    server.listen(this.socketPath)
    await once(server, 'listening')
  }

  /** The daemon goes, as by a crash: its socket stays behind, nobody listens. */
  async goAway(): Promise<void> {
    const server = this.#server
    this.#server = undefined
    if (server === undefined) return
    const closed = once(server, 'close')
    server.close()
    for (const socket of this.#sockets) socket.destroy()
    await closed
    rmSync(this.socketPath, { force: true })
  }

  /** Accepts frames here: they stand in the ring, and leave. @returns the last one's event id */
  say(...texts: readonly string[]): string {
    return this.sayTo(this.lane, ...texts)
  }

  /** As {@link say}, in one of its lanes. */
  sayTo(lane: string, ...texts: readonly string[]): string {
    for (const said of texts) this.ring.push(this.#kept(lane, said))
    this.#feedOn()
    return this.ring.at(-1)?.e ?? ''
  }

  /** Forgets the oldest, as retention does. */
  trim(count: number): void {
    const gone = this.ring.splice(0, count)
    for (const feed of this.#feeds.values()) feed.sent = Math.max(0, feed.sent - gone.length)
  }

  /** A new life of the counter: the ring is empty and the marks are gone, as of a memory ring. */
  startAnew(epoch: string): void {
    this.epoch = epoch
    this.ring = []
    this.cursor = undefined
    this.marks = new Map()
  }

  /** One line of the feed, whatever it is. */
  feed(line: object, lane = this.lane): void {
    this.#feeds.get(lane)?.response.write(`${JSON.stringify(line)}\n`)
  }

  /** Ends the feeds, as a daemon does that is going, or writes for others now. */
  dropFeed(): void {
    for (const { response } of this.#feeds.values()) response.end()
  }

  /** Starts its bridge. @param program - another file than the one that was built */
  startBridge(link: LinkFile, program = BRIDGE): void {
    const child = spawn(process.execPath, [program], { stdio: ['pipe', 'ignore', 'pipe'] })
    child.stderr.on('data', (chunk: Buffer) => {
      this.#stderr += chunk.toString()
      this.changes.tell()
    })
    child.on('exit', () => this.changes.tell())
    child.stdin.on('error', () => {})
    child.stdin.write(
      `${JSON.stringify({ socket: this.socketPath, token: this.token, name: 'home', link })}\n`,
    )
    this.#bridge = child
  }

  get bridge(): ChildProcess {
    if (this.#bridge === undefined) throw new Error('no bridge was started')
    return this.#bridge
  }

  /** What it said on stderr. */
  get bridgeSaid(): string {
    return this.#stderr
  }

  async killBridge(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    const child = this.#bridge
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const gone = once(child, 'exit')
    child.kill(signal)
    await gone
  }

  /** Ends its stdin, as the daemon does. @returns its exit code */
  async endBridge(): Promise<number | null> {
    const child = this.bridge
    const gone = once(child, 'exit')
    child.stdin?.end()
    await within(gone, 'the bridge to end')
    return child.exitCode
  }

  /** Waits until the newest condition is this one. */
  condition(state: string): Promise<JsonObject> {
    return this.changes.until(
      () => {
        const last = this.conditions.at(-1)
        return last?.['state'] === state ? last : undefined
      },
      `${this.name} to be ${state}, last ${JSON.stringify(this.conditions.at(-1))} ${this.#stderr}`,
    )
  }

  /** Waits until so many have come from others. */
  async received(count: number): Promise<readonly string[]> {
    await this.changes.until(
      () => (this.got.length >= count ? true : undefined),
      `${count} records at ${this.name}`,
    )
    return this.got.map(({ text: got }) => got)
  }

  /** Waits until the hub has everything that was said here. */
  async sentAll(): Promise<void> {
    const isSent = (lane: string): boolean => {
      const last = this.ring.findLast((kept) => kept.lane === lane)
      return last === undefined || this.acks.get(lane)?.['last'] === last.e
    }
    await this.changes.until(
      () => (this.plan.lanes.every(isSent) ? true : undefined),
      `all of ${this.name} to be acknowledged`,
    )
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.killBridge()
    await this.goAway()
    await this.#dir[Symbol.asyncDispose]()
  }

  #kept(lane: string, said: string): Kept {
    const last = readEventId(this.ring.at(-1)?.e ?? '')
    const e = `${this.epoch}-${last?.epoch === this.epoch ? last.seq + 1 : 1}`
    const frameText = JSON.stringify({ said })
    const line = formatRecord({ t: 'frame', e, scope: '~alice/*', sender: undefined, at: 1, frameText })
    return { lane, e, line, digest: createHash('sha256').update(line).digest('hex') }
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '', 'http://agentd')
    const body = await text(request)
    if (request.headers.authorization !== `Bearer ${this.token}`)
      return reply(response, 401, { code: 'unauthenticated' })
    if (url.pathname === '/v1/link/feed') return this.#openFeed(url.searchParams, response)
    const answer = await this.#dispatch(url, body)
    reply(response, answer === undefined ? 204 : 200, answer)
    this.changes.tell()
  }

  /** What is no news of other nodes comes with a presence, as the daemon takes it (docs/http.md §13). */
  #notePresences({ others, ...presence }: JsonObject): void {
    this.presences.push(presence, ...(Array.isArray(others) ? others.map(objectOf) : []))
  }

  async #dispatch(url: URL, body: string): Promise<object | undefined> {
    switch (url.pathname) {
      case '/v1/link/state':
        return this.#state()
      case '/v1/link/digest': {
        const found = this.ring.find(({ e }) => e === url.searchParams.get('event_id'))
        return { digest: found?.digest ?? null }
      }
      case '/v1/link/records':
        return this.#take(body)
      case '/v1/link/presence':
        this.#notePresences(parseMembers(body) ?? {})
        return undefined
      case '/v1/link/estate':
        this.estates.push(body)
        this.knownEpoch = Number.MAX_SAFE_INTEGER
        return { authority_epoch: this.authorityEpoch }
      case '/v1/link/acknowledged':
        this.#noteAcked(parseMembers(body) ?? {})
        return undefined
      case '/v1/link/condition':
        this.conditions.push(parseMembers(body) ?? {})
        return undefined
      default:
        throw new Error(`nobody asks for ${url.pathname}`)
    }
  }

  #noteAcked({ lane, ...acked }: JsonObject): void {
    this.acks.set(typeof lane === 'string' ? lane : this.lane, acked)
    for (const one of listOf(acked['refused'])) this.refused.push(objectOf(one))
  }

  #state(): object {
    const since = `${this.epoch}-0`
    const { realm, lanes, filters } = this.plan
    return {
      realm,
      node: this.name,
      epoch: this.epoch,
      first_event_id: this.ring[0]?.e ?? null,
      last_event_id: this.ring.at(-1)?.e ?? null,
      cursor: this.cursor ?? null,
      marks: [],
      acked: this.acked ?? null,
      since,
      lanes: lanes.map((lane) => ({ lane, acked: this.acks.get(lane) ?? null, since })),
      filters: filters.map((filter) => ({ filter, cursor: this.cursors.get(filter) ?? null })),
      is_durable: true,
      authority_epoch: this.authorityEpoch,
    }
  }

  #openFeed(query: URLSearchParams, response: ServerResponse): void {
    const lane = query.get('lane') ?? this.lane
    this.#feeds.get(lane)?.response.end()
    response.writeHead(200, { 'content-type': 'application/x-ndjson' })
    response.flushHeaders()
    const after = readEventId(query.get('after') ?? '')
    const next = this.ring.findIndex(({ e }) => (readEventId(e)?.seq ?? 0) > (after?.seq ?? 0))
    const feed = { response, sent: next === -1 ? this.ring.length : next }
    response.on('close', () => {
      if (this.#feeds.get(lane) === feed) this.#feeds.delete(lane)
    })
    this.#feeds.set(lane, feed)
    const first = readEventId(this.ring[feed.sent]?.e ?? '')
    if (first !== undefined && first.seq > (after?.seq ?? 0) + 1)
      this.feed({ gap: { after: query.get('after') ?? '', next: this.ring[feed.sent]?.e } }, lane)
    const presence = JSON.stringify({ sent_at: Date.now(), state: 'here', speaks: [1], sessions: [] })
    if (lane === this.lane) this.feed({ presence })
    this.#feedOn()
    this.changes.tell()
  }

  #feedOn(): void {
    for (const [lane, feed] of this.#feeds) {
      for (const { lane: of, ...kept } of this.ring.slice(feed.sent)) if (of === lane) this.feed(kept, lane)
      feed.sent = this.ring.length
    }
  }

  async #take(body: string): Promise<object> {
    const end = body.indexOf('\n')
    const head = parseMembers(end === -1 ? body : body.slice(0, end)) ?? {}
    const batchText = end === -1 ? '' : body.slice(end + 1)
    const { subject, stream_seq: seq, engine_at_ms: _at, signature, filter, ...flags } = head
    const read = typeof filter === 'string' ? filter : (this.plan.filters[0] ?? '')
    if (subject === '') {
      this.cursors.set(read, { seq, node: '', last: null })
      this.batches.push({ subject: '', seq: Number(seq), flags, records: 0, octets: 0 })
      return { answers: [], cursor: this.cursors.get(read) }
    }
    const lane = String(subject)
    const { head: batch, lines } = readBatch(batchText)
    const at = readLane(this.plan.realm, lane)
    const publicX = this.keys.get(at === undefined ? '' : nodeId(this.plan.realm, at)) ?? ''
    if (!verifyBatch(String(signature), publicX, lane, batchText))
      throw new Error('a batch that nobody has signed')
    this.heads.push(batch)
    this.batches.push({
      subject: lane,
      seq: Number(seq),
      flags,
      records: lines.length,
      octets: Buffer.byteLength(batchText),
    })
    if (this.unreadable.has(lane))
      return { answers: [], stopped: 'unknown-version', cursor: this.cursors.get(read) ?? null }
    if (batch.authority_epoch > this.knownEpoch)
      return { answers: [], stopped: 'unknown-estate', cursor: this.cursors.get(read) ?? null }
    if (flags['holds_cursor'] !== true)
      this.cursors.set(read, { seq, node: batch.node, last: stampOf(batch) })
    const answers = this.#apply(lane, lines, flags, batch.last)
    this.changes.tell()
    await this.afterTaking?.()
    return { answers, cursor: this.cursors.get(read) ?? null }
  }

  #apply(lane: string, lines: readonly string[], flags: JsonObject, last: string | null): object[] {
    if (flags['joins'] === true) {
      this.#mark(lane, last ?? '')
      return []
    }
    return lines.map((line) => {
      const members = parseMembers(line) ?? {}
      const e = textMember(members, 'e')
      if (e === undefined) return { e: null, outcome: 'applied' }
      const id = readEventId(e)
      const mark = this.marks.get(`${lane} ${id?.epoch}`) ?? 0
      if (id === undefined || id.seq <= mark) return { e, outcome: 'repeat' }
      this.#mark(lane, e)
      this.got.push({ lane, text: textMember(objectOf(members['frame']), 'said') ?? '' })
      return { e, outcome: 'applied' }
    })
  }

  #mark(lane: string, e: string): void {
    const id = readEventId(e)
    if (id !== undefined) this.marks.set(`${lane} ${id.epoch}`, id.seq)
  }
}

function reply(response: ServerResponse, status: number, body?: object): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(body === undefined ? '' : JSON.stringify(body))
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
