/**
 * One machine: a store that a loss of power takes back to what was on the disk, a writer and a reader that know nothing but
 * what store and engine say. What is decided is decided by `src/link`.
 */
import { createHash } from 'node:crypto'
import { nodeAt, type Estate } from '../../../src/authority/estate.ts'
import {
  formatBatch,
  readBatch,
  readHead,
  signBatch,
  verifyBatch,
  type BatchHead,
} from '../../../src/link/batch.ts'
import { createNodeKey, readNodeKey } from '../../../src/link/keys/node-key.ts'
import { holeBefore, judge, type MissingPlaces } from '../../../src/link/marks.ts'
import { decideReading, stampOf, type ReadPlace } from '../../../src/link/reading.ts'
import { ownLane, readLane } from '../../../src/link/realm.ts'
import { formatRecord, readRecord } from '../../../src/link/record.ts'
import { comparedPlace, decideStart, type AckedPlace, type Start } from '../../../src/link/writing.ts'
import { formatEventId, readEventId } from '../../../src/protocol/address/event-id.ts'
import { REALM } from '../samples.ts'
import { Moved, type Engine, type StoredMessage } from './engine.ts'

/** What happens on the way of a batch. */
export type Passage = 'arrives' | 'is-lost' | 'loses-its-answer'

/** A row of the ring: own, or of a named origin. */
export interface Row {
  readonly seq: number
  readonly id: string
  readonly origin: string | undefined
}

/** What a machine has on its disk. */
interface Store {
  rows: readonly Row[]
  firstSeq: number
  lastSeq: number
  acked: AckedPlace | undefined
  /** Lane → epoch → number. */
  marks: ReadonlyMap<string, ReadonlyMap<string, number>>
  cursor: ReadPlace | undefined
  /** Node → ids of it that were applied, in that order. */
  applied: ReadonlyMap<string, readonly string[]>
  holes: ReadonlyMap<string, readonly MissingPlaces[]>
}

/** Who is told what a machine does. */
export interface Witness {
  readonly nowMs: () => number
  readonly estate: () => { body: Estate; notBeforeMs: undefined; notAfterMs: undefined }
  readonly sent: (node: string, ids: readonly string[]) => void
  readonly joined: (reader: Machine) => void
  readonly applies: (reader: Machine, origin: string, id: string) => void
  readonly knewById: (origin: string) => void
  readonly tellsHole: (origin: string) => void
}

const EMPTY: Store = {
  rows: [],
  firstSeq: 1,
  lastSeq: 0,
  acked: undefined,
  marks: new Map(),
  cursor: undefined,
  applied: new Map(),
  holes: new Map(),
}

type Going = Extract<Start, { go: 'on' }> & { readonly seq: number; readonly created: string }

export class Machine {
  readonly name: string
  readonly publicX: string
  readonly lane: string
  store: Store = EMPTY
  epoch = 'e1'
  fenced: string | undefined
  readonly #key
  readonly #engine: Engine
  readonly #witness: Witness
  #onDisk: Store = EMPTY
  #lives = 1
  #made = 0
  #writing: Going | undefined
  #nextSeq: number | undefined

  constructor(name: string, engine: Engine, witness: Witness) {
    const { seed, publicX } = createNodeKey()
    this.name = name
    this.publicX = publicX
    this.lane = ownLane(REALM, name)
    this.#key = readNodeKey(seed).key
    this.#engine = engine
    this.#witness = witness
  }

  /** Somebody here says something. @returns its id */
  submit(): string {
    this.#made += 1
    const id = `${this.name}#${this.#made}`
    this.#append(id, undefined)
    return id
  }

  sync(): void {
    this.#onDisk = this.store
  }

  /** What was not on the disk is gone, and the store says so by a new epoch. */
  losePower(): void {
    this.store = this.#onDisk
    this.#lives += 1
    this.epoch = `e${this.#lives}`
    this.disconnect()
  }

  trim(count: number): void {
    const rows = this.store.rows.slice(count)
    this.store = { ...this.store, rows, firstSeq: rows[0]?.seq ?? this.store.lastSeq + 1 }
  }

