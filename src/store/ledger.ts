/**
 * Sessions, mailboxes and receipts, written down beside the ring.
 *
 * A disk that refuses a note does not stop what the note is about: the session is open, the item is handed
 * over. It is logged, and after a restart the last note that was written holds.
 */
import { messageOf } from '../core/thrown.ts'
import { digestOf } from '../broker/ring/digest.ts'
import type { RecipientOutcome } from '../broker/ring/delivery.ts'
import { MAX_DEPARTED_NAMES } from '../broker/kinship/names.ts'
import { isName } from '../protocol/address/name.ts'
import { ownLane } from '../broker/mail/lanes.ts'
import type { Run } from '../broker/mail/runs.ts'
import type {
  Departed,
  Inheritance,
  Ledger,
  MailboxRecord,
  SessionRecord,
  WholeMailbox,
} from '../broker/session/ledger.ts'
import type { Logger } from '../core/log.ts'
import { driverFailure } from './driver/driver.ts'
import { RecentFrames } from './ring/recent-frames.ts'
import { readMail } from './rows/mail-rows.ts'
import type { SqliteRing } from './ring/sqlite-ring.ts'
import type { SessionRow, Statements } from './rows/statements.ts'
import { MAX_RECORD_OCTETS, readSessionRecord } from './session-record.ts'

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
      if (!record.hasMailbox) emptyMailbox(statements, address)
    })
  }

  sessionEnded({ address, name }: Departed, leavesMail: boolean): void {
    this.#note((statements) => {
      statements.endSession.run(address)
      statements.keepName.run(address, name)
      statements.trimNames.run(MAX_DEPARTED_NAMES)
      if (!leavesMail) emptyMailbox(statements, address)
    })
  }

  mailboxSaved(address: string, record: MailboxRecord, taken: readonly Run[]): void {
    this.#note((statements) => {
      for (const { first, last } of taken) statements.take.run(address, first, last)
      statements.dropTakenBefore.run(address, record.from)
      saveMailbox(statements, address, record)
    })
  }

  mailboxMoved(from: string, to: string, { record, taken, own }: WholeMailbox): void {
    this.#note((statements) => {
      for (const address of [from, to]) emptyMailbox(statements, address)
      for (const { lane, priority, first, last } of own) statements.saveRun.run(lane, priority, first, last)
      for (const { first, last } of taken) statements.take.run(to, first, last)
      saveMailbox(statements, to, record)
    })
    this.#ring.file.audiences.lanes.forget()
  }

  mailboxDropped(address: string): void {
    this.#note((statements) => emptyMailbox(statements, address))
    this.#ring.file.audiences.lanes.forget()
  }

  mailSwept(records: ReadonlyMap<string, MailboxRecord>, beforeSeq: number): void {
    this.#note((statements) => {
      for (const [address, record] of records) saveMailbox(statements, address, record)
      statements.sweepLanes.run(beforeSeq)
      statements.sweepTaken.run(beforeSeq)
      statements.sweepForgotten.run(beforeSeq)
    })
    this.#ring.file.audiences.lanes.forget()
  }

  concluded(seqs: readonly number[], address: string, { state, atMs, via }: RecipientOutcome): void {
    this.#note((statements) => {
      for (const seq of seqs) statements.conclude.run(seq, address, state, atMs, via ?? null)
    })
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
    return {
      sessions: this.#readSessions(statements),
      // What is no name was not written by us, and names nobody.
      departed: statements.departed.all().filter(({ name }) => isName(name)),
      ...readMail(statements, this.#log),
      recent: new RecentFrames(this.#ring, nowMs),
    }
  }

  /** A record past its bound is one session less, too: what waits for it is kept for whoever comes back (HD-02). */
  #readSessions(statements: Statements): readonly SessionRecord[] {
    const ended = statements.endOversized.run(MAX_RECORD_OCTETS).changes
    if (ended > 0) this.#log.warn('sessions-oversized', { ended })
    return statements.sessions.all().flatMap((row) => this.#readSession(row))
  }

  /** A damaged note is one session less: its holder gets a 401 and registers again. */
  #readSession({ address, record, digest }: SessionRow): SessionRecord[] {
    if (typeof address !== 'string' || typeof record !== 'string' || digestOf(address, record) !== digest) {
      this.#log.warn('session-damaged')
      return []
    }
    return [readSessionRecord(record, this.#ring.lastSeq)]
  }
}

function saveMailbox(statements: Statements, address: string, record: MailboxRecord): void {
  const { from, lost, cursor, stretches, holes } = record
  statements.saveMailbox.run(address, from, lost, cursor, JSON.stringify(stretches), holes)
}

function emptyMailbox(statements: Statements, address: string): void {
  statements.dropMailbox.run(address)
  statements.dropTaken.run(address)
  statements.dropLane.run(ownLane(address))
}
