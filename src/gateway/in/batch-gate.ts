/**
 * What is let in of a batch: the daemon judges it itself, whoever brought it. Signature, documents, bounds, marks; then record
 * by record.
 *
 * @see FED-17, FED-27, FED-28, FED-41, FED-43, FED-45
 */
import type { IngestBatch, IngestItem } from '../../broker/ingest/ingest-batch.ts'
import type { Marks } from '../../broker/origins/origins.ts'
import { AgentdError, type ErrorCode } from '../../core/errors.ts'
import { orRefusal } from '../../core/thrown.ts'
import { readBatch, readHead, verifyBatch, type Batch, type BatchHead } from '../../link/batch.ts'
import { holeBefore } from '../../link/marks.ts'
import { stampOf } from '../../link/reading.ts'
import { readLane } from '../../link/realm.ts'
import type { LinkCursor, RecordsHead } from '../../protocol/http/link-exchange.ts'
import type { HeldEstate } from './held-estate.ts'
import type { RecordGate, RecordVerdict } from './record-gate.ts'

/** What became of a batch at the gate. */
export type BatchVerdict =
  /** The lane waits; nothing is taken and the cursor stands. */
  | { readonly kind: 'stopped'; readonly why: 'unknown-version' | 'unknown-estate' }
  /** It is nobody's word: nothing of it counts, and the reading goes on behind it. */
  | {
      readonly kind: 'refused'
      readonly code: ErrorCode
      readonly records: number
      readonly cursor: LinkCursor
    }
  /** One verdict for each record, and those that are for the broker. */
  | { readonly kind: 'let-in'; readonly verdicts: readonly RecordVerdict[]; readonly batch: IngestBatch }

interface BatchGateParts {
  readonly realm: string
  readonly estate: Pick<HeldEstate, 'authorityEpoch' | 'keyAt'>
  readonly marksOf: (realm: string) => Marks
  readonly records: Pick<RecordGate, 'judge'>
  /** Runs something behind whatever else the loop has to do. */
  readonly defer: (step: () => void) => void
}

/** Records that are judged in one turn of the loop: catching up holds up nobody who speaks here. */
export const MAX_TURN_RECORDS = 64

export class BatchGate {
  readonly #parts: BatchGateParts

  constructor(parts: BatchGateParts) {
    this.#parts = parts
  }

  /** @param body - the batch, octet for octet */
  async judge(head: RecordsHead, body: string): Promise<BatchVerdict> {
    const said = orRefusal(() => readHead(firstLineOf(body)))
    const { authorityEpoch } = this.#parts.estate
    // What revokes a machine comes before whatever that machine still says (FED-43).
    if (!(said instanceof AgentdError) && said.authority_epoch > authorityEpoch)
      return { kind: 'stopped', why: 'unknown-estate' }
    const node = orRefusal(() => this.#requireSigned(head, body))
    const batch = node instanceof AgentdError ? node : orRefusal(() => this.#requireOf(node, body))
    if (batch instanceof AgentdError) {
      if (batch.code === 'version-unsupported') return { kind: 'stopped', why: 'unknown-version' }
      return this.#refuse(batch, head, { body, said })
    }
    return this.#letIn(head, batch, head.joins === true ? [] : await this.#verdictsOf(batch))
  }

  /** @returns the node whose key has signed it @throws AgentdError `sender-identity-mismatch` */
  #requireSigned({ subject, engine_at_ms: engineAtMs, signature }: RecordsHead, body: string): string {
    const { estate, realm } = this.#parts
    const node = readLane(realm, subject)?.node
    if (node === undefined) throw mismatch('This is no lane of the realm', 'subject')
    const key = estate.keyAt(node, engineAtMs)
    if (key instanceof AgentdError) throw key
    if (!verifyBatch(signature, key, subject, body))
      throw mismatch(`The machine "${node}" has not signed this`, 'signature')
    return node
  }

  #requireOf(node: string, body: string): Batch {
    const batch = readBatch(body)
    if (batch.head.node === node) return batch
    throw mismatch(`What stands in a lane is of its machine, "${node}"`, 'node')
  }

  async #verdictsOf({ head: { node, epoch }, lines }: Batch): Promise<readonly RecordVerdict[]> {
    const { defer, records } = this.#parts
    const verdicts: RecordVerdict[] = []
    for (const line of lines) {
      if (verdicts.length > 0 && verdicts.length % MAX_TURN_RECORDS === 0)
        await new Promise<void>((resolve) => defer(resolve))
      verdicts.push(records.judge(line, { node, epoch }))
    }
    return verdicts
  }

  #letIn(head: RecordsHead, { head: said }: Batch, verdicts: readonly RecordVerdict[]): BatchVerdict {
    const { marksOf, realm } = this.#parts
    const { node, epoch, last } = said
    const lane = head.subject
    const hole = head.joins === true ? undefined : holeBefore(said, marksOf(realm).get(lane))
    const items = verdicts.flatMap((verdict): IngestItem[] => ('item' in verdict ? [verdict.item] : []))
    const cursor = { seq: head.stream_seq, node, last: stampOf(said) }
    return {
      kind: 'let-in',
      verdicts,
      batch: { realm, lane, node, epoch, cursor, hole, items, ...(last !== null && { upTo: last }) },
    }
  }

  #refuse(
    { code }: AgentdError,
    { stream_seq: seq, subject }: RecordsHead,
    { body, said }: { readonly body: string; readonly said: BatchHead | AgentdError },
  ): BatchVerdict {
    const isRead = !(said instanceof AgentdError)
    const node = isRead ? said.node : subject.slice(subject.lastIndexOf('.') + 1)
    const cursor = { seq, node, last: isRead ? stampOf(said) : null }
    return { kind: 'refused', code, records: Math.max(1, body.split('\n').length - 1), cursor }
  }
}

function firstLineOf(body: string): string {
  const end = body.indexOf('\n')
  return end === -1 ? body : body.slice(0, end)
}

function mismatch(why: string, field: string): AgentdError {
  return new AgentdError('sender-identity-mismatch', `${why}.`, { field })
}
