/**
 * Who has something looked up: whose turn it is, whether it is still there, and what it may have.
 *
 * @see R-52; HD-11
 */

/** One request, to those who work for it. */
export interface Asker {
  /** What work is shared out by: many requests of one connection are one. */
  readonly connection: object
  /** Nobody waits for the answer any more. */
  readonly isGone: boolean
  /**
   * Is told how many octets have been found so far.
   *
   * @throws AgentdError `busy` when so much may not wait in memory
   */
  holds(octets: number): void
}