  /** The bridge ends, or the hub is gone: nothing believed of the hub holds (FED-23). */
  disconnect(): void {
    this.#writing = undefined
    this.#nextSeq = undefined
  }

  /** @returns whether anything was sent */
  write(passage: Passage, maxRecords: number): boolean {
    if (this.fenced !== undefined) return false
    const going = this.#writing ?? this.#look()
    if (going === undefined) return false
    this.#writing = going
    const [batch, follows] = this.#feedBehind(going, maxRecords)
    if (batch.length === 0) return false
    const head = this.#headOf(going, follows, batch)
    const text = formatBatch(
      head,
      batch.map((row) => this.#lineOf(row)),
    )
    this.#publish(going, { head, text, ids: batch.map(({ id }) => id) }, passage)
    return true
  }

  /** @returns whether anything was read */
  read(count: number): boolean {
    if (this.#nextSeq === undefined && this.store.cursor === undefined) return this.#join()
    this.#nextSeq ??= this.#place()
    const from = this.#nextSeq
    const messages = this.#engine.messages.filter(({ seq }) => seq >= from).slice(0, count)
    for (const message of messages) {
      this.#take(message)
      this.#nextSeq = message.seq + 1
    }
    return messages.length > 0
  }

  #append(id: string, origin: string | undefined): void {
    const seq = this.store.lastSeq + 1
    this.store = { ...this.store, lastSeq: seq, rows: [...this.store.rows, { seq, id, origin }] }
  }

  #look(): Going | undefined {
    const { firstSeq, lastSeq, acked, rows } = this.store
    const message = this.#engine.lastOn(this.lane)
    const lane = message && readHead(message.text.split('\n', 1)[0] ?? '')
    const asked = comparedPlace(lane, this.epoch)
    const start = decideStart({
      lane,
      stream: this.#engine.stream,
      acked,
      ring: {
        epoch: this.epoch,
        firstEventId: rows.length === 0 ? undefined : formatEventId(this.epoch, firstSeq),
        lastEventId: lastSeq === 0 ? undefined : formatEventId(this.epoch, lastSeq),
        digestAt: (eventId) =>
          eventId === asked ? this.#digestAt(readEventId(eventId)?.seq ?? 0) : undefined,
      },
      since: formatEventId(this.epoch, firstSeq - 1),
    })
    if (start.go === 'fenced') this.fenced = start.why
    else return { ...start, seq: message?.seq ?? 0, created: this.#engine.stream.created }
    return undefined
  }

  /** Own records behind a place, and the place they follow where the ring does not hold what stood between. */
  #feedBehind({ after, prev }: Going, maxRecords: number): readonly [readonly Row[], string | null] {
    const { seq = 0 } = readEventId(after) ?? {}
    const batch = this.store.rows
      .filter((row) => row.seq > seq && row.origin === undefined)
      .slice(0, maxRecords)
    const gone = this.store.firstSeq - 1
    return [batch, gone > seq ? formatEventId(this.epoch, gone) : prev]
  }

