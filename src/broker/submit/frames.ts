/**
 * Frames: the submission pipeline, readable from top to bottom.
 *
 * A frame that has been validated is checked against its caller and its scope, looked up in the dedup window,
 * charged, and put into the batch. At the end of the loop turn all of the batch's frames are appended, expanded,
 * emitted and answered together.
 *
 * @see memo §7, AC-132…AC-138, AC-171
 */
import { AgentdError, unreachable } from '../../core/errors.ts'
import type { Clock } from '../../core/clock.ts'
import { expiresAtMs } from '../../protocol/frame/frame.ts'
import type { SubmissionReply, Warning } from '../../protocol/http/frame-replies.ts'
import { formatScope } from '../../protocol/address/scope.ts'
import { requireRecipientScope, type Submission } from '../../protocol/frame/submission.ts'
import type { Audiences } from '../audience/audience.ts'
import { nearSessions } from '../audience/near-sessions.ts'
import { authoriseScope, requireIdentity, type Caller, type HandleOwner } from '../session/caller.ts'
import { DedupWindow, digestOf } from './dedup.ts'
import { DeliveryRecord } from '../ring/delivery.ts'
import type { RecentPage } from '../session/ledger.ts'
import type { Session } from '../session/session.ts'
import type { Counters } from '../ring/counters.ts'
import { OpenQueries } from './open-queries.ts'
import type { Quota } from '../quota/quota.ts'
import type { Retained, RetainedFrame } from '../ring/retained.ts'
import type { Ring } from '../ring/ring.ts'
import { PendingSubmission, answerAgain, type Respond } from './pending-submission.ts'
import { warnOfResponseScope } from './response-scope.ts'
import type { CommitBatch } from './commit-batch.ts'

/** What frames are handled with. */
export interface FramesParts {
  readonly ring: Ring
  readonly clock: Clock
  readonly audiences: Audiences
  readonly batch: CommitBatch
  readonly quota: Quota
  readonly counters: Counters
  readonly handles: HandleOwner
  /** Who is there, for a hint. */
  readonly roster: { all(): Iterable<Session> }
}

/** What a frame is found by, and where it goes. */
type Place = Pick<RetainedFrame, 'key' | 'scope' | 'scopeText' | 'digest'>

export class Frames {
  readonly queries = new OpenQueries()
  readonly #parts: FramesParts
  readonly #dedup: DedupWindow<SubmissionReply>

  constructor(parts: FramesParts) {
    this.#parts = parts
    this.#dedup = new DedupWindow(parts.clock)
  }

  /**
   * Takes a validated frame through the pipeline.
   *
   * @param respond - called with the answer at the end of the turn, when the frame is in the ring and emitted
   * @throws AgentdError at once when the frame is refused; nothing has happened then (AC-171)
   */
  submit(submission: Submission, caller: Caller, respond: Respond<SubmissionReply>): void {
    const { audiences, batch, counters, handles, quota } = this.#parts
    const { frame, text } = submission
    requireIdentity(frame, caller)
    const scope = requireRecipientScope(submission)
    authoriseScope(scope, frame, handles)
    const scopeText = formatScope(scope)
    const digest = digestOf(scopeText, text)
    const key = frame.frame_id.toLowerCase()
    const repeat = this.#dedup.check(key, digest)
    switch (repeat.kind) {
      case 'again':
        counters.duplicateFrame()
        return answerAgain(repeat.first, respond)
      case 'conflict':
        throw reusedFrameId()
      case 'first':
        break
      default:
        return unreachable(repeat)
    }
    quota.charge(caller)
    const retained = this.#toRetained(submission, caller, { key, scope, scopeText, digest })
    quota.admit(caller, {
      recipients: audiences.requireFanOut(retained, 'recipient_scope'),
      chars: text.length,
    })
    const entry = this.#dedup.remember(key, digest)
    const warning = frame.kind === 'agent_query' ? warnOfResponseScope(frame, handles) : undefined
    const compose = warning === undefined ? this.#compose : this.#composeWith([warning])
    batch.add(
      new PendingSubmission({
        retained,
        sender: caller.session,
        dedup: this.#dedup,
        entry,
        respond,
        compose,
      }),
    )
    if (frame.kind === 'agent_query')
      this.queries.remember(frame.payload.query_id, frame.payload.response_scope)
  }

  /** Takes over which ids the last daemon had used and what it had answered, and what may still be answered. */
  inherit({ remembered, queries }: RecentPage): void {
    const { ring } = this.#parts
    for (const { frameId, digest, seq, recipientCount, queuedCount } of remembered) {
      const counts = { recipient_count: recipientCount, queued_count: queuedCount }
      const entry = this.#dedup.remember(frameId, digest)
      entry.result = { frame_id: frameId, event_id: ring.eventId(seq), ...counts, ack: ring.ack }
    }
    for (const [queryId, responseScope] of queries) this.queries.remember(queryId, responseScope)
  }

  #toRetained(
    { frame, text }: Submission,
    { session }: Caller,
    { key, scope, scopeText, digest }: Place,
  ): RetainedFrame {
    return {
      type: 'frame',
      seq: 0,
      key,
      kind: frame.kind,
      senderHandle: frame.sender_handle,
      tool: session?.tool,
      scope,
      scopeText,
      envelope: undefined,
      digest,
      text,
      senderAddress: session?.address,
      acceptedAtMs: this.#parts.clock.nowMs(),
      expiresAtMs: expiresAtMs(frame),
      delivery: new DeliveryRecord(),
    }
  }

  #composeWith(warnings: Warning[]): (retained: Retained) => SubmissionReply {
    return (retained) => ({ ...this.#compose(retained), warnings })
  }

  readonly #compose = ({ key, seq, scope, delivery, senderAddress }: Retained): SubmissionReply => {
    const { ring, roster } = this.#parts
    const reply = {
      frame_id: key,
      event_id: ring.eventId(seq),
      recipient_count: delivery.recipientCount,
      queued_count: delivery.queuedCount,
      ...(delivery.peopleCount > 0 && { people_count: delivery.peopleCount }),
      ack: ring.ack,
    }
    if (scope === undefined || reply.recipient_count + reply.queued_count > 0) return reply
    const near = nearSessions(scope, roster.all(), senderAddress)
    return near.length === 0 ? reply : { ...reply, near: [...near] }
  }
}

function reusedFrameId(): AgentdError {
  return new AgentdError('field-invalid', '"frame_id" was used for another frame; every frame has its own.', {
    field: 'frame_id',
  })
}
