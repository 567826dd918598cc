/**
 * One exchange with a hook as it passes between who serves the routes and who answers them, in one process; the two are
 * equals, and know of each other what stands here.
 *
 * @see docs/http.md §12; OP-01, OP-07, OP-09
 */

/** One event as it came. */
export interface HookCall {
  /** The runtime that the hook was set up for; a hint, not more. */
  readonly runtime: string
  /** The body, in octets that nobody has looked into. */
  readonly payload: Uint8Array
  /** The header of that name as it came; undefined for none. */
  readonly surroundings: string | undefined
  /** The process that asks, as the kernel says. */
  readonly peerPid: number | undefined
}

/** What a hook has to print. What was not written was not handed over. */
export interface HookReply {
  readonly text: string
  /** All of it was written. */
  written(): void
  /** It was not. */
  givenUp(): void
}
