/**
 * Every bound of the MCP server, with the thing it protects.
 */

/** Calls a connection may have under way; a host that starts more has lost count. */
export const MAX_CALLS_IN_FLIGHT = 16

/** Questions a connection may wait on. A second one at the same time is refused, not queued. */
export const MAX_ASKS_IN_FLIGHT = 1

/** How long a question waits for its answers when nobody says otherwise, and at the most, in seconds. */
export const DEFAULT_ASK_SECONDS = 30
export const MAX_ASK_SECONDS = 120

/** How long a question is worth answering, in milliseconds: an idle session reads it at its next turn. */
export const QUESTION_TTL_MS = 3_600_000

/** Answers one question hands over; how many more there are is said. */
export const MAX_ASK_ANSWERS = 50

/** Items one read of the inbox hands over when nobody says otherwise, and at the most. */
export const DEFAULT_INBOX_ITEMS = 20
export const MAX_INBOX_ITEMS = 50

/** Text one read of the inbox hands over, in octets: about four thousand tokens. */
export const MAX_INBOX_OCTETS = 16_384

/** One string of a result, in UTF-16 code units: the longest handover fits. */
export const MAX_RESULT_TEXT = 65_536

/** Sessions of each other node that are asked for: as many as a page of a roster may hold. */
export const MAX_PAGE_SESSIONS = 256

/** Sessions and leases one roster shows; how many more there are is said. */
export const MAX_ROSTER_ROWS = 50

/** Text of one message of an inbox, in code units; a longer handover is taken over to be read whole. */
export const MAX_MESSAGE_TEXT = 8_192

/** Items of one list of a result, such as the references of a message; how many more there are is said. */
export const MAX_RESULT_LIST = 100

/** Frames of each of the three lease kinds that are looked at; a lease lives for an hour. */
export const MAX_LEASE_FRAMES = 500

/** A lease when nobody says otherwise, and at the most, in seconds (AC-063). */
export const DEFAULT_LEASE_SECONDS = 300
export const MAX_LEASE_SECONDS = 3_600

/** Sessions one connection may speak for: a host that runs several threads over one connection has a few. */
export const MAX_POOLED_SESSIONS = 32

/** How long what was asked before the end of the input is still answered, in milliseconds; nobody may be there any more. */
export const LAST_ANSWERS_MS = 1_000

/** How long the farewell to the daemon may take after the end of the input, in milliseconds. */
export const FAREWELL_MS = 500

/** What a pipe is asked to keep of its connection, in octets. */
export const MAX_KEPT_OCTETS = 32_768

/** Sessions that are named to who asks where nobody is, so that another question may find one. */
export const MAX_NAMED_LISTENERS = 8

/** How often the end of a task is looked for, in milliseconds; both ends are in one process. */
export const LOOK_AGAIN_MS = 100
