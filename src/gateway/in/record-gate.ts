/**
 * What a record has to be before the broker sees it: well-formed, and what the rules of its lane let in.
 *
 * @see FED-27, FED-32, FED-41, FED-46, FED-63
 */
import { decodeEnvelopeText } from '../../aee/envelope/envelope.ts'
import type { IngestItem } from '../../broker/ingest/ingest-batch.ts'
import { AgentdError, type ErrorCode } from '../../core/errors.ts'
import { isJsonObject, tryParseJson } from '../../core/text/json-object.ts'
import { orRefusal } from '../../core/thrown.ts'
import { readEventId } from '../../protocol/address/event-id.ts'
import { expiresAtMs } from '../../protocol/frame/frame.ts'
import { decodeSubmission, requireRecipientScope } from '../../protocol/frame/submission.ts'
import {
  readRecord,
  type EnvelopeRecord,
  type FrameRecord,
  type LinkRecord,
  type UnknownRecord,
} from '../../link/record.ts'
import type { ClockOffsets } from '../rosters/clock-offsets.ts'
import type { Opened, Sealing } from '../seal/sealing.ts'
import type { Allowance } from './allowances.ts'
import { glanceAt, glanceOf, wordIn } from './glance.ts'
import { refused, type RecordRules } from './record-rules.ts'

/** Envelopes go stale by their own `timeout_ms`, which their receivers judge. */
const NEVER_MS = Number.MAX_SAFE_INTEGER

/** Characters of an id that its sender is told of. */
const MAX_ID_LENGTH = 256

/** Whose batch a record is of. */
export interface Lane {
  /** As the broker calls the machine. */
  readonly node: string
  readonly epoch: string
  /** As the hub calls it. */
  readonly subject: string
  readonly rules: RecordRules
  /** Under an accord: of which side it is, `~globex`. */
  readonly org?: string | undefined
  /** Of another principal. */
  readonly allowance?: Allowance | undefined
}

/** What the gate says of one record. */
export type RecordVerdict =
  /** For the broker; `e` is null for what has no place in its lane. */
  | { readonly e: string | null; readonly item: IngestItem }
  | { readonly e: string | null; readonly answer: 'applied' | 'skipped' }
  /** There is nobody to tell: nothing says who sent it of what, or it is for another machine. */
  | { readonly e: string | null; readonly answer: 'refused'; readonly code: ErrorCode }

interface RecordGateParts {
  /** This machine, as the others call it. */
  readonly node: string
  readonly offsets: Pick<ClockOffsets, 'translate'>
  readonly sealing: Pick<Sealing, 'isOn' | 'open'>
}

export class RecordGate {
  readonly #parts: RecordGateParts

  constructor(parts: RecordGateParts) {
    this.#parts = parts
  }

  judge(line: string, lane: Lane): RecordVerdict {
    const opened = orRefusal(() => this.#parts.sealing.open(line, lane.subject))
    if (opened instanceof AgentdError) return { e: null, answer: 'refused', code: opened.code }
    const record = orRefusal(() => readRecord(opened.text))
    if (record instanceof AgentdError) return { e: null, answer: 'refused', code: record.code }
    return this.#isWhereItWas(record, opened) ? this.#judgeRecord(record, lane) : refusedPlain(record)
  }

  /** Where what is sealed is asked for, nothing else counts (FED-46). */
  #isWhereItWas(record: LinkRecord | UnknownRecord, { e, wasSealed }: Opened): boolean {
    if (!wasSealed) return !this.#parts.sealing.isOn
    return ('e' in record ? record.e : undefined) === e
  }

  #judgeRecord(record: LinkRecord | UnknownRecord, lane: Lane): RecordVerdict {
    if (record.t === 'unknown') return { e: record.e ?? null, answer: 'skipped' }
    if (record.t === 'forget') return { e: null, item: { kind: 'forget', ids: record.ids } }
    if (record.t !== 'report') return this.#judgeItem(record, lane)
    const stranger = orRefusal(() => lane.rules.requireReport())
    if (stranger instanceof AgentdError) return { e: null, answer: 'refused', code: stranger.code }
    // Those of another machine's frames are for that one.
    if (record.node !== this.#parts.node) return { e: null, answer: 'applied' }
    return { e: null, item: { kind: 'report', node: record.node, org: lane.org, items: record.items } }
  }

