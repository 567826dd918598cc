/**
 * What a record of another of the person's machines has to be before the broker sees it: well-formed, from the person, for
 * the person, and of what they take.
 *
 * @see FED-27, FED-32, FED-41, FED-63
 */
import { decodeEnvelopeText } from '../../aee/envelope/envelope.ts'
import type { Authority } from '../../broker/authority/authority.ts'
import type { IngestItem } from '../../broker/ingest/ingest-batch.ts'
import { requireInstrument } from '../../broker/session/caller.ts'
import { AgentdError, type ErrorCode } from '../../core/errors.ts'
import { isJsonObject, tryParseJson } from '../../core/text/json-object.ts'
import { orRefusal } from '../../core/thrown.ts'
import { readEventId } from '../../protocol/address/event-id.ts'
import { handleOf } from '../../protocol/address/handle.ts'
import { expiresAtMs, type Frame } from '../../protocol/frame/frame.ts'
import { decodeSubmission, requireRecipientScope } from '../../protocol/frame/submission.ts'
import type { LinkRules } from '../../host/config/config.ts'
import {
  readRecord,
  type EnvelopeRecord,
  type FrameRecord,
  type LinkRecord,
  type UnknownRecord,
} from '../../link/record.ts'
import type { ClockOffsets } from '../rosters/clock-offsets.ts'
import { isFrom } from '../rosters/senders.ts'

/** Envelopes go stale by their own `timeout_ms`, which their receivers judge. */
const NEVER_MS = Number.MAX_SAFE_INTEGER

/** What stands for a kind where an envelope has none. */
const ENVELOPE_KIND = 'aee_envelope'

/** Whose batch a record is of. */
export interface Lane {
  readonly node: string
  readonly epoch: string
}

/** What the gate says of one record. */
export type RecordVerdict =
  /** For the broker; `e` is null for what has no place in its lane. */
  | { readonly e: string | null; readonly item: IngestItem }
  | { readonly e: string | null; readonly answer: 'applied' | 'skipped' }
  /** Nothing to say who sent it of what: there is nobody to tell. */
  | { readonly e: string | null; readonly answer: 'refused'; readonly code: ErrorCode }

interface RecordGateParts {
  /** This machine's label. */
  readonly node: string
  readonly authority: Pick<Authority, 'principal' | 'actorOf' | 'tierOf'>
  readonly offsets: Pick<ClockOffsets, 'translate'>
  /** Asked each time, because they may be reloaded. */
  readonly accept: () => LinkRules['accept']
}

export class RecordGate {
  readonly #parts: RecordGateParts

  constructor(parts: RecordGateParts) {
    this.#parts = parts
  }

  judge(line: string, lane: Lane): RecordVerdict {
    const record = orRefusal(() => readRecord(line))
    if (record instanceof AgentdError) return { e: null, answer: 'refused', code: record.code }
    if (record.t === 'unknown') return { e: record.e ?? null, answer: 'skipped' }
    if (record.t === 'forget') return { e: null, item: { kind: 'forget', ids: record.ids } }
    if (record.t !== 'report') return this.#judgeItem(record, lane)
    // Those of another machine's frames are for that one.
    if (record.node !== this.#parts.node) return { e: null, answer: 'applied' }
    return { e: null, item: { kind: 'report', node: record.node, items: record.items } }
  }

  #judgeItem(record: FrameRecord | EnvelopeRecord, lane: Lane): RecordVerdict {
    const item = orRefusal(() => {
      if (readEventId(record.e)?.epoch !== lane.epoch)
        throw refused('field-invalid', 'A record has a place of its own batch.', 'e')
      return record.t === 'frame' ? this.#frame(record, lane) : this.#envelope(record)
    })
    if (!(item instanceof AgentdError)) return { e: record.e, item }
    const id = idOf(record)
    if (id === undefined) return { e: record.e, answer: 'refused', code: item.code }
    return { e: record.e, item: { kind: 'refused', eventId: record.e, id, code: item.code } }
  }

