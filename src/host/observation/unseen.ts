/** What a look at this machine did not show, and why: named, so that nobody takes a part for the whole. */

/** One thing that was not seen. */
export interface Unseen {
  /** A path, or what it is. */
  readonly what: string
  /** The rest of the sentence. */
  readonly why: string
}

/** What was found, with what was not seen on the way. */
export interface Seen<Found> {
  readonly found: Found
  readonly unseen: readonly Unseen[]
}
