/**
 * The own lane, written batch by batch: each names the one it follows, and the next is made when the engine has it.
 *
 * @see FED-18, FED-20
 */
import type { KeyObject } from 'node:crypto'
import type { Clock } from '../core/clock.ts'
import { formatBatch, MAX_BATCH_RECORDS, signBatch, type BatchHead } from '../link/batch.ts'
import type { BatchSize } from '../link/batch-size.ts'
import { sealedEpoch } from '../link/sealing/sealed-line.ts'
import type { Door } from './daemon/door.ts'
import type { Hub } from './hub/hub.ts'
import { requireKept } from './kept.ts'
import type { Outbox, Outgoing } from './outbox.ts'

/** How often the daemon is told how far the lane is, in milliseconds: each time costs as much as a small batch. */
const TELL_MS = 25

/**
 * Records of a batch behind which more are on their way, and how long the next one then waits for them, in milliseconds from when
 * that batch left. A batch costs both bridges, the hub and the daemon there as much as a dozen records do; who speaks one at a
 * time never waits.
 */
export const BUSY_RECORDS = 4
export const GATHER_MS = 5

export interface SendingParts {
  readonly door: Pick<Door, 'post'>
  readonly hub: Pick<Hub, 'isThere' | 'publish'>
  readonly clock: Clock
  readonly lane: string
  readonly node: string
  readonly key: KeyObject
  readonly size: BatchSize
  readonly authorityEpoch: () => number
  /** The engine has a batch. @param seq - its place in the stream */
  readonly onSent: (records: number, seq: number) => void
  /** The daemon could not be told how far the lane is. */
  readonly onFault: (error: unknown) => void
}

/** Where a lane goes on. */
export interface SendingStart {
  /** The sequence of the lane's last message; 0 where it has none. */
  readonly seq: number
  /** The life of the daemon's counter whose records come now. */
  readonly epoch: string
  readonly prev: string | null
  readonly last: string | null
  readonly digest: string | null
  readonly reports: number
  readonly clean: boolean
  readonly streamCreated: string
}

/** A record that the hub would not take, and its code (FED-18). */
interface Unsent {
  readonly e: string
  readonly code: 'envelope-too-large'
}

export class Sending {
  readonly #parts: SendingParts
  readonly #epoch: string
  readonly #streamCreated: string
  #seq: number
  /** What the next batch follows. */
  #prev: string | null
  #last: string | null
  #digest: string | null
  #reports: number
  #clean: boolean
  /** What the daemon has not been told yet of what is not sent. */
  #unsent: Unsent[] = []
  #isTelling = false
  /** Whether the daemon has not been told the newest yet. */
  #hasNews = false

  constructor(parts: SendingParts, start: SendingStart) {
    this.#parts = parts
    this.#epoch = start.epoch
    this.#streamCreated = start.streamCreated
    this.#seq = start.seq
    this.#prev = start.prev
    this.#last = start.last
    this.#digest = start.digest
    this.#reports = start.reports
    this.#clean = start.clean
  }

  /** @throws LaneMoved, HubFault; it ends in no other way */
  async run(outbox: Outbox): Promise<never> {
    const { clock, size } = this.#parts
    for (;;) {
      const items = await outbox.take(size.octets, MAX_BATCH_RECORDS)
      const startMs = clock.monotonicMs()
      await this.#send(items)
      if (items.length < BUSY_RECORDS) continue
      const restMs = GATHER_MS - (clock.monotonicMs() - startMs)
      await outbox.gather(size.octets, MAX_BATCH_RECORDS, clock, restMs)
    }
  }

  /** The record is larger than the hub takes: its sender is told, and the lane goes on without it. */
  leaveOut(e: string): void {
    this.#unsent.push({ e, code: 'envelope-too-large' })
    this.#tell()
  }

  async #send(items: readonly Outgoing[]): Promise<void> {
    const { clock, hub, lane, node, key, size, onSent } = this.#parts
    const head = this.#headOf(items)
    const body = formatBatch(
      head,
      items.map(({ line }) => line),
    )
    const startMs = clock.monotonicMs()
    const taken = hub.publish(lane, body, signBatch(key, node, lane, body), this.#seq)
    this.#seq = await requireKept(taken, { clock, hub })
    size.acknowledged(clock.monotonicMs() - startMs)
    this.#prev = head.last
    this.#last = head.last
    this.#digest = head.digest
    this.#reports = head.reports
    // Only what begins a lane or an epoch can say that nothing is missing before it.
    this.#clean = false
    onSent(items.length, this.#seq)
    this.#tell()
  }

  #headOf(items: readonly Outgoing[]): BatchHead {
    const place = items.findLast((item) => item.place !== undefined)?.place
    return {
      v: 1,
      node: this.#parts.node,
      epoch: this.#epoch,
      prev: items[0]?.prev ?? this.#prev,
      last: place?.e ?? this.#last,
      digest: place?.digest ?? this.#digest,
      clean: this.#clean,
      reports: items.findLast((item) => item.reports !== undefined)?.reports ?? this.#reports,
      sent_at: Math.floor(this.#parts.clock.nowMs()),
      // The key of what is sealed comes with the estate of its epoch.
      authority_epoch: Math.max(this.#parts.authorityEpoch(), ...items.map(({ line }) => sealedEpoch(line))),
    }
  }

  /** The first of a busy while is told at once; nobody waits for the others, and of several only the newest counts. */
  #tell(): void {
    this.#hasNews = true
    if (!this.#isTelling) this.#tellAll().catch(this.#parts.onFault)
  }

  async #tellAll(): Promise<void> {
    this.#isTelling = true
    while (this.#hasNews) {
      this.#hasNews = false
      const unsent = this.#unsent.splice(0)
      await this.#parts.door.post('/v1/link/acknowledged', {
        lane: this.#parts.lane,
        last: this.#last,
        reports: this.#reports,
        stream_created: this.#streamCreated,
        stream_seq: this.#seq,
        ...(unsent.length > 0 && { refused: unsent }),
      })
      await new Promise<void>((resolve) => this.#parts.clock.after(TELL_MS, resolve))
    }
    this.#isTelling = false
  }
}