  #judgeItem(record: FrameRecord | EnvelopeRecord, lane: Lane): RecordVerdict {
    const { allowance, epoch } = lane
    const isPlaced = readEventId(record.e)?.epoch === epoch
    const unread =
      isPlaced && allowance !== undefined ? refusedUnread(record, lane.rules, allowance) : undefined
    if (unread !== undefined) return unread
    const item = orRefusal(() => {
      if (!isPlaced) throw refused('field-invalid', 'A record has a place of its own batch.', 'e')
      return record.t === 'frame' ? this.#frame(record, lane) : this.#envelope(record, lane)
    })
    if (item === 'elsewhere') return elsewhere(record)
    if (item instanceof AgentdError) return refusedAs(record, item.code)
    return allowance?.takeAt(record.e) === false ? tooMuch(record) : { e: record.e, item }
  }

  #frame(record: FrameRecord, { node, rules }: Lane): IngestItem | 'elsewhere' {
    const { e: eventId, scope, sender: senderAddress, tool, frameText } = record
    // When it was made was judged where it was made (FED-32).
    const submission = decodeSubmission(Buffer.from(frameText), { scopeBeside: scope })
    const { frame } = submission
    const said = { frame, scope: requireRecipientScope(submission), text: frameText }
    if (!rules.isForHere(glanceOf(frame, said.scope))) return 'elsewhere'
    rules.requireFrame(said, { senderAddress })
    const expiry = this.#parts.offsets.translate(expiresAtMs(frame), node, this.#parts.node)
    return { kind: 'frame', eventId, submission, senderAddress, tool, expiresAtMs: expiry }
  }

  #envelope(record: EnvelopeRecord, { rules }: Lane): IngestItem | 'elsewhere' {
    const { e: eventId, sender: senderAddress, tool, priority, to, envelopeText } = record
    const decoded = decodeEnvelopeText(envelopeText)
    if (decoded.envelope.to !== to) throw refused('field-invalid', 'An envelope goes to whom it names.', 'to')
    if (!rules.isForHere({ of: 'envelope', to })) return 'elsewhere'
    rules.requireEnvelope(decoded, { senderAddress })
    return { kind: 'envelope', eventId, decoded, senderAddress, tool, priority, expiresAtMs: NEVER_MS }
  }
}

/**
 * What is refused anyway: to read it is the price that a flood is made of (FED-63). Where nothing says for whom it is, its sender
 * is not told, since it may be well taken elsewhere.
 */
function refusedUnread(
  record: FrameRecord | EnvelopeRecord,
  rules: RecordRules,
  allowance: Allowance,
): RecordVerdict | undefined {
  const glance = rules.isAllForHere ? undefined : glanceAt(record)
  if (glance !== undefined && !rules.isForHere(glance)) return elsewhere(record)
  if (!allowance.isSpentAt(record.e)) return undefined
  const isForHere = rules.isAllForHere || glance !== undefined
  return isForHere ? tooMuch(record) : { e: record.e, answer: 'refused', code: 'rate-limited' }
}

function elsewhere({ e }: FrameRecord | EnvelopeRecord): RecordVerdict {
  return { e, answer: 'refused', code: 'scope-unauthorised' }
}

/** Its sender is told, where it can be. */
function refusedAs(record: FrameRecord | EnvelopeRecord, code: ErrorCode, id = idOf(record)): RecordVerdict {
  const { e } = record
  return id === undefined
    ? { e, answer: 'refused', code }
    : { e, item: { kind: 'refused', eventId: e, id, code } }
}

/** Its id is cut out of it. */
function tooMuch(record: FrameRecord | EnvelopeRecord): RecordVerdict {
  const text = record.t === 'frame' ? record.frameText : record.envelopeText
  return refusedAs(record, 'rate-limited', idIn(record, wordIn(text, nameOfId(record))))
}

function refusedPlain(record: LinkRecord | UnknownRecord): RecordVerdict {
  if (record.t === 'frame' || record.t === 'envelope') return refusedAs(record, 'scope-unauthorised')
  const e = record.t === 'unknown' ? (record.e ?? null) : null
  return { e, answer: 'refused', code: 'scope-unauthorised' }
}

/** What its sender knows it by, where that can be read at all. */
function idOf(record: FrameRecord | EnvelopeRecord): string | undefined {
  const value = tryParseJson(record.t === 'frame' ? record.frameText : record.envelopeText)
  return idIn(record, isJsonObject(value) ? value[nameOfId(record)] : undefined)
}

function idIn({ t }: FrameRecord | EnvelopeRecord, id: unknown): string | undefined {
  if (typeof id !== 'string' || id === '' || id.length > MAX_ID_LENGTH) return undefined
  return t === 'frame' ? id.toLowerCase() : `aee:${id}`
}

function nameOfId({ t }: FrameRecord | EnvelopeRecord): string {
  return t === 'frame' ? 'frame_id' : 'id'
}
