/**
 * Every statement of the store, prepared once.
 *
 * SQLite looks at a limit that is a variable while it plans, and so plans anew whenever it is bound: five times what a look-up
 * costs. A sum it leaves alone.
 */
import type { Conclusion } from '../../broker/ring/delivery.ts'
import type { Departed } from '../../broker/session/ledger.ts'
import { mailStatements } from './mail-statements.ts'
import { originStatements } from './origin-statements.ts'
import type { Preparing } from '../driver/prepared.ts'
import { ENVELOPE_KIND } from '../../broker/ring/retained.ts'
import { PARTY_CLAUSE, REACH_QUERY, type PartyKeys } from './party-query.ts'
import type {
  FilteredColumns,
  ForgettableKeys,
  ForgettableRow,
  FrameColumns,
  FrameId,
  FrameRow,
} from './row.ts'

/** What is written of a frame, in this order; of an envelope {@link ENVELOPE_COLUMNS} besides. */
export const FRAME_COLUMNS = [
  'seq',
  'frame_id',
  'digest',
  'kind',
  'sender_handle',
  'tool',
  'sender_address',
  'scope',
  'accepted_at_ms',
  'expires_at_ms',
  'recipient_count',
  'queued_count',
  'audience',
  'bytes',
  'text',
  'row_check',
] as const

const ENVELOPE_COLUMNS = ['envelope', 'corr', 'refutes', 'answers'] as const

/** And of what another node accepted first. */
const ARRIVED_COLUMNS = [...FRAME_COLUMNS, ...ENVELOPE_COLUMNS, 'origin'] as const

/** Frames one statement inserts; with more of them the call costs as much again as it saves. */
export const ROWS_PER_INSERT = 8

/** A whole row, as `toFrameRow` takes it. */
const ROW_COLUMNS = ARRIVED_COLUMNS.join(', ')

/** What a column takes. */
export type StoredValue = string | number | null

/** The same without what the text is: for what is known of an envelope nobody reads it. */
const FACTS_COLUMNS = ARRIVED_COLUMNS.map((name) => (name === 'text' ? `''` : name)).join(', ')

function insertInto(columns: readonly string[], rows: number): string {
  const row = `(${columns.map(() => '?').join(', ')})`
  return `INSERT INTO frames (${columns.join(', ')}) VALUES ${Array.from({ length: rows }, () => row).join(', ')}`
}

/** Rows of one frame's end at one recipient. */
export interface OutcomeRow {
  readonly seq: number
  readonly address: string
  readonly state: Conclusion
  readonly at_ms: number
  readonly via: string | null
}

/** What the dedup window needs of a row. */
export type RememberedRow = Pick<FrameRow, 'seq' | 'frame_id' | 'digest' | 'recipient_count' | 'queued_count'>

/** A session as it is written down; the digest is of both. */
export interface SessionRow {
  readonly address: string
  readonly record: string
  readonly digest: string
}

/** What is remembered of a runtime's session; the digest is of both. */
export interface HookRow {
  readonly key: string
  readonly state: string
  readonly digest: string
}

/** What trimming needs of a row. */
export type OldRow = Pick<FrameRow, 'seq' | 'bytes' | 'accepted_at_ms'>

/** Rows from the front; null when there are none. */
export interface OldestRows {
  readonly frames: number
  readonly bytes: number | null
  readonly last_seq: number | null
}

/** All of them, by what they do. */
export type Statements = ReturnType<typeof prepareStatements>

/** The statements of the file as it is: a damaged one is replaced, and these with it. */
export interface CurrentStatements {
  readonly statements: Statements
}

