/**
 * Writing a turn's frames: one row each, several rows with one statement.
 */
import { digestOf } from '../../broker/ring/digest.ts'
import { answeredBy, type EnvelopeFacts, type Retained } from '../../broker/ring/retained.ts'
import { bytesOf, checkOf, formatOrigin, type CheckedColumns } from '../rows/row.ts'
import { FRAME_COLUMNS, ROWS_PER_INSERT, type StoredValue, type Statements } from '../rows/statements.ts'
import type { StoreFile } from '../file/store-file.ts'
import type { Totals } from '../file/totals.ts'

/** What the row of those that a frame names elsewhere takes besides its text. */
const NAMED_ROW_BYTES = 48

/** Inserts a turn's frames from a place on, with what waits for whom. @returns what they come to */
export function writeFrames(
  { statements, audiences }: Pick<StoreFile, 'statements' | 'audiences'>,
  batch: readonly Retained[],
  lastSeq: number,
): Totals {
  const rows = new RowWriter(statements)
  let seq = lastSeq
  let bytes = 0
  for (const frame of batch) {
    seq += 1
    const { id, writtenBytes } = audiences.rowOf(frame.delivery, seq)
    const named = namedText(frame)
    const namedBytes = named === undefined ? 0 : named.length + NAMED_ROW_BYTES
    const row = toRow(frame, { seq, audience: id, bytes: bytesOf(frame) + writtenBytes + namedBytes })
    bytes += row.bytes
    if (named !== undefined) statements.saveNamed.run(seq, frame.acceptedAtMs, named)
    if (row.origin !== null) rows.addArrived(row, frame.text)
    else if (row.envelope === null) rows.addFrame(row, frame.text)
    else rows.addEnvelope(row, frame.text)
    audiences.lanes.put(frame, seq)
  }
  rows.flush()
  audiences.lanes.flush()
  return { frames: batch.length, bytes }
}

/** Gathers frames until there are enough for one statement: what a call costs is shared by them. */
class RowWriter {
  readonly #statements: Statements
  #values: StoredValue[] = []

  constructor(statements: Statements) {
    this.#statements = statements
  }

  addFrame(row: CheckedColumns, text: string): void {
    this.#values.push(...valuesOf(row, text))
    if (this.#values.length < ROWS_PER_INSERT * FRAME_COLUMNS.length) return
    this.#statements.insertFrames.run(this.#values)
    this.#values = []
  }

  /** They go alone, and behind what came before them: a table grows at its end. */
  addEnvelope(row: CheckedColumns, text: string): void {
    this.flush()
    const { envelope, corr, refutes, answers } = row
    this.#statements.insertEnvelope.run([...valuesOf(row, text), envelope, corr, refutes, answers])
  }

  /** As an envelope, with where it came from. */
  addArrived(row: CheckedColumns, text: string): void {
    this.flush()
    const { envelope, corr, refutes, answers, origin } = row
    this.#statements.insertArrived.run([...valuesOf(row, text), envelope, corr, refutes, answers, origin])
  }

  flush(): void {
    const width = FRAME_COLUMNS.length
    for (let i = 0; i < this.#values.length; i += width)
      this.#statements.insertFrame.run(this.#values.slice(i, i + width))
    this.#values = []
  }
}

/** Undefined where it names nobody elsewhere. */
function namedText({ delivery: { named } }: Retained): string | undefined {
  if (named === undefined || named.nodes.length + named.away.length === 0) return undefined
  return JSON.stringify(named)
}

function toRow(frame: Retained, at: Pick<CheckedColumns, 'seq' | 'audience' | 'bytes'>): CheckedColumns {
  const { envelope, corr, refutes, answers } =
    frame.type === 'envelope' ? factsColumns(frame.envelope) : NO_FACTS
  return {
    seq: at.seq,
    frame_id: frame.key,
    digest: digestOf(frame.scopeText, frame.text),
    kind: frame.kind,
    sender_handle: frame.senderHandle,
    tool: frame.tool ?? null,
    sender_address: frame.senderAddress ?? null,
    scope: frame.scopeText,
    accepted_at_ms: frame.acceptedAtMs,
    expires_at_ms: frame.expiresAtMs,
    recipient_count: frame.delivery.recipientCount,
    queued_count: frame.delivery.queuedCount,
    audience: at.audience,
    bytes: at.bytes,
    envelope,
    corr,
    refutes,
    answers,
    origin: frame.origin === undefined ? null : formatOrigin(frame.origin),
  }
}

type FactsColumns = Pick<CheckedColumns, 'envelope' | 'corr' | 'refutes' | 'answers'>

const NO_FACTS: FactsColumns = { envelope: null, corr: null, refutes: null, answers: null }

/** What the daemon knows of an envelope, and the three of it that are looked up. */
function factsColumns(facts: EnvelopeFacts): FactsColumns {
  return {
    envelope: JSON.stringify(facts),
    corr: facts.corr,
    refutes: facts.refutes ?? null,
    answers: answeredBy(facts) ?? null,
  }
}

/** In the order of {@link FRAME_COLUMNS}. */
function valuesOf(row: CheckedColumns, text: string): StoredValue[] {
  return [
    row.seq,
    row.frame_id,
    row.digest,
    row.kind,
    row.sender_handle,
    row.tool,
    row.sender_address,
    row.scope,
    row.accepted_at_ms,
    row.expires_at_ms,
    row.recipient_count,
    row.queued_count,
    row.audience,
    row.bytes,
    text,
    checkOf(row),
  ]
}
