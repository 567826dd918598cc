/**
 * What the command line says by its exit code. Frozen: scripts switch on it.
 *
 * @see docs/http.md §11; 69, 70 and 78 are those of sysexits(3)
 */

/** Meaning → exit code. */
export const EXIT = {
  done: 0,
  /** The daemon refused; its code stands on stderr. */
  refused: 1,
  /** The command was written wrongly. */
  usage: 2,
  /** Nobody was listening: `ask`, and whatever waits to be seen. */
  nobody: 3,
  /** `needs`: something needs the person. */
  needed: 3,
  /** `takeover`: nothing is handed over. */
  nothing: 3,
  /** The time was over before what was waited for came. */
  deadline: 4,
  /** `ask`: the question was dismissed, and no answer comes (SEAT-12). */
  dismissed: 5,
  /** `takeover`: somebody else has it. */
  held: 5,
  /** The daemon does not answer. */
  unreachable: 69,
  /** A fault in agentd itself. */
  defect: 70,
  /**
   * `serve`: the daemon has lost its socket or its lock; starting it again helps. `store adopt`: try again later. Any command:
   * agentd is being built or updated.
   */
  lost: 75,
  /** A directory, file or name of this machine must not be used as it is. */
  unsafe: 78,
  /** Ended by Ctrl-C before it was done; 128 and the number of SIGINT, as a shell counts. */
  interrupted: 130,
} as const

/** One of the codes. */
export type ExitCode = (typeof EXIT)[keyof typeof EXIT]