/** @throws Error with SQLite's code for a file whose tables are others */
export function prepareStatements(database: Preparing) {
  return {
    begin: database.prepare<[]>('BEGIN IMMEDIATE'),
    commit: database.prepare<[]>('COMMIT'),
    rollback: database.prepare<[]>('ROLLBACK'),
    insertFrame: database.prepare<[readonly StoredValue[]]>(insertInto(FRAME_COLUMNS, 1)),
    insertFrames: database.prepare<[readonly StoredValue[]]>(insertInto(FRAME_COLUMNS, ROWS_PER_INSERT)),
    insertEnvelope: database.prepare<[readonly StoredValue[]]>(
      insertInto([...FRAME_COLUMNS, ...ENVELOPE_COLUMNS], 1),
    ),
    insertArrived: database.prepare<[readonly StoredValue[]]>(insertInto(ARRIVED_COLUMNS, 1)),
    insertAudience: database.prepare<[string, string, number]>(
      'INSERT INTO audiences (emitted_to, queued_to, last_seq) VALUES (?, ?, ?)',
    ),
    extendAudience: database.prepare<[number, number]>('UPDATE audiences SET last_seq = ? WHERE id = ?'),
    after: database
      .prepare<[number, number], FrameColumns>(
        `SELECT ${ROW_COLUMNS} FROM frames WHERE seq > ? ORDER BY seq LIMIT ? + 0`,
      )
      .raw(),
    before: database
      .prepare<[number, number], FrameColumns>(
        `SELECT ${ROW_COLUMNS} FROM frames WHERE seq < ? ORDER BY seq DESC LIMIT ? + 0`,
      )
      .raw(),
    factsBefore: database
      .prepare<[number, number], FilteredColumns>(
        'SELECT seq, kind, sender_handle, tool, scope FROM frames WHERE seq < ? ORDER BY seq DESC LIMIT ? + 0',
      )
      .raw(),
    at: database.prepare<[number], FrameColumns>(`SELECT ${ROW_COLUMNS} FROM frames WHERE seq = ?`).raw(),
    thread: database
      .prepare<[string, number, number], FrameColumns>(
        `SELECT ${FACTS_COLUMNS} FROM frames WHERE corr = ? AND seq > ? ORDER BY seq LIMIT ? + 0`,
      )
      .raw(),
    reach: database.prepare<[string, number, number], number | null>(REACH_QUERY).pluck(),
    party: database
      .prepare<[PartyKeys], FrameColumns>(`SELECT ${FACTS_COLUMNS} FROM frames WHERE ${PARTY_CLAUSE}`)
      .raw(),
    // By the ends of the index: to count a workflow is to go through it.
    threadEnds: database
      .prepare<[{ corr: string }], string | null>(
        `SELECT (SELECT min(seq) FROM frames WHERE corr = @corr) || '-' || (SELECT max(seq) FROM frames WHERE corr = @corr)`,
      )
      .pluck(),
    answers: database
      .prepare<[string, number], FrameColumns>(
        `SELECT ${FACTS_COLUMNS} FROM frames WHERE answers = ? ORDER BY seq LIMIT ? + 0`,
      )
      .raw(),
    refutations: database
      .prepare<[string, number], FrameColumns>(
        `SELECT ${ROW_COLUMNS} FROM frames WHERE refutes = ? ORDER BY seq DESC LIMIT ? + 0`,
      )
      .raw(),
    entities: database
      .prepare<[number], FrameColumns>(
        `SELECT ${FACTS_COLUMNS} FROM frames WHERE seq IN (
         SELECT seq FROM frames INDEXED BY frames_by_corr WHERE corr IS NOT NULL ORDER BY seq DESC LIMIT ? + 0)
        ORDER BY seq DESC`,
      )
      .raw(),
    oldest: database.prepare<[number, number], OldRow>(
      'SELECT seq, bytes, accepted_at_ms FROM frames WHERE seq > ? ORDER BY seq LIMIT ? + 0',
    ),
    countOldest: database.prepare<[number, number], OldestRows>(
      `SELECT count(*) AS frames, sum(bytes) AS bytes, max(seq) AS last_seq
         FROM (SELECT seq, bytes FROM frames WHERE seq <= ? ORDER BY seq LIMIT ? + 0)`,
    ),
    firstSeq: database.prepare<[], number>('SELECT min(seq) FROM frames').pluck(),
    trimFrames: database.prepare<[number]>('DELETE FROM frames WHERE seq <= ?'),
    trimOutcomes: database.prepare<[number]>('DELETE FROM outcomes WHERE seq <= ?'),
    trimAudiences: database.prepare<[number]>('DELETE FROM audiences WHERE last_seq <= ?'),
    forgettable: database.prepare<[ForgettableKeys], ForgettableRow>(
      `SELECT seq, bytes FROM frames
        WHERE seq = @seq AND (@key IS NULL OR frame_id = @key) AND (@corr IS NULL OR corr = @corr)
          AND (@senderHandle IS NULL OR sender_handle = @senderHandle) AND (@kind IS NULL OR kind = @kind)
          AND (@beforeMs IS NULL OR accepted_at_ms < @beforeMs)`,
    ),
    forgetFrame: database.prepare<[number]>('DELETE FROM frames WHERE seq = ?'),
    forgetOutcomes: database.prepare<[number]>('DELETE FROM outcomes WHERE seq = ?'),
    noteForgotten: database.prepare<[number, number]>('INSERT OR REPLACE INTO forgotten VALUES (?, ?)'),
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
    saveSession: database.prepare<[string, string, string]>(
      'INSERT OR REPLACE INTO sessions (address, record, digest) VALUES (?, ?, ?)',
    ),
    endSession: database.prepare<[string]>('DELETE FROM sessions WHERE address = ?'),
    saveHook: database.prepare<[string, string, string]>(
      'INSERT OR REPLACE INTO hooks (key, state, digest) VALUES (?, ?, ?)',
    ),
    dropHook: database.prepare<[string]>('DELETE FROM hooks WHERE key = ?'),
    hooks: database.prepare<[], HookRow>('SELECT key, state, digest FROM hooks'),
    keepName: database.prepare<[string, string]>(
      'INSERT OR REPLACE INTO departed (address, name) VALUES (?, ?)',
    ),
    trimNames: database.prepare<[number]>(
      'DELETE FROM departed WHERE place <= (SELECT max(place) FROM departed) - ?',
    ),
    departed: database.prepare<[], Departed>('SELECT address, name FROM departed ORDER BY place'),
    // Counted without reading what is counted.
    endOversized: database.prepare<[number]>('DELETE FROM sessions WHERE octet_length(record) > ?'),
    // Of envelopes too, which does no harm: no frame has such an id.
    frameIds: database.prepare<[number, number], FrameId>(
      'SELECT seq, frame_id AS key FROM frames WHERE seq > ? ORDER BY seq LIMIT ? + 0',
    ),
    // By the index: however many frames there are, only envelopes are looked through.
    envelopeIds: database.prepare<[], FrameId>(
      'SELECT seq, frame_id AS key FROM frames INDEXED BY frames_by_corr WHERE corr IS NOT NULL',
    ),
    envelopeIdsAfter: database.prepare<[number], FrameId>(
      `SELECT seq, frame_id AS key FROM frames WHERE seq > ? AND kind = '${ENVELOPE_KIND}'`,
    ),
    sessions: database.prepare<[], SessionRow>('SELECT * FROM sessions'),
    ...mailStatements(database),
    ...originStatements(database),
    usedBytes: database
      .prepare<[], number>(
        `SELECT (page_count - freelist_count) * page_size
           FROM pragma_page_count, pragma_freelist_count, pragma_page_size`,
      )
      .pluck(),
    remembered: database.prepare<[number, number, number], RememberedRow>(
      `SELECT seq, frame_id, digest, recipient_count, queued_count FROM frames
        WHERE seq > ? AND seq <= ? AND accepted_at_ms > ? AND corr IS NULL AND origin IS NULL ORDER BY seq`,
    ),
    queries: database.prepare<[number, number, number], FrameRow>(
      `SELECT * FROM frames WHERE seq > ? AND seq <= ? AND accepted_at_ms > ? AND kind = 'agent_query' ORDER BY seq`,
    ),
  }
}
