/**
 * Every statement of the store, prepared once.
 */
import type BetterSqlite3 from 'better-sqlite3'
import type { FrameRow } from './row.ts'

/** Rows of one frame's end at one recipient. */
export interface OutcomeRow {
  readonly seq: number
  readonly address: string
  readonly state: 'seen' | 'expired'
  readonly at_ms: number
  readonly via: string | null
}

/** What the dedup window needs of a row. */
export type RememberedRow = Pick<FrameRow, 'seq' | 'frame_id' | 'digest' | 'recipient_count' | 'queued_count'>

type Prepared<Bound extends unknown[], Row = unknown> = BetterSqlite3.Statement<Bound, Row>

/** All of them, by what they do. */
export interface Statements {
  readonly begin: Prepared<[]>
  readonly commit: Prepared<[]>
  readonly rollback: Prepared<[]>
  readonly insertFrame: Prepared<(string | number | null)[]>
  readonly insertAudience: Prepared<[string, string]>
  readonly queue: Prepared<[string, number]>
  readonly after: Prepared<[number, number], FrameRow>
  readonly before: Prepared<[number, number], FrameRow>
  readonly at: Prepared<[number], FrameRow>
  readonly byFrameId: Prepared<[string], FrameRow>
  readonly oldest: Prepared<[number], { seq: number; bytes: number; accepted_at_ms: number }>
  readonly firstSeq: Prepared<[], number>
  readonly trimFrames: Prepared<[number]>
  readonly trimOutcomes: Prepared<[number]>
  readonly trimMailboxes: Prepared<[number]>
  readonly forgetFrame: Prepared<[number]>
  readonly forgetOutcomes: Prepared<[number]>
  readonly forgetQueued: Prepared<[number]>
  readonly setLastSeq: Prepared<[number]>
  readonly end: Prepared<[number, number, number]>
  readonly audience: Prepared<[number], { emitted_to: string; queued_to: string }>
  readonly outcomes: Prepared<[number], OutcomeRow>
  readonly conclude: Prepared<[number, string, string, number, string | null]>
  readonly saveSession: Prepared<[string, string]>
  readonly endSession: Prepared<[string]>
  readonly emptyMailbox: Prepared<[string]>
  readonly unqueue: Prepared<[string, number]>
  readonly moveMailbox: Prepared<[string, string]>
  readonly sessions: Prepared<[], string>
  readonly mailboxes: Prepared<[], { address: string; seq: number }>
  readonly remembered: Prepared<[number, number], RememberedRow>
  readonly queries: Prepared<[number, number], string>
}

export function prepareStatements(database: BetterSqlite3.Database): Statements {
  return {
    begin: database.prepare<[]>('BEGIN IMMEDIATE'),
    commit: database.prepare<[]>('COMMIT'),
    rollback: database.prepare<[]>('ROLLBACK'),
    insertFrame: database.prepare<(string | number | null)[]>(
      `INSERT INTO frames (seq, frame_id, digest, kind, sender_handle, tool, sender_address, scope, accepted_at_ms,
        expires_at_ms, recipient_count, queued_count, audience, bytes, text)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    insertAudience: database.prepare<[string, string]>(
      'INSERT INTO audiences (emitted_to, queued_to) VALUES (?, ?)',
    ),
    queue: database.prepare<[string, number]>('INSERT OR IGNORE INTO mailboxes (address, seq) VALUES (?, ?)'),
    after: database.prepare<[number, number], FrameRow>(
      'SELECT * FROM frames WHERE seq > ? ORDER BY seq LIMIT ?',
    ),
    before: database.prepare<[number, number], FrameRow>(
      'SELECT * FROM frames WHERE seq < ? ORDER BY seq DESC LIMIT ?',
    ),
    at: database.prepare<[number], FrameRow>('SELECT * FROM frames WHERE seq = ?'),
    byFrameId: database.prepare<[string], FrameRow>(
      'SELECT * FROM frames WHERE frame_id = ? ORDER BY seq DESC LIMIT 1',
    ),
    oldest: database.prepare<[number], { seq: number; bytes: number; accepted_at_ms: number }>(
      'SELECT seq, bytes, accepted_at_ms FROM frames ORDER BY seq LIMIT ?',
    ),
    firstSeq: database.prepare<[], number>('SELECT min(seq) FROM frames').pluck(),
    trimFrames: database.prepare<[number]>('DELETE FROM frames WHERE seq <= ?'),
    trimOutcomes: database.prepare<[number]>('DELETE FROM outcomes WHERE seq <= ?'),
    trimMailboxes: database.prepare<[number]>('DELETE FROM mailboxes WHERE seq <= ?'),
    forgetFrame: database.prepare<[number]>('DELETE FROM frames WHERE seq = ?'),
    forgetOutcomes: database.prepare<[number]>('DELETE FROM outcomes WHERE seq = ?'),
    forgetQueued: database.prepare<[number]>('DELETE FROM mailboxes WHERE seq = ?'),
    setLastSeq: database.prepare<[number]>('UPDATE meta SET last_seq = ?'),
    end: database.prepare<[number, number, number]>(
      'UPDATE meta SET is_clean = 1, last_seq = ?, frames = ?, bytes = ?',
    ),
    audience: database.prepare<[number], { emitted_to: string; queued_to: string }>(
      'SELECT emitted_to, queued_to FROM audiences WHERE id = ?',
    ),
    outcomes: database.prepare<[number], OutcomeRow>('SELECT * FROM outcomes WHERE seq = ?'),
    conclude: database.prepare<[number, string, string, number, string | null]>(
      'INSERT OR IGNORE INTO outcomes (seq, address, state, at_ms, via) VALUES (?, ?, ?, ?, ?)',
    ),
    saveSession: database.prepare<[string, string]>(
      'INSERT OR REPLACE INTO sessions (address, record) VALUES (?, ?)',
    ),
    endSession: database.prepare<[string]>('DELETE FROM sessions WHERE address = ?'),
    emptyMailbox: database.prepare<[string]>('DELETE FROM mailboxes WHERE address = ?'),
    unqueue: database.prepare<[string, number]>('DELETE FROM mailboxes WHERE address = ? AND seq = ?'),
    moveMailbox: database.prepare<[string, string]>(
      'UPDATE OR REPLACE mailboxes SET address = ? WHERE address = ?',
    ),
    sessions: database.prepare<[], string>('SELECT record FROM sessions').pluck(),
    mailboxes: database.prepare<[], { address: string; seq: number }>(
      'SELECT * FROM mailboxes ORDER BY address, seq',
    ),
    remembered: database.prepare<[number, number], RememberedRow>(
      `SELECT seq, frame_id, digest, recipient_count, queued_count FROM frames
        WHERE seq > ? AND accepted_at_ms > ? ORDER BY seq`,
    ),
    queries: database
      .prepare<[number, number], string>(
        `SELECT text FROM frames WHERE seq > ? AND accepted_at_ms > ? AND kind = 'agent_query' ORDER BY seq`,
      )
      .pluck(),
  }
}
