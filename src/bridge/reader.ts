/**
 * In: from the lanes of the others under one filter to the daemon, batch by batch and one after the other, from the daemon's own cursor.
 * Whatever does not look as it was left is read from the beginning; the daemon's marks drop what it knows.
 *
 * @see FED-25, FED-26
 */
import { listMember, textMember, type JsonObject } from '../core/text/json-object.ts'
import { unlessRefused } from '../core/thrown.ts'
import { readHead } from '../link/batch.ts'
import { decideReading, stampOf } from '../link/reading.ts'
import { isLaneOf, ownNode, type NodeAt } from '../link/realm.ts'
import { DaemonAway, DaemonRefusal } from './daemon/faults.ts'
import type { Reading } from './hub/hub.ts'
import type { HubMessage } from './hub/message.ts'
import { readLinkState, type Cursor } from './daemon/link-state.ts'
import type { RoundParts } from './round-parts.ts'

/** Records that are taken ahead of the daemon's answers (FED-25). */
const MAX_AHEAD = 1_024

/** Messages of one pull: at least as many as hold that many records when each is full, and not more than a few hundred. */
const MIN_PULL = 4
const MAX_PULL = 256

/** How long a batch waits for the estate that it names, before its lane is passed over. */
const ESTATE_MS = 5_000

/** What stands beside a batch when it is handed over. */
type Flags = { readonly joins?: true; readonly holds_cursor?: true }

export class Reader {
  readonly #parts: RoundParts
  readonly #filter: string
  readonly #own: NodeAt
  /** Lanes that are not read further in this reading, and whether an estate may change that. */
  readonly #passedOver = new Map<string, { readonly why: string; readonly estates: number }>()
  #pull = MIN_PULL

  /** @param filter - one of those that the daemon names */
  constructor(parts: RoundParts, filter: string) {
    this.#parts = parts
    this.#filter = filter
    this.#own = ownNode(parts.link)
  }

  /** @throws HubFault, DaemonAway, DaemonRefusal; it ends in no other way */
  async run(): Promise<never> {
    for (;;) {
      this.#passedOver.clear()
      const { filters } = await readLinkState(this.#parts.door)
      const own = filters.find(({ filter }) => filter === this.#filter)
      if (own === undefined) throw new DaemonAway('This machine reads others now.')
      const { cursor } = own
      await this.#follow(cursor === undefined ? { atSeq: await this.#join() } : await this.#placeAt(cursor))
    }
  }

  /**
   * What each lane said last is where this node begins (FED-26).
   *
   * @returns the sequence to read from
   */
  async #join(): Promise<number> {
    const { messages } = await this.#parts.hub.stream()
    let [lanes, seq] = [0, 0]
    if (messages > 0) {
      const reading = await this.#parts.hub.read(this.#filter, 'last-of-each-lane')
      for await (const message of untilCaughtUp(reading)) {
        seq = message.seq
        if (this.#isOwn(message)) continue
        await this.#post(message, { joins: true })
        lanes += 1
      }
      await reading.close()
    }
    if (lanes > 0) return seq + 1
    // Nothing of anybody else is older than this: whatever comes is read, also from a hub that begins anew.
    await this.#post(NOTHING, { joins: true })
    return BEGINNING.atSeq
  }

  /** Where the cursor is, with the message that has to be there; or the beginning, where the stream ends before it. */
  async #placeAt(cursor: Cursor): Promise<Place> {
    const { lastSeq } = await this.#parts.hub.stream()
    if (cursor.node === '' || lastSeq < cursor.seq) return BEGINNING
    return { atSeq: cursor.seq, wanted: cursor }
  }

  /** Reads on until an estate has come that a lane waits for. */
  async #follow({ atSeq, wanted }: Place): Promise<void> {
    const { hub, condition } = this.#parts
    const reading = await hub.read(this.#filter, { atSeq })
    try {
      condition.ready(this.#filter)
      let isFirst = wanted !== undefined
      while (!this.#mayGoBack()) {
        let records = 0
        for await (const message of reading.pull(this.#pull)) {
          if (isFirst && wanted !== undefined) {
            isFirst = false
            if (isOtherThan(wanted, message)) return await this.#follow(BEGINNING)
            continue
          }
          records = Math.max(records, await this.#take(message))
        }
        this.#pull = Math.min(MAX_PULL, Math.max(MIN_PULL, Math.floor(MAX_AHEAD / Math.max(1, records))))
      }
    } finally {
      await reading.close()
    }
  }

  /** @returns how many records it had */
  async #take(message: HubMessage): Promise<number> {
    const isRead = !this.#isOwn(message) && !this.#passedOver.has(message.subject)
    const records = isRead ? listMember(await this.#takeWithEstate(message), 'answers').length : 0
    this.#parts.condition.received(this.#filter, records, message)
    return records
  }

  /** A batch that names a newer estate than the daemon has is handed over again when that has come (FED-43). */
  async #takeWithEstate(message: HubMessage): Promise<JsonObject> {
    const known = this.#parts.bucket.estates
    const answer = await this.#post(message, this.#flags())
    if (textMember(answer, 'stopped') !== 'unknown-estate') return this.#noteStop(message, answer)
    await this.#parts.bucket.newerEstate(known, ESTATE_MS)
    return this.#noteStop(message, await this.#post(message, this.#flags()))
  }

  #noteStop({ subject }: HubMessage, answer: JsonObject): JsonObject {
    const stopped = textMember(answer, 'stopped')
    if (stopped === 'unknown-version' || stopped === 'unknown-estate') {
      this.#passedOver.set(subject, { why: stopped, estates: this.#parts.bucket.estates })
    }
    return answer
  }

  /** A lane that was passed over is read again from where it stopped: what comes behind it leaves the cursor there. */
  #flags(): Flags {
    return this.#passedOver.size === 0 ? {} : { holds_cursor: true }
  }

  /** Whether an estate has come since a lane was passed over for want of one. */
  #mayGoBack(): boolean {
    const { estates: known } = this.#parts.bucket
    return [...this.#passedOver.values()].some(
      ({ why, estates }) => why === 'unknown-estate' && known > estates,
    )
  }