  #frame(record: FrameRecord, { node }: Lane): IngestItem {
    const { e: eventId, scope, sender: senderAddress, tool, frameText } = record
    // When it was made was judged where it was made (FED-32).
    const submission = decodeSubmission(Buffer.from(frameText), { scopeBeside: scope })
    const { frame } = submission
    this.#requireSender(frame, senderAddress)
    this.#requireOwnScope(requireRecipientScope(submission))
    this.#requireAccepted(frame.kind, senderAddress, frame.sender_handle)
    const expiry = this.#parts.offsets.translate(expiresAtMs(frame), node, this.#parts.node)
    return { kind: 'frame', eventId, submission, senderAddress, tool, expiresAtMs: expiry }
  }

  #envelope(record: EnvelopeRecord): IngestItem {
    const { e: eventId, sender: senderAddress, tool, priority, to, envelopeText } = record
    const decoded = decodeEnvelopeText(envelopeText)
    if (decoded.envelope.to !== to) throw refused('field-invalid', 'An envelope goes to whom it names.', 'to')
    this.#requireAddress(senderAddress)
    const { principal } = this.#parts.authority
    this.#requireAccepted(ENVELOPE_KIND, senderAddress, principal)
    return { kind: 'envelope', eventId, decoded, senderAddress, tool, priority, expiresAtMs: NEVER_MS }
  }

  /** The person, by whichever of their handles, or what drafted for them (AC-013, AC-021, AC-178). */
  #requireSender(frame: Frame, senderAddress: string | undefined): void {
    const { authority } = this.#parts
    const { acted_by: actor, sender_handle: sender, drafted_with: instrument } = frame
    if (!this.#isOwn(actor)) throw mismatch('acted_by')
    if (sender !== actor && sender !== instrument) throw mismatch('sender_handle')
    requireInstrument(instrument, authority)
    this.#requireAddress(senderAddress)
    if (senderAddress !== undefined && handleOf(senderAddress) !== sender) throw mismatch('sender')
  }

  #requireAddress(senderAddress: string | undefined): void {
    if (senderAddress === undefined) return
    const { authority } = this.#parts
    if (authority.actorOf(handleOf(senderAddress)) !== authority.principal) throw mismatch('sender')
  }

  #isOwn(handle: string): boolean {
    const { principal, tierOf } = this.#parts.authority
    return handle === principal || tierOf(handle) === 'sovereign'
  }

  /** A lane of the person's own machines carries what is for the person. */
  #requireOwnScope(scope: ReturnType<typeof requireRecipientScope>): void {
    if (scope.form !== 'org' && scope.form !== 'accord' && this.#isOwn(scope.handle)) return
    throw refused(
      'scope-unauthorised',
      "Between the person's own machines only the person is a recipient.",
      'recipient_scope',
    )
  }

  #requireAccepted(kind: string, senderAddress: string | undefined, senderHandle: string): void {
    const { kinds, from } = this.#parts.accept()
    const sender = { senderAddress, senderHandle, repositoryId: () => undefined }
    const isTaken =
      (kinds.includes('*') || kinds.includes(kind)) && from.some((pattern) => isFrom(pattern, sender))
    if (!isTaken) throw refused('scope-unauthorised', 'This machine does not take it.', 'kind')
  }
}

/** What its sender knows it by, where that can be read at all. */
function idOf(record: Exclude<LinkRecord, { t: 'report' | 'forget' }> | UnknownRecord): string | undefined {
  if (record.t === 'unknown') return undefined
  const value = tryParseJson(record.t === 'frame' ? record.frameText : record.envelopeText)
  const id = isJsonObject(value) ? value[record.t === 'frame' ? 'frame_id' : 'id'] : undefined
  if (typeof id !== 'string' || id === '' || id.length > 256) return undefined
  return record.t === 'frame' ? id.toLowerCase() : `aee:${id}`
}

function mismatch(field: string): AgentdError {
  return refused(
    'sender-identity-mismatch',
    'A machine speaks for its own person, with what drafts for them.',
    field,
  )
}

function refused(code: ErrorCode, message: string, field: string): AgentdError {
  return new AgentdError(code, message, { field })
}
