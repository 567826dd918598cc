/**
 * The statements about where frames came from.
 */
import { MAX_WALL_MS } from '../../core/clock.ts'
import { digestOf } from '../../broker/ring/digest.ts'
import type { Preparing } from '../driver/prepared.ts'

/** A mark of one epoch of a lane. */
export interface MarkRow {
  readonly realm: string
  readonly lane: string
  readonly epoch: string
  readonly seq: number
  readonly row_check: string
}

/** How far a realm's stream has been read. */
export interface CursorRow {
  readonly realm: string
  readonly seq: number
  readonly node: string
  readonly last: string | null
  readonly row_check: string
}

/** What the hub has of our own lane. */
export interface AckRow {
  readonly realm: string
  readonly last: string | null
  readonly reports: number
  readonly stream_created: string
  readonly stream_seq: number
  readonly row_check: string
}

/** Reports of one turn about one node's frames; their items as JSON. */
export interface ReportRow {
  readonly n: number
  readonly node: string
  readonly count: number
  readonly items: string
}

/** What another node reported of a frame of ours. */
export interface RemoteReceiptRow {
  readonly seq: number
  readonly node: string
  readonly address: string
  readonly state: (typeof REMOTE_STATES)[number]
  readonly at_ms: number
  readonly detail: string | null
}

/** A part of a lane that nobody has any more. */
export interface HoleRow {
  readonly n: number
  readonly after_seq: number
  readonly realm: string
  readonly lane: string
  readonly node: string
  readonly missing_from: string | null
  readonly missing_to: string
}

/** What a row of {@link RemoteReceiptRow} may say. */
export const REMOTE_STATES = ['emitted', 'queued', 'handed', 'seen', 'expired', 'refused', 'dropped'] as const

/** What stands over the other columns of a row, in their order. */
export function checkOfColumns(columns: readonly (string | number | null)[]): string {
  return digestOf('origins', JSON.stringify(columns))
}

/** What is written of origins (FED-05). */
export function originStatements(database: Preparing) {
  return {
    ...markStatements(database),
    ...reportStatements(database),
    holes: database.prepare<[], HoleRow>('SELECT * FROM holes ORDER BY n'),
    lastHole: lastOf(database, 'holes'),
    addHole: database.prepare<[number, number, string, string, string, string | null, string]>(
      'INSERT INTO holes VALUES (?, ?, ?, ?, ?, ?, ?)',
    ),
    widenHole: database.prepare<[string | null, number]>('UPDATE holes SET missing_from = ? WHERE n = ?'),
    dropHole: database.prepare<[number]>('DELETE FROM holes WHERE n = ?'),
  }
}

function markStatements(database: Preparing) {
  return {
    marks: database.prepare<[], MarkRow>(
      'SELECT realm, lane, epoch, seq, row_check FROM marks ORDER BY place',
    ),
    saveMark: database.prepare<[string, string, string, number, string]>(
      `INSERT INTO marks (realm, lane, epoch, seq, row_check) VALUES (?, ?, ?, ?, ?)
         ON CONFLICT (realm, lane, epoch) DO UPDATE SET seq = excluded.seq, row_check = excluded.row_check`,
    ),
    dropMark: database.prepare<[string, string, string]>(
      'DELETE FROM marks WHERE realm = ? AND lane = ? AND epoch = ?',
    ),
    dropMarks: database.prepare<[string]>('DELETE FROM marks WHERE realm = ?'),
    cursors: database.prepare<[], CursorRow>('SELECT * FROM link_cursors'),
    saveCursor: database.prepare<[string, number, string, string | null, string]>(
      'INSERT OR REPLACE INTO link_cursors VALUES (?, ?, ?, ?, ?)',
    ),
    dropCursors: dropOf(database, 'link_cursors'),
    acks: database.prepare<[], AckRow>('SELECT * FROM link_acks'),
    saveAck: database.prepare<[string, string | null, number, string, number, string]>(
      'INSERT OR REPLACE INTO link_acks VALUES (?, ?, ?, ?, ?, ?)',
    ),
    dropAcks: dropOf(database, 'link_acks'),
  }
}

function reportStatements(database: Preparing) {
  return {
    addReports: database.prepare<[number, string, string, number, string]>(
      'INSERT INTO reports (n, realm, node, count, items) VALUES (?, ?, ?, ?, ?)',
    ),
    reportsAfter: database.prepare<[string, number, number], ReportRow>(
      'SELECT n, node, count, items FROM reports WHERE realm = ? AND n > ? ORDER BY n LIMIT ? + 0',
    ),
    reportsWaiting: database.prepare<[], { realm: string; waiting: number }>(
      'SELECT realm, sum(count) AS waiting FROM reports GROUP BY realm',
    ),
    lastReport: lastOf(database, 'reports'),
    dropReports: database.prepare<[string, number]>('DELETE FROM reports WHERE realm = ? AND n <= ?'),
    dropAllReports: dropOf(database, 'reports'),
    remoteReceipts: database.prepare<[number], RemoteReceiptRow>(
      'SELECT * FROM remote_receipts WHERE seq = ?',
    ),
    saveRemoteReceipt: database.prepare<[number, string, string, string, number, string | null]>(
      // As `isFurther` has it: an end stays, and nothing older counts; and what is no receipt gives way to one.
      `INSERT INTO remote_receipts VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE
         SET state = excluded.state, at_ms = excluded.at_ms, detail = excluded.detail
         WHERE (excluded.at_ms >= at_ms AND state NOT IN ('seen', 'expired', 'dropped', 'refused'))
           OR typeof(at_ms) != 'integer' OR at_ms NOT BETWEEN 0 AND ${MAX_WALL_MS}
           OR typeof(detail) NOT IN ('text', 'null')
           OR state NOT IN (${REMOTE_STATES.map((state) => `'${state}'`).join(', ')})`,
    ),
    // Whom something named when it was accepted, in the place of a node that has no name: it goes with the receipts.
    saveNamed: database.prepare<[number, number, string]>(
      "INSERT INTO remote_receipts VALUES (?, '', '', 'remote-waiting', ?, ?)",
    ),
    trimRemoteReceipts: database.prepare<[number]>('DELETE FROM remote_receipts WHERE seq <= ?'),
    forgetRemoteReceipts: database.prepare<[number]>('DELETE FROM remote_receipts WHERE seq = ?'),
  }
}

/** Deletes what is kept of a realm, under whichever of its stream keys; the realm is said three times. */
function dropOf(database: Preparing, table: 'link_cursors' | 'link_acks' | 'reports') {
  return database.prepare<[string, string, string]>(
    `DELETE FROM ${table} WHERE realm = ? OR substr(realm, 1, length(?) + 1) = ? || ' '`,
  )
}

/** The greatest number that a table has ever given. */
function lastOf(database: Preparing, table: 'reports' | 'holes') {
  return database.prepare<[], number>(`SELECT seq FROM sqlite_sequence WHERE name = '${table}'`).pluck()
}