  #isOwn({ subject }: HubMessage): boolean {
    return isLaneOf(this.#parts.link.realm, subject, this.#own)
  }

  async #post(message: Omit<HubMessage, 'pending'>, flags: Flags): Promise<JsonObject> {
    const { subject, seq, engineAtMs, signature, text } = message
    const head = {
      subject,
      stream_seq: seq,
      engine_at_ms: engineAtMs,
      signature,
      filter: this.#filter,
      ...flags,
    }
    const lines = text === '' ? JSON.stringify(head) : `${JSON.stringify(head)}\n${text}`
    try {
      return await this.#parts.door.postLines('/v1/link/records', lines)
    } catch (error) {
      // What is no batch at all, or over every bound, is nobody's frame: it stops nothing (FED-29).
      if (!(error instanceof DaemonRefusal) || !ABOUT_THE_BATCH.has(error.code)) throw error
      return {}
    }
  }
}

/** Codes that a batch is refused with for what it is, and not for who brings it. */
const ABOUT_THE_BATCH: ReadonlySet<string> = new Set([
  'field-invalid',
  'field-missing',
  'frame-too-large',
  'envelope-too-large',
])

const NOTHING = { subject: '', seq: 0, engineAtMs: 0, signature: '', text: '' }

/** Where a reading begins, and what has to be there. */
interface Place {
  readonly atSeq: number
  readonly wanted?: Cursor
}

const BEGINNING: Place = { atSeq: 1 }

/** What has been said so far, and no more. */
async function* untilCaughtUp(reading: Reading): AsyncGenerator<HubMessage, void, undefined> {
  // A filter may have nothing in a stream that has much.
  if ((await reading.waiting()) === 0) return
  for (;;) {
    for await (const message of reading.pull(MAX_PULL)) {
      yield message
      if (message.pending === 0) return
    }
  }
}

/** Whether the message is another one than the cursor was left at. */
function isOtherThan(wanted: Cursor, { seq, text }: HubMessage): boolean {
  const head = unlessRefused(() => readHead(text.split('\n', 1)[0] ?? ''))
  return (
    head === undefined || decideReading(wanted, { seq, node: head.node, last: stampOf(head) }) !== 'go-on'
  )
}
