/**
 * Sessions, mailboxes and receipts, written down beside the ring.
 *
 * A disk that refuses a note does not stop what the note is about: the session is open, the item is handed
 * over. It is logged, and after a restart the last note that was written holds.
 */
import { digestOf } from '../broker/dedup.ts'
import type { Outcome } from '../broker/delivery.ts'
import type { Inheritance, Ledger, MailboxLoss, RememberedFrame, SessionRecord } from '../broker/ledger.ts'
import type { EnvelopeFacts } from '../broker/ring.ts'
import { frameOf } from '../broker/ring.ts'
import type { Logger } from '../core/log.ts'
import { failureOf } from './driver.ts'
import { StoredItem, readFacts, type FrameRow } from './row.ts'
import type { SqliteRing } from './sqlite-ring.ts'
import type { RememberedRow, SessionRow, Statements } from './statements.ts'

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
    try {
      return this.#read(nowMs)
    } catch (error) {
      // Damage that only shows now: there is nothing left to take over, and a daemon that starts.
      if (!this.#ring.recover(error)) throw error
      return this.#read(nowMs)
    }
  }

  sessionSaved(record: SessionRecord): void {
    const { address } = record.facts
    const json = JSON.stringify(record)
    this.#note((statements) => {
      statements.saveSession.run(address, json, digestOf(address, json))
      if (!record.hasMailbox) this.#emptyMailbox(statements, address)
    })
  }

  sessionEnded(address: string, leavesMail: boolean): void {
    this.#note((statements) => {
      statements.endSession.run(address)
      if (!leavesMail) this.#emptyMailbox(statements, address)
    })
  }

  mailboxMoved(from: string, to: string): void {
    if (from === to) return
    this.#note((statements) => {
      statements.moveMailbox.run(to, from)
      statements.moveLosses.run(to, from)
      statements.forgetLosses.run(from)
    })
  }

  mailboxRemoved(address: string, seqs: Iterable<number>): void {
    this.#note((statements) => {
      for (const seq of seqs) statements.unqueue.run(address, seq)
    })
  }

  lossTold(address: string): void {
    this.#note((statements) => statements.forgetLosses.run(address))
  }

  concluded(seqs: readonly number[], address: string, { state, atMs, via }: Outcome): void {
    this.#note((statements) => {
      for (const seq of seqs) statements.conclude.run(seq, address, state, atMs, via ?? null)
    })
  }

  #emptyMailbox(statements: Statements, address: string): void {
    statements.emptyMailbox.run(address)
    statements.forgetLosses.run(address)
  }

  /** One transaction per note. */
  #note(write: (statements: Statements) => void): void {
    const { file } = this.#ring
    try {
      file.transact(() => write(file.statements))
    } catch (error) {
      if (failureOf(error) === undefined) throw error
      this.#log.warn('note-lost', { message: error instanceof Error ? error.message : String(error) })
    }
  }

  #read(nowMs: number): Inheritance {
    const { file, lastSeq } = this.#ring
    const { statements } = file
    const mailboxes = new Map<string, number[]>()
    for (const { address, seq } of statements.mailboxes.all()) {
      const seqs = mailboxes.get(address)
      if (seqs === undefined) mailboxes.set(address, [seq])
      else seqs.push(seq)
    }
    const recent = [lastSeq - RECENT_FRAMES, nowMs - RECENT_MS] as const
    return {
      sessions: statements.sessions.all().flatMap((row) => this.#readSession(row)),
      mailboxes,
      losses: new Map(
        statements.losses
          .all()
          .map(({ address, lost, before_seq }): [string, MailboxLoss] => [
            address,
            { lost, beforeSeq: before_seq },
          ]),
      ),
      priorities: new Map(
        statements.waitingEnvelopes
          .all()
          .map((row): [number, EnvelopeFacts['effectivePriority']] => [
            row.seq,
            readFacts(row).effectivePriority,
          ]),
      ),
      remembered: statements.remembered.all(...recent).map(toRemembered),
      queries: statements.queries.all(...recent).flatMap(readQuery),
    }
  }

  /** A damaged note is one session less: its holder gets a 401 and registers again. */
  #readSession({ address, record, digest }: SessionRow): SessionRecord[] {
    if (typeof address !== 'string' || typeof record !== 'string' || digestOf(address, record) !== digest) {
      this.#log.warn('session-damaged')
      return []
    }
    // The store's own writing, read back.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    return [JSON.parse(record) as SessionRecord]
  }
}

function toRemembered(row: RememberedRow): RememberedFrame {
  const { seq, frame_id: frameId, digest, recipient_count: recipientCount, queued_count: queuedCount } = row
  return { frameId, digest, seq, recipientCount, queuedCount }
}

/** @throws DamagedRow */
function readQuery(row: FrameRow): [string, string][] {
  const frame = frameOf(new StoredItem(row, noDelivery))
  return frame.kind === 'agent_query' ? [[frame.payload.query_id, frame.payload.response_scope]] : []
}

function noDelivery(): never {
  throw new TypeError('the receipts of a frame that is only looked into')
}
