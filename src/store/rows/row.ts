/**
 * A frame or an envelope as a row: its columns, its size, and the check that stands over it.
 */
import { digestOf } from '../../broker/ring/digest.ts'
import type { EnvelopeFacts, Origin, Retained } from '../../broker/ring/retained.ts'

/** An id and its place. */
export interface FrameId {
  readonly seq: number
  readonly key: string
}

export interface FrameRow {
  readonly seq: number
  readonly frame_id: string
  readonly digest: string
  readonly kind: string
  readonly sender_handle: string
  readonly tool: string | null
  readonly sender_address: string | null
  readonly scope: string
  readonly accepted_at_ms: number
  readonly expires_at_ms: number
  readonly recipient_count: number
  readonly queued_count: number
  readonly audience: number
  readonly bytes: number
  readonly text: string
  /** {@link EnvelopeFacts} as JSON; null for a frame. */
  readonly envelope: string | null
  readonly corr: string | null
  readonly refutes: string | null
  /** What a result or an error answers; null for all others. */
  readonly answers: string | null
  /** Where it was accepted first, as {@link formatOrigin} writes it; null for here. */
  readonly origin: string | null
  readonly row_check: string
}

/** Whether a row is to be forgotten; what is null matches everything. */
export interface ForgettableKeys {
  readonly seq: number
  readonly key: string | null
  readonly corr: string | null
  readonly senderHandle: string | null
  readonly kind: string | null
  readonly beforeMs: number | null
}

/** What forgetting needs of a row; what is not looked at need not be sound. */
export type ForgettableRow = Pick<FrameRow, 'seq' | 'bytes'>

/** A row's columns one after the other, in the order of `ROW_COLUMNS`: SQLite gives them in half the time. */
export type FrameColumns = readonly [
  seq: number,
  frame_id: string,
  digest: string,
  kind: string,
  sender_handle: string,
  tool: string | null,
  sender_address: string | null,
  scope: string,
  accepted_at_ms: number,
  expires_at_ms: number,
  recipient_count: number,
  queued_count: number,
  audience: number,
  bytes: number,
  text: string,
  row_check: string,
  envelope: string | null,
  corr: string | null,
  refutes: string | null,
  answers: string | null,
  origin: string | null,
]

/** What a filter looks at of a row, one column after the other. */
export type FilteredColumns = readonly [
  seq: number,
  kind: string,
  sender_handle: string,
  tool: string | null,
  scope: string,
]

/** The names put to the columns. */
export function toFrameRow(columns: FrameColumns): FrameRow {
  return {
    seq: columns[0],
    frame_id: columns[1],
    digest: columns[2],
    kind: columns[3],
    sender_handle: columns[4],
    tool: columns[5],
    sender_address: columns[6],
    scope: columns[7],
    accepted_at_ms: columns[8],
    expires_at_ms: columns[9],
    recipient_count: columns[10],
    queued_count: columns[11],
    audience: columns[12],
    bytes: columns[13],
    text: columns[14],
    row_check: columns[15],
    envelope: columns[16],
    corr: columns[17],
    refutes: columns[18],
    answers: columns[19],
    origin: columns[20],
  }
}

/** What a row holds besides its text: the other columns, and where they are. */
const ROW_OVERHEAD_BYTES = 272

/** What the facts of an envelope take besides its names. */
const FACTS_OVERHEAD_BYTES = 192

/** SQLite's page, and how much of a row a leaf takes: whole, or the least of one that goes on elsewhere. */
const PAGE_BYTES = 4_096
const LEAF_BYTES = 4_061
const SPLIT_LEAF_BYTES = 512

/**
 * Bytes a frame is charged with: the share of the pages it takes, since rows do not fill them. Counted by its
 * octets alone a ring would be a third larger on disk than its bound says.
 */
