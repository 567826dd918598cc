/**
 * The variables by which Claude Code tells its hooks and servers about their session.
 *
 * @see docs/runtimes.md §§1.2, 1.5
 */

/** Its id, as payloads have it. */
export const SESSION_VARIABLE = 'CLAUDE_CODE_SESSION_ID'

/** `0` where nobody sits at it: in a `-p` run. */
export const ATTENDED_VARIABLE = 'CLAUDE_CODE_SESSION_ATTENDED'
