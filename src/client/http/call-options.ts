/**
 * What every call takes.
 */
import { orAborted } from './backoff.ts'

/** How a call is given up. */
export interface CallOptions {
  /**
   * Ends the call with the signal's reason. What was sent by then may have been accepted: nothing that was said is taken
   * back.
   */
  readonly signal?: AbortSignal | undefined
}

/** Makes a call that a signal can end. @throws the signal's reason, without a call where it has one already */
export async function withSignal<Result>(
  signal: AbortSignal | undefined,
  call: () => Promise<Result>,
): Promise<Result> {
  signal?.throwIfAborted()
  return signal === undefined ? call() : orAborted(call(), signal)
}
