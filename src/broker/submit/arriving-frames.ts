/**
 * Frames that other nodes accepted: what is left to do is to find whom they reach here.
 *
 * Who may send what was judged there, and again where they were let in. Nobody here is charged for them, and their ids
 * are no repeats of what is submitted here (FED-27).
 */
import { AgentdError } from '../../core/errors.ts'
import type { Clock } from '../../core/clock.ts'
import { formatScope } from '../../protocol/address/scope.ts'
import { requireRecipientScope, type Submission } from '../../protocol/frame/submission.ts'
import type { Audiences } from '../audience/audience.ts'
import { DeliveryRecord } from '../ring/delivery.ts'
import type { Origin, RetainedFrame } from '../ring/retained.ts'
import { DedupWindow, type Repeat } from './dedup.ts'
import type { Content } from './fingerprint.ts'
import type { OpenQueries } from '../audience/open-queries.ts'

/** Ids of arrived frames that are remembered, and for how long in milliseconds: marks tell repeats, these tell misuse. */
const WINDOW = { ids: 16_384, windowMs: 10 * 60_000 }

/** What came with a frame. */
export interface ArrivedFrame {
  readonly submission: Submission
  readonly senderAddress?: string | undefined
  readonly tool?: string | undefined
  readonly expiresAtMs: number
}

interface ArrivingFramesParts {
  readonly clock: Clock
  readonly audiences: Audiences
  readonly queries: OpenQueries
  /** What is known of an id that was submitted here. */
  readonly submitted: (key: string, content: Content) => Repeat<unknown>['kind']
}

export class ArrivingFrames {
  readonly #parts: ArrivingFramesParts
  readonly #arrived: DedupWindow<undefined>

  constructor(parts: ArrivingFramesParts) {
    this.#parts = parts
    this.#arrived = new DedupWindow(parts.clock, WINDOW)
  }

  /**
   * Makes it ready for the batch.
   *
   * @returns undefined where the same frame is known here already
   * @throws AgentdError `duplicate-id`, `field-invalid`, `fanout-too-large`
   */
  take(arrived: ArrivedFrame, origin: Origin): RetainedFrame | undefined {
    const { audiences, queries } = this.#parts
    const { head } = arrived.submission
    const retained = this.#toRetained(arrived, origin)
    const { key } = retained
    if (this.#isKnown(key, retained)) return undefined
    audiences.requireFanOut(retained, 'recipient_scope')
    this.#arrived.remember(key, retained)
    if (head.kind === 'agent_query') {
      const { query_id: queryId, response_scope: responseScope } = head.payload
      queries.remember({ ...retained, queryId, responseScope })
    }
    return retained
  }

  /** The store could not take it after all. */
  refused({ key }: Pick<RetainedFrame, 'key'>): void {
    this.#arrived.forget(key)
  }

  #isKnown(key: string, content: Content): boolean {
    const kinds = [this.#parts.submitted(key, content), this.#arrived.check(key, content).kind]
    if (!kinds.includes('conflict')) return kinds.includes('again')
    throw new AgentdError('duplicate-id', '"frame_id" was used for another frame here.', {
      field: 'frame_id',
    })
  }

  #toRetained({ submission, senderAddress, tool, expiresAtMs }: ArrivedFrame, origin: Origin): RetainedFrame {
    const { head, text } = submission
    const scope = requireRecipientScope(submission)
    const scopeText = formatScope(scope)
    return {
      type: 'frame',
      seq: 0,
      key: head.frame_id.toLowerCase(),
      kind: head.kind,
      senderHandle: head.sender_handle,
      tool,
      scope,
      scopeText,
      envelope: undefined,
      text,
      senderAddress,
      acceptedAtMs: this.#parts.clock.nowMs(),
      expiresAtMs,
      origin,
      delivery: new DeliveryRecord(),
    }
  }
}
