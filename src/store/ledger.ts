/**
 * Sessions, mailboxes and receipts, written down beside the ring.
 *
 * A disk that refuses a note does not stop what the note is about: the session is open, the item is handed
 * over. It is logged, and after a restart the last note that was written holds.
 */
import type { Outcome } from '../broker/delivery.ts'
import type { Inheritance, Ledger, RememberedFrame, SessionRecord } from '../broker/ledger.ts'
import type { Logger } from '../core/log.ts'
import { parseFrame } from '../protocol/frame.ts'
import { failureOf } from './driver.ts'
import type { SqliteRing } from './sqlite-ring.ts'
import type { RememberedRow } from './statements.ts'

/** Frames looked through for recent ids and open questions at a start. */
const RECENT_FRAMES = 65_536

/** How old a frame's id may be to be remembered, in milliseconds; the window of the dedup. */
const RECENT_MS = 10 * 60_000

export class SqliteLedger implements Ledger {
  readonly #ring: SqliteRing
  readonly #log: Logger

  constructor(ring: SqliteRing, log: Logger) {
    this.#ring = ring
    this.#log = log
  }

  /** Everything the last daemon left. */
  inheritance(nowMs: number): Inheritance {
    const { statements, lastSeq } = this.#ring
    const mailboxes = new Map<string, number[]>()
    for (const { address, seq } of statements.mailboxes.all()) {
      const seqs = mailboxes.get(address)
      if (seqs === undefined) mailboxes.set(address, [seq])
      else seqs.push(seq)
    }
    const recent = [lastSeq - RECENT_FRAMES, nowMs - RECENT_MS] as const
    return {
      sessions: statements.sessions.all().map(readRecord),
      mailboxes,
      remembered: statements.remembered.all(...recent).map(toRemembered),
      queries: statements.queries.all(...recent).flatMap(readQuery),
    }
  }

  sessionSaved(record: SessionRecord): void {
    const { address } = record.facts
    this.#note(() => {
      this.#ring.statements.saveSession.run(address, JSON.stringify(record))
      if (!record.hasMailbox) this.#ring.statements.emptyMailbox.run(address)
    })
  }

  sessionEnded(address: string): void {
    this.#note(() => {
      this.#ring.statements.endSession.run(address)
      this.#ring.statements.emptyMailbox.run(address)
    })
  }

  mailboxMoved(from: string, to: string): void {
    if (from !== to) this.#note(() => this.#ring.statements.moveMailbox.run(to, from))
  }

  mailboxRemoved(address: string, seqs: Iterable<number>): void {
    this.#note(() => {
      for (const seq of seqs) this.#ring.statements.unqueue.run(address, seq)
    })
  }

  concluded(seqs: readonly number[], address: string, { state, atMs, via }: Outcome): void {
    this.#note(() => {
      for (const seq of seqs) this.#ring.statements.conclude.run(seq, address, state, atMs, via ?? null)
    })
  }

  /** One transaction per note. */
  #note(write: () => void): void {
    try {
      this.#ring.transact(write)
    } catch (error) {
      if (failureOf(error) === undefined) throw error
      this.#log.warn('note-lost', { message: error instanceof Error ? error.message : String(error) })
    }
  }
}

function toRemembered(row: RememberedRow): RememberedFrame {
  const { seq, frame_id: frameId, digest, recipient_count: recipientCount, queued_count: queuedCount } = row
  return { frameId, digest, seq, recipientCount, queuedCount }
}

function readRecord(json: string): SessionRecord {
  // The store's own writing, read back.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return JSON.parse(json) as SessionRecord
}

function readQuery(text: string): [string, string][] {
  const frame = parseFrame(JSON.parse(text))
  return frame.kind === 'agent_query' ? [[frame.payload.query_id, frame.payload.response_scope]] : []
}
