/**
 * The statements about mailboxes.
 */
import type { Preparing } from '../driver/prepared.ts'

/** A run of places. */
export interface RunRow {
  readonly first_seq: number
  readonly last_seq: number
}

/** One of a lane. */
export interface LaneRow extends RunRow {
  readonly lane: string
  readonly priority: string
}

/** One that a mailbox has taken out of turn. */
export interface TakenRow extends RunRow {
  readonly address: string
}

/** A mailbox; its stretches as JSON. */
export interface MailboxRow {
  readonly address: string
  readonly from_seq: number
  readonly lost: number
  readonly cursor: number
  readonly stretches: string
  /** The number of the first hole that it has not told of. */
  readonly holes: number
}

/** What is written down of mailboxes (HD-03). */
export function mailStatements(database: Preparing) {
  return {
    saveRun: database.prepare<[string, string, number, number]>(
      'INSERT INTO lanes VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET last_seq = excluded.last_seq',
    ),
    saveMailbox: database.prepare<[string, number, number, number, string, number]>(
      'INSERT OR REPLACE INTO mailboxes (address, from_seq, lost, cursor, stretches, holes) VALUES (?, ?, ?, ?, ?, ?)',
    ),
    take: database.prepare<[string, number, number]>(
      'INSERT INTO taken VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET last_seq = max(last_seq, excluded.last_seq)',
    ),
    dropTakenBefore: database.prepare<[string, number]>(
      'DELETE FROM taken WHERE address = ? AND last_seq < ?',
    ),
    dropLane: database.prepare<[string]>('DELETE FROM lanes WHERE lane = ?'),
    dropMailbox: database.prepare<[string]>('DELETE FROM mailboxes WHERE address = ?'),
    dropTaken: database.prepare<[string]>('DELETE FROM taken WHERE address = ?'),
    sweepLanes: database.prepare<[number]>('DELETE FROM lanes WHERE last_seq < ?'),
    sweepTaken: database.prepare<[number]>('DELETE FROM taken WHERE last_seq < ?'),
    sweepForgotten: database.prepare<[number]>('DELETE FROM forgotten WHERE last_seq < ?'),
    lanes: database.prepare<[], LaneRow>('SELECT * FROM lanes ORDER BY lane, priority, first_seq'),
    mailboxes: database.prepare<[], MailboxRow>('SELECT * FROM mailboxes'),
    taken: database.prepare<[], TakenRow>('SELECT * FROM taken ORDER BY address, first_seq'),
    forgotten: database.prepare<[], RunRow>('SELECT * FROM forgotten ORDER BY first_seq'),
  }
}