export function bytesOf(retained: Retained): number {
  const names = retained.type === 'envelope' ? factsBytes(retained.envelope) : 0
  const from = retained.origin === undefined ? 0 : formatOrigin(retained.origin).length
  const length = Buffer.byteLength(retained.text) + ROW_OVERHEAD_BYTES + names + from
  if (length <= LEAF_BYTES) return Math.ceil(PAGE_BYTES / Math.floor(LEAF_BYTES / length))
  return SPLIT_LEAF_BYTES + PAGE_BYTES * Math.ceil((length - SPLIT_LEAF_BYTES) / PAGE_BYTES)
}

/** What an envelope's row holds besides: its facts, and of three names a column and its place in an index. */
function factsBytes(facts: EnvelopeFacts): number {
  const { id, corr, refutes = '', replyTo } = facts
  const names = id.length + 2 * (corr.length + refutes.length + (replyTo?.length ?? 0))
  return FACTS_OVERHEAD_BYTES + names + facts.from.length + facts.to.length + facts.intent.length
}

/** A row that is not what was written: a flipped bit, a torn page. Its code is what SQLite says of its own. */
export class DamagedRow extends Error {
  override readonly name = 'DamagedRow'
  readonly code = 'SQLITE_CORRUPT'
}

/** What a row's check is over: every column but the text, for which the digest stands. */
export type CheckedColumns = Omit<FrameRow, 'text' | 'row_check'>

/** The check of a row. A damaged type shows as well, since JSON writes it differently. */
export function checkOf(row: CheckedColumns): string {
  return digestOf(row.scope, JSON.stringify(checkedColumns(row)))
}

/** What was accepted here first has the check it had before there was anything else. */
function checkedColumns(row: CheckedColumns): readonly (string | number | null)[] {
  if (row.origin !== null) return [...allColumns(row), row.origin]
  return isFrame(row) ? frameColumns(row) : allColumns(row)
}

/** A frame's check is what it was before there were envelopes. */
function isFrame({ envelope, corr, refutes, answers }: CheckedColumns): boolean {
  return envelope === null && corr === null && refutes === null && answers === null
}

function allColumns(row: CheckedColumns): readonly (string | number | null)[] {
  return [...frameColumns(row), row.envelope, row.corr, row.refutes, row.answers]
}

/** One array and nothing else: this is done for every frame that is written, and again for every one read. */
function frameColumns(row: CheckedColumns): readonly (string | number | null)[] {
  return [
    row.seq,
    row.frame_id,
    row.digest,
    row.kind,
    row.sender_handle,
    row.tool,
    row.sender_address,
    row.accepted_at_ms,
    row.expires_at_ms,
    row.recipient_count,
    row.queued_count,
    row.audience,
    row.bytes,
  ]
}

/** Whether a row is what was written. */
export function isSound(row: FrameRow): boolean {
  if (typeof row.text !== 'string' || typeof row.scope !== 'string') return false
  return digestOf(row.scope, row.text) === row.digest && checkOf(row) === row.row_check
}

/** A row without its text: enough to know an envelope by, and checked like a whole one. */
type FactsRow = Omit<FrameRow, 'text'>

/** What the daemon had found out about an envelope. @throws DamagedRow when it is not what was written */
export function readFacts(row: FactsRow): EnvelopeFacts {
  if (row.envelope === null || checkOf(row) !== row.row_check) {
    throw new DamagedRow(`row ${row.seq} is damaged`)
  }
  return parseFacts(row.envelope)
}

/** The store's own writing, read back; a check has stood over it. */
export function parseFacts(json: string): EnvelopeFacts {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return JSON.parse(json) as EnvelopeFacts
}

/** As it stands in a column: no realm, node or event id holds a space. */
export function formatOrigin({ realm, node, eventId }: Origin): string {
  return `${realm} ${node} ${eventId}`
}

/** As {@link formatOrigin} wrote it; a check has stood over it. */
export function parseOrigin(text: string): Origin {
  const [realm = '', node = '', eventId = ''] = text.split(' ')
  return { realm, node, eventId }
}
