/**
 * A submission from its acceptance to its answer, and everybody who sent the same meanwhile.
 */
import type { AgentdError } from '../../core/errors.ts'
import type { DedupWindow } from './dedup.ts'
import type { Retained } from '../ring/retained.ts'
import type { Session } from '../session/session.ts'
import type { BatchEntry } from './commit-batch.ts'

/** Called once with the answer, or with why the store could not take the submission after all. */
export type Respond<Reply> = (outcome: Reply | AgentdError) => void

interface PendingSubmissionParts<Reply> {
  readonly retained: Retained
  readonly sender: Session | undefined
  readonly dedup: DedupWindow<Reply>
  /** Where in it repeats find the first answer. */
  readonly place: number
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
    const { dedup, place, respond, compose } = this.#parts
    const reply = compose(this.retained)
    const others = dedup.settle(this.retained.key, place, reply)
    respond(reply)
    for (const waiting of others) waiting({ ...reply, duplicate: true })
  }

  /** Nothing was emitted; it may be sent again. */
  refused(error: AgentdError): void {
    const { dedup, respond } = this.#parts
    const others = dedup.refuse(this.retained.key)
    respond(error)
    for (const waiting of others) waiting(error)
  }
}

/** What is submitted again: the window that knows it, and the answer that it gave, where there is one by now. */
interface Again<Reply> {
  readonly dedup: DedupWindow<Reply>
  readonly key: string
  readonly result: Reply | undefined
}

/** Answers a repeat: at once when the first has its answer, with it otherwise. */
export function answerAgain<Reply extends object>(
  { dedup, key, result }: Again<Reply>,
  respond: Respond<Reply>,
): void {
  if (result === undefined) dedup.waitFor(key, respond)
  else respond({ ...result, duplicate: true })
}
