/**
 * Failures that are none of the daemon's.
 */

/** A failure with a code of our own: what never reached the daemon, or what it does not call an error. */
export class ToolFailure extends Error {
  override readonly name = 'ToolFailure'
  readonly code: 'busy' | 'cancelled' | 'no-listener' | 'not-found' | 'unreachable'
  readonly field: string | undefined

  constructor(code: ToolFailure['code'], message: string, field?: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
    this.field = field
  }
}
