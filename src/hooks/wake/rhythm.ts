/** How long waking takes; a value, so that a test need not wait for it. */

export interface Rhythm {
  /** A turn of which nothing was heard for so long is taken to be over; an interrupted one ends without a hook. */
  readonly busyMs: number
  /** How long a session that is not there yet is waited for. */
  readonly registrationMs: number
  /** How long a wake has to show in the mailbox before it is tried again. */
  readonly seenMs: number
  /** The same for Codex, which looks at its queue only about every ten seconds. */
  readonly queueSeenMs: number
  /** Between two looks at the processes of sessions on whose behalf somebody waits. */
  readonly roundMs: number
  /** How long a runtime has to arm its own waiter behind a turn. */
  readonly armedMs: number
}

/** As it is outside of tests. */
export const RHYTHM: Rhythm = {
  busyMs: 120_000,
  registrationMs: 10_000,
  seenMs: 10_000,
  queueSeenMs: 25_000,
  roundMs: 60_000,
  armedMs: 5_000,
}
