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
import type { FrameHead } from '../../protocol/frame/frame-members.ts'
import type { SubmissionReply, Warning } from '../../protocol/http/frame-replies.ts'
import { scopeHandle, type Scope } from '../../protocol/address/scope.ts'
import type { Submission } from '../../protocol/frame/submission.ts'
import type { Authority } from '../authority/authority.ts'
import type { Audiences } from '../audience/audience.ts'
import { nearSessions } from '../audience/near-sessions.ts'
import {
  authoriseScope,
  callerHandle,
  requireIdentity,
  type Caller,
  type HandleOwner,
  type ScopeJudge,
} from '../session/caller.ts'
import { ArrivingFrames } from './arriving-frames.ts'
import { DedupWindow } from './dedup.ts'
import type { Content } from './fingerprint.ts'
import { FrameAnswers } from './frame-answers.ts'
import { DeliveryRecord } from '../ring/delivery.ts'
import type { RecentPage } from '../session/ledger.ts'
import type { Session } from '../session/session.ts'
import type { Counters } from '../ring/counters.ts'
import type { OpenQueries } from '../audience/open-queries.ts'
import { GrantQuota } from '../quota/grant-quota.ts'
import type { Quota } from '../quota/quota.ts'
import type { Retained, RetainedFrame } from '../ring/retained.ts'
import type { OtherNodes } from '../remote/other-nodes.ts'
import { senderActor } from '../origins/owner.ts'
import type { Ring } from '../ring/ring.ts'
import { organisationReach } from './organisation-reach.ts'
import { ScopeMemory } from './scope-memory.ts'
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
  readonly queries: OpenQueries
  readonly counters: Counters
  readonly handles: HandleOwner
  readonly authority: Authority
  readonly others: OtherNodes
  /** Who is there, for a hint. */
  readonly roster: { all(): Iterable<Session> }
}

/** What a frame is found by, and where it goes. */
type Place = Pick<RetainedFrame, 'key' | 'scope' | 'scopeText'>

export class Frames {
  readonly queries: OpenQueries
  /** Those that other nodes accepted. */
  readonly arriving: ArrivingFrames
  readonly #parts: FramesParts
  readonly #dedup: DedupWindow<SubmissionReply>
  readonly #judge: ScopeJudge
  readonly #scopes = new ScopeMemory()
  readonly #grants: GrantQuota

