/**
 * An announced lock. Advisory: it tells other sessions, and compels nobody.
 *
 * @see memo §5, AC-061…AC-068
 */
import type { CallOptions } from './http/call-options.ts'
import type { HeldLease } from './reading/leases.ts'
import type { SubmissionResult } from './reply/results.ts'

/** The two frames that follow a lock request. */
export interface LeaseActions {
  release(options: CallOptions): Promise<SubmissionResult>
  extend(additionalMs: number, options: CallOptions): Promise<SubmissionResult>
}

/** What a lease is made from. */
export type LeaseFacts = Pick<Lease, 'leaseId' | 'resource' | 'request' | 'heldBy'>

/** A lease this participant holds. Use it with `await using` to release it with its block. */
export class Lease implements AsyncDisposable {
  /** Its id, a version-4 UUID. */
  readonly leaseId: string
  /** What it is on. */
  readonly resource: string
  /** What became of the request itself. */
  readonly request: SubmissionResult
  /** Leases of others on the same, when this one was taken; each of two that ask at the same moment has the other's. */
  readonly heldBy: readonly HeldLease[]
  readonly #actions: LeaseActions
  /** The first release; a second one gets its answer. */
  #released: Promise<SubmissionResult> | undefined

  constructor({ leaseId, resource, request, heldBy }: LeaseFacts, actions: LeaseActions) {
    this.leaseId = leaseId
    this.resource = resource
    this.request = request
    this.heldBy = heldBy
    this.#actions = actions
  }

  /** Tells everybody who was told of the lock that it is free. A second call gets the answer of the first. */
  release(options: CallOptions = {}): Promise<SubmissionResult> {
    this.#released ??= this.#actions.release(options)
    return this.#released
  }

  /**
   * Has it go on.
   *
   * @param additionalMs - what the lease gains, in milliseconds; at most an hour
   */
  extend(additionalMs: number, options: CallOptions = {}): Promise<SubmissionResult> {
    return this.#actions.extend(additionalMs, options)
  }

  /** Releases it. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.release()
  }
}
