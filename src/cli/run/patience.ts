/**
 * How long a command waits for a daemon that takes connections and says nothing, as one does that is stopped or stuck (OP-29).
 */

/** For the first answer, in milliseconds: a loaded machine is slow, and what answers once goes on answering. */
export const FIRST_ANSWER_MS = 10_000

/** The same for commands that are asked what is the matter; with all they do besides they end within five seconds. */
export const SOON_MS = 2_000

/** The same for a probe through the sessions, behind which the daemon itself is looked at. */
export const PROBE_ANSWER_MS = 1_000

/** For a process that was killed to be gone, in milliseconds. */
export const KILLED_MS = 1_000
