/**
 * A submission from its acceptance to its answer, and everybody who sent the same meanwhile.
 */
import type { AgentdError } from '../../core/errors.ts'
import type { DedupWindow, Entry } from './dedup.ts'
import type { Retained } from '../ring/retained.ts'
import type { Session } from '../session/session.ts'
import type { BatchEntry } from './commit-batch.ts'

/** Called once with the answer, or with why the store could not take the submission after all. */
export type Respond<Reply> = (outcome: Reply | AgentdError) => void

interface PendingSubmissionParts<Reply> {
  readonly retained: Retained
  readonly sender: Session | undefined
  readonly dedup: DedupWindow<Reply>
  /** Where repeats find the first answer. */
  readonly entry: Entry<Reply>
  readonly respond: Respond<Reply>
  /** Makes the answer, once it has a place. */
  readonly compose: (retained: Retained) => Reply
}

export class PendingSubmission<Reply extends object> implements BatchEntry {
  readonly retained: Retained
  readonly sender: Session | undefined
  readonly #parts: PendingSubmissionParts<Reply>

  constructor(parts: PendingSubmissionParts<Reply>) {
    this.retained = parts.retained
    this.sender = parts.sender
    this.#parts = parts
  }

  committed(): void {
    const { entry, respond, compose } = this.#parts
    const reply = compose(this.retained)
    entry.result = reply
    respond(reply)
    for (const waiting of entry.waiting ?? []) waiting({ ...reply, duplicate: true })
    entry.waiting = undefined
  }

  /** Nothing was emitted; it may be sent again. */
  refused(error: AgentdError): void {
    const { dedup, entry, respond } = this.#parts
    dedup.forget(this.retained.key)
    respond(error)
    for (const waiting of entry.waiting ?? []) waiting(error)
  }
}

/** Answers a repeat: at once when the first has its answer, with it otherwise. */
export function answerAgain<Reply extends object>(first: Entry<Reply>, respond: Respond<Reply>): void {
  if (first.result !== undefined) return respond({ ...first.result, duplicate: true })
  first.waiting ??= []
  first.waiting.push(respond)
}
