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
import { readLane, type LaneAt } from '../../link/realm.ts'
import type { LinkCursor, RecordsHead } from '../../protocol/http/link-exchange.ts'
import type { Allowances } from './allowances.ts'
import type { RecordGate, RecordVerdict } from './record-gate.ts'
import type { RecordRules } from './record-rules.ts'
import type { StandingWaits } from './standing-waits.ts'
import type { Speaker, Voucher } from './voucher.ts'

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
  | {
      readonly kind: 'let-in'
      readonly verdicts: readonly RecordVerdict[]
      readonly batch: IngestBatch
      readonly speaker: Speaker
    }

interface BatchGateParts {
  readonly realm: string
  readonly voucher: Voucher
  readonly rulesFor: (speaker: Speaker, lane: LaneAt) => RecordRules
  readonly waits: StandingWaits
  readonly marksOf: (realm: string) => Marks
  readonly records: Pick<RecordGate, 'judge'>
  readonly allowances: Pick<Allowances, 'of'>
  /** Runs something behind whatever else the loop has to do. */
  readonly defer: (step: () => void) => void
}

/** Records that are judged in one turn of the loop: catching up holds up nobody who speaks here. */
export const MAX_TURN_RECORDS = 64

/** Whose batch it is, and in which lane. */
interface Signed {
  readonly speaker: Speaker
  readonly lane: LaneAt
}

export class BatchGate {
  readonly #parts: BatchGateParts

  constructor(parts: BatchGateParts) {
    this.#parts = parts
  }

  /** @param body - the batch, octet for octet */
  async judge(head: RecordsHead, body: string): Promise<BatchVerdict> {
    const { voucher, waits } = this.#parts
    const said = orRefusal(() => readHead(firstLineOf(body)))
    // What revokes a machine comes before whatever that machine still says (FED-43).
    const isAhead = !(said instanceof AgentdError) && said.authority_epoch > voucher.authorityEpoch
    const found = orRefusal(() => this.#speakerOf(head, body))
    const isAwaited = isAhead || found === 'unknown'
    if (isAwaited && waits.mayWait(head.subject)) return { kind: 'stopped', why: 'unknown-estate' }
    if (!isAwaited) waits.over(head.subject)
    if (found === 'unknown') return this.#refuse(notTold(), head, { body, said })
    const batch = found instanceof AgentdError ? found : orRefusal(() => this.#requireOf(found.lane, body))
    if (batch instanceof AgentdError) {
      if (batch.code === 'version-unsupported') return { kind: 'stopped', why: 'unknown-version' }
      return this.#refuse(batch, head, { body, said })
    }
    if (found instanceof AgentdError) return this.#refuse(found, head, { body, said })
    const verdicts = head.joins === true ? [] : await this.#verdictsOf(batch, found, head)
    return this.#letIn(head, batch, { ...found, verdicts })
  }

  /** @returns whose key has signed it @throws AgentdError `sender-identity-mismatch` */
  #speakerOf(
    { subject, engine_at_ms: engineAtMs, signature }: RecordsHead,
    body: string,
  ): Signed | 'unknown' {
    const { realm, voucher } = this.#parts
    const lane = readLane(realm, subject)
    if (lane === undefined) throw mismatch('This is no lane of the realm', 'subject')
    const speaker = voucher.speakerOf(lane, engineAtMs)
    if (speaker === 'unknown') return 'unknown'
    if (speaker instanceof AgentdError) throw speaker
    if (!verifyBatch(signature, speaker.key, subject, body))
      throw mismatch(`The machine "${speaker.node}" has not signed this`, 'signature')
    return { speaker, lane }
  }

  #requireOf({ node }: LaneAt, body: string): Batch {
    const batch = readBatch(body)
    if (batch.head.node === node) return batch
    throw mismatch(`What stands in a lane is of its machine, "${node}"`, 'node')
  }

  async #verdictsOf(
    { head: { epoch }, lines }: Batch,
    { speaker, lane }: Signed,
    head: RecordsHead,
  ): Promise<readonly RecordVerdict[]> {
    const { allowances, defer, records, rulesFor } = this.#parts
    const { node } = speaker
    const rules = rulesFor(speaker, lane)
    const allowance = allowances.of(speaker, lane, head)
    const judgedBy = { node, epoch, subject: head.subject, org: lane.org, rules, allowance }
    const verdicts: RecordVerdict[] = []
    for (const line of lines) {
      if (verdicts.length > 0 && verdicts.length % MAX_TURN_RECORDS === 0)
        await new Promise<void>((resolve) => defer(resolve))
      verdicts.push(records.judge(line, judgedBy))
    }
    return verdicts
  }

  #letIn(
    head: RecordsHead,
    { head: said }: Batch,
    { speaker, verdicts }: Signed & { readonly verdicts: readonly RecordVerdict[] },
  ): BatchVerdict {
    const { marksOf, realm } = this.#parts
    const { epoch, last } = said
    const { node } = speaker
    const lane = head.subject
    const hole = head.joins === true ? undefined : holeBefore(said, marksOf(realm).get(lane))
    const items = verdicts.flatMap((verdict): IngestItem[] => ('item' in verdict ? [verdict.item] : []))
    const cursor = { seq: head.stream_seq, node: said.node, last: stampOf(said) }
    return {
      kind: 'let-in',
      speaker,
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

function notTold(): AgentdError {
  return mismatch('The member has not told which machines it has', 'subject')
}

function mismatch(why: string, field: string): AgentdError {
  return new AgentdError('sender-identity-mismatch', `${why}.`, { field })
}