  #headOf(going: Going, prev: string | null, batch: readonly Row[]): BatchHead {
    const last = batch.at(-1)
    return {
      v: 1,
      node: this.name,
      epoch: this.epoch,
      prev,
      last: last === undefined ? going.last : formatEventId(this.epoch, last.seq),
      digest: last === undefined ? going.digest : digestOf(last.id),
      clean: going.clean && prev === going.prev,
      reports: 0,
      sent_at: this.#witness.nowMs(),
      authority_epoch: 1,
    }
  }

  #lineOf({ id, seq }: Row): string {
    return formatRecord({
      t: 'frame',
      e: formatEventId(this.epoch, seq),
      scope: '~alice/*',
      sender: undefined,
      at: 0,
      frameText: JSON.stringify({ id }),
    })
  }

  #publish(
    going: Going,
    { head, text, ids }: { head: BatchHead; text: string; ids: readonly string[] },
    passage: Passage,
  ): void {
    this.#writing = undefined
    if (passage === 'is-lost') return
    const signature = signBatch(this.#key, this.name, this.lane, text)
    const message = { subject: this.lane, text, signature, engineMs: this.#witness.nowMs() }
    const seq = this.#publishedAt(message, going.seq)
    if (seq === undefined) return
    this.#witness.sent(this.name, ids)
    if (passage === 'loses-its-answer') return
    const { last, digest } = head
    this.#writing = { ...going, seq, after: last ?? going.after, prev: last, last, digest, clean: false }
    const { created } = going
    this.store = { ...this.store, acked: { last, reports: 0, streamCreated: created, streamSeq: seq } }
  }

  #publishedAt(message: Omit<StoredMessage, 'seq'>, expected: number): number | undefined {
    try {
      return this.#engine.publish(message, expected)
    } catch (error) {
      if (error instanceof Moved) return undefined
      throw error
    }
  }

  /** Each lane's last message is its mark (FED-26). */
  #join(): boolean {
    const { lastSeq, messages } = this.#engine
    let cursor: ReadPlace = { seq: 0, node: '', last: '' }
    for (const lane of new Set(messages.map(({ subject }) => subject))) {
      const message = this.#engine.lastOn(lane)
      if (message === undefined || lane === this.lane) continue
      const { head } = readBatch(message.text)
      this.#mark(lane, head.last)
      if (message.seq > cursor.seq) cursor = { seq: message.seq, node: head.node, last: stampOf(head) }
    }
    this.store = { ...this.store, cursor }
    this.#nextSeq = cursor.node === '' ? 1 : lastSeq + 1
    this.#witness.joined(this)
    return true
  }

  /** The sequence to read from: behind the cursor, or the beginning where that is in doubt (FED-26). */
  #place(): number {
    const { cursor } = this.store
    if (cursor === undefined || cursor.node === '' || this.#engine.lastSeq < cursor.seq) return 1
    const first = this.#engine.messages.find(({ seq }) => seq >= cursor.seq)
    const head = first && readBatch(first.text).head
    const there = first && head && { seq: first.seq, node: head.node, last: stampOf(head) }
    return decideReading(cursor, there) === 'go-on' ? cursor.seq + 1 : 1
  }

  #take({ seq, subject, text, signature, engineMs }: StoredMessage): void {
    const node = readLane(REALM, subject)?.node ?? ''
    if (node === this.name) return
    const { head, lines } = readBatch(text)
    const key = nodeAt(this.#witness.estate(), node, engineMs)
    if (typeof key === 'string' && verifyBatch(signature, key, subject, text)) {
      const hole = holeBefore(head, this.store.marks.get(subject))
      if (hole !== undefined) {
        this.#witness.tellsHole(node)
        this.store = { ...this.store, holes: withOne(this.store.holes, node, hole) }
      }
      for (const line of lines) this.#apply(subject, node, line)
      this.#mark(subject, head.last)
    }
    this.store = { ...this.store, cursor: { seq, node, last: stampOf(head) } }
  }

  #apply(lane: string, node: string, line: string): void {
    const record = readRecord(line)
    if (record.t !== 'frame' || judge(this.store.marks.get(lane), record.e) === 'repeat') return
    this.#mark(lane, record.e)
    const { id } = JSON.parse(record.frameText)
    // What is retained is found by its id, whatever its place is called now.
    if (this.store.applied.get(node)?.includes(id)) return this.#witness.knewById(node)
    this.#witness.applies(this, node, id)
    this.store = { ...this.store, applied: withOne(this.store.applied, node, id) }
    this.#append(id, node)
  }

  #mark(lane: string, place: string | null): void {
    const at = readEventId(place ?? '')
    if (at === undefined) return
    const epochs = new Map(this.store.marks.get(lane))
    epochs.set(at.epoch, Math.max(at.seq, epochs.get(at.epoch) ?? 0))
    this.store = { ...this.store, marks: new Map(this.store.marks).set(lane, epochs) }
  }

  #digestAt(seq: number): string | undefined {
    const row = this.store.rows.find((one) => one.seq === seq)
    return row && digestOf(row.id)
  }
}

function digestOf(id: string): string {
  return createHash('sha256').update(id).digest('hex')
}

function withOne<T>(
  lists: ReadonlyMap<string, readonly T[]>,
  name: string,
  one: T,
): Map<string, readonly T[]> {
  return new Map(lists).set(name, [...(lists.get(name) ?? []), one])
}
