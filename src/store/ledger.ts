/**
 * Sessions, mailboxes and receipts, written down beside the ring.
 *
 * A disk that refuses a note does not stop what the note is about: the session is open, the item is handed
 * over. It is logged, and after a restart the last note that was written holds.
 */
import { messageOf } from '../core/thrown.ts'
import { digestOf } from '../broker/submit/dedup.ts'
import type { RecipientOutcome } from '../broker/ring/delivery.ts'
import type { Inheritance, Ledger, MailboxLoss, SessionRecord } from '../broker/session/ledger.ts'
import type { EnvelopeFacts } from '../broker/ring/retained.ts'
import type { Logger } from '../core/log.ts'
import { driverFailure } from './file/driver.ts'
import { RecentFrames } from './ring/recent-frames.ts'
import { readFacts } from './rows/row.ts'
import type { SqliteRing } from './ring/sqlite-ring.ts'
import type { SessionRow, Statements } from './rows/statements.ts'

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

  concluded(seqs: readonly number[], address: string, { state, atMs, via }: RecipientOutcome): void {
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
      if (driverFailure(error) === undefined) throw error
      this.#log.warn('note-lost', { message: messageOf(error) })
    }
  }

  #read(nowMs: number): Inheritance {
    const { statements } = this.#ring.file
    const mailboxes = new Map<string, number[]>()
    for (const { address, seq } of statements.mailboxes.all()) {
      const seqs = mailboxes.get(address)
      if (seqs === undefined) mailboxes.set(address, [seq])
      else seqs.push(seq)
    }
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
      recent: new RecentFrames(this.#ring, nowMs),
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