  constructor(parts: FramesParts) {
    this.#parts = parts
    this.queries = parts.queries
    this.#judge = {
      ...parts,
      answersQuestion: (frame, scopeText, { principal }) =>
        this.queries.answers(frame, scopeText, { principal, authority: parts.authority }),
    }
    this.#dedup = new DedupWindow(parts.clock, undefined, new FrameAnswers())
    this.#grants = new GrantQuota(parts.clock)
    const submitted = (key: string, content: Content) => this.#dedup.check(key, content).kind
    this.arriving = new ArrivingFrames({ ...parts, queries: this.queries, submitted })
  }

  /**
   * Takes a validated frame through the pipeline.
   *
   * @param respond - called with the answer at the end of the turn, when the frame is in the ring and emitted
   * @throws AgentdError at once when the frame is refused; nothing has happened then (AC-171)
   */
  submit(submission: Submission, caller: Caller, respond: Respond<SubmissionReply>): void {
    const { audiences, authority, batch, counters, quota } = this.#parts
    const { head, text } = submission
    requireIdentity(head, caller, authority)
    const { scope, scopeText } = this.#scopes.of(submission)
    authoriseScope(scope, head, caller, this.#judge)
    const content = { scopeText, text }
    const key = head.frame_id.toLowerCase()
    const repeat = this.#dedup.check(key, content)
    switch (repeat.kind) {
      case 'again':
        counters.duplicateFrame()
        return answerAgain({ dedup: this.#dedup, key, result: repeat.result }, respond)
      case 'conflict':
        throw reusedFrameId()
      case 'first':
        break
      default:
        return unreachable(repeat)
    }
    quota.charge(caller)
    this.#chargeGrant(scope, submission, caller)
    const retained = this.#toRetained(submission, caller, { key, scope, scopeText })
    quota.admit(caller, {
      recipients: audiences.requireFanOut(retained, 'recipient_scope'),
      chars: text.length,
    })
    const place = this.#dedup.remember(key, retained)
    const warning =
      head.kind === 'agent_query' ? warnOfResponseScope(head, scope, caller, this.#judge) : undefined
    const compose = warning === undefined ? this.#compose : this.#composeWith([warning])
    batch.add(
      new PendingSubmission({
        retained,
        sender: caller.session,
        dedup: this.#dedup,
        place,
        respond,
        compose,
      }),
    )
    if (head.kind === 'agent_query') {
      const { query_id: queryId, response_scope: responseScope } = head.payload
      this.queries.remember({ ...retained, queryId, responseScope })
    }
  }

  /** Takes over which ids the last daemon had used and what it had answered, and what may still be answered. */
  inherit({ remembered, queries }: RecentPage): void {
    const { ring } = this.#parts
    for (const { frameId, digest, seq, recipientCount, queuedCount } of remembered) {
      const counts = { recipient_count: recipientCount, queued_count: queuedCount }
      const reply = { frame_id: frameId, event_id: ring.eventId(seq), ...counts, ack: ring.ack }
      this.#dedup.settle(frameId, this.#dedup.inherit(frameId, digest), reply)
    }
    for (const query of queries) this.queries.remember(query)
  }

  /**
   * Charges the grant that lets a frame through: the one it is addressed by, or the one its sender was asked under and
   * answers by.
   *
   * @throws AgentdError `frame-too-large` or `rate-limited`, as the grant says (FED-57, FED-63)
   */
  #chargeGrant(scope: Scope, { head, text }: Submission, { principal }: Caller): void {
    const passage = this.#passageOf(scope, head, principal)
    if (passage === undefined) return
    const { actor, under } = passage
    const grant = this.#parts.authority.grantFor(under, { actor, kind: head.kind })
    if (typeof grant !== 'string') this.#grants.charge(grant, text)
  }

  #passageOf(scope: Scope, frame: FrameHead, principal: string) {
    const under = frame.kind === 'agent_response' ? this.queries.grantOf(frame) : undefined
    const asker = frame.kind === 'agent_response' ? this.queries.askerOf(frame) : undefined
    const isAnswer = under !== undefined && asker !== undefined
    if (scope.form === 'accord' && !isAnswer) return { actor: principal, under: scope }
    const { authority, handles } = this.#parts
    if (!isAnswer || (scope.form !== 'accord' && handles.owns(scopeHandle(scope), principal)))
      return undefined
    return { actor: senderActor(asker, authority), under }
  }

  #toRetained({ head, text }: Submission, caller: Caller, { key, scope, scopeText }: Place): RetainedFrame {
    const { session } = caller
    return {
      type: 'frame',
      seq: 0,
      key,
      kind: head.kind,
      // The same, as has been required, and one text for all of its frames.
      senderHandle: callerHandle(caller),
      tool: session?.tool,
      scope,
      scopeText,
      envelope: undefined,
      text,
      senderAddress: session?.address,
      acceptedAtMs: this.#parts.clock.nowMs(),
      expiresAtMs: expiresAtMs(head),
      origin: undefined,
      delivery: new DeliveryRecord(),
    }
  }

  #composeWith(warnings: Warning[]): (retained: Retained) => SubmissionReply {
    return (retained) => {
      const reply = this.#compose(retained)
      return { ...reply, warnings: [...warnings, ...(reply.warnings ?? [])] }
    }
  }

  readonly #compose = (retained: Retained): SubmissionReply => {
    const { authority, others, ring, roster } = this.#parts
    const { key, seq, scope, delivery, senderAddress, senderHandle } = retained
    const remote = delivery.named ?? others.countOf(retained)
    const warnings = others.warningsOf(retained)
    const reply = {
      frame_id: key,
      event_id: ring.eventId(seq),
      recipient_count: delivery.recipientCount,
      queued_count: delivery.queuedCount,
      ...(delivery.peopleCount > 0 && { people_count: delivery.peopleCount }),
      ...(delivery.terminalCount > 0 && { terminal_count: delivery.terminalCount }),
      ...(scope?.form === 'org' && { org: organisationReach(scope, retained, authority) }),
      ack: ring.ack,
      ...(remote !== undefined && { remote }),
      ...(warnings.length > 0 && { warnings }),
    }
    const reached = reply.recipient_count + reply.queued_count + (remote?.sessions ?? 0)
    if (scope === undefined || reached > 0) return reply
    // Who else is there is for another Sovereign to say (AC-188).
    if (authority.actorOf(scopeHandle(scope)) !== authority.actorOf(senderHandle)) return reply
    const near = nearSessions(scope, roster.all(), senderAddress)
    return near.length === 0 ? reply : { ...reply, near: [...near] }
  }
}

function reusedFrameId(): AgentdError {
  return new AgentdError('field-invalid', '"frame_id" was used for another frame; every frame has its own.', {
    field: 'frame_id',
  })
}
