/**
 * An announced lock. Advisory: it tells other sessions, and compels nobody.
 *
 * @see memo §5, AC-061…AC-068
 */
import type { SubmissionResult } from './reply/results.ts'

/** The two frames that follow a lock request. */
export interface LeaseActions {
  release(): Promise<SubmissionResult>
  extend(additionalMs: number): Promise<SubmissionResult>
}

/** A lease this participant holds. Use it with `await using` to release it with its block. */
export class Lease implements AsyncDisposable {
  readonly leaseId: string
  readonly resource: string
  /** What became of the request itself. */
  readonly request: SubmissionResult
  readonly #actions: LeaseActions
  /** The first release; a second one gets its answer. */
  #released: Promise<SubmissionResult> | undefined

  constructor(leaseId: string, resource: string, request: SubmissionResult, actions: LeaseActions) {
    this.leaseId = leaseId
    this.resource = resource
    this.request = request
    this.#actions = actions
  }

  /** Tells everybody who was told of the lock that it is free. */
  release(): Promise<SubmissionResult> {
    this.#released ??= this.#actions.release()
    return this.#released
  }

  /** @param additionalMs - what the lease gains, in milliseconds; at most an hour (AC-063) */
  extend(additionalMs: number): Promise<SubmissionResult> {
    return this.#actions.extend(additionalMs)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.release()
  }
}
