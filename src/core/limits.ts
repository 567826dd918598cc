/**
 * Every bound of the wire, with the thing it protects. A test crosses each of them by one.
 */

/** A whole frame, in UTF-8 octets (ACQ-14). */
export const MAX_FRAME_OCTETS = 65_536

/** The text of a handover that is kept beside its frame, in octets (HO-07): sixteen times what a frame holds. */
export const MAX_HANDOVER_OCTETS = 1_048_576

/** A submission body: the largest frame plus the wrapper around it and the longest scope. */
export const MAX_SUBMISSION_OCTETS = MAX_FRAME_OCTETS + 2_048

/** A whole envelope, in UTF-8 octets (AEQ-24). */
export const MAX_ENVELOPE_OCTETS = 1_048_576

/** A request body of any other route. */
export const MAX_BODY_OCTETS = 65_536

/** Nesting of any JSON body; deeper input is refused before anything walks it. */
export const MAX_JSON_DEPTH = 64

/**
 * Arrays, objects and members of any JSON body together: a mebibyte of text is read in milliseconds, one of half a
 * million arrays or of as many names would hold everybody up for a quarter of a second (HD-10).
 */
export const MAX_JSON_PARTS = 16_384

/** Values of any JSON body together, those that are no arrays and objects too. */
export const MAX_JSON_VALUES = 131_072

/** A recipient scope, in octets (memo §6, ACQ-17). */
export const MAX_SCOPE_OCTETS = 512

/** An event id given as a cursor; anything longer is not one of ours. */
export const MAX_EVENT_ID_OCTETS = 64

/** How far ahead of the daemon a `created_at` may lie (ACQ-26). */
export const MAX_FUTURE_MS = 5 * 60_000

/** How far behind the daemon a `created_at` may lie (ACQ-26). */
export const MAX_PAST_MS = 24 * 60 * 60_000

/** Frames one history page or one `replay` may ask for. */
export const MAX_HISTORY_ITEMS = 1_000

/** Frames a history page holds when nobody says otherwise. */
export const DEFAULT_HISTORY_ITEMS = 100

/** Words that retained items are searched for, in octets. */
export const MAX_SEARCH_OCTETS = 256

/** Envelopes one page of a thread may hold. */
export const MAX_THREAD_ITEMS = 10_000

/** Envelopes a page of a thread holds when nobody says otherwise. */
export const DEFAULT_THREAD_ITEMS = 1_000

/** Workflows one page of their list may hold. */
export const MAX_LISTED_THREADS = 500

/** Workflows a page of their list holds when nobody says otherwise. */
export const DEFAULT_LISTED_THREADS = 50

/** Entities that a line of that list names, and their names together in characters: either may fill an envelope. */
export const MAX_LISTED_PARTICIPANTS = 64
export const MAX_LISTED_PARTICIPANTS_LENGTH = 4_096

/** Entities one session or one stream may name. */
export const MAX_ENTITIES = 64

/** The name of one entity, in octets: it becomes a key of the index and stands in every listing. */
export const MAX_ENTITY_OCTETS = 256

/** Sessions one page of a roster may hold; their lines at their longest are answered within one turn's time (HD-06). */
export const MAX_ROSTER_SESSIONS = 256

/** Sessions a page of a roster holds when nobody says otherwise: more than one person has at work. */
export const DEFAULT_ROSTER_SESSIONS = 128

/** A title, branch or path in a line of a roster, in octets; the whole is at the session's own address (HD-06). */
export const MAX_ROSTER_FACT_OCTETS = 256

/** Names of entities in a line of a roster, in octets together; the whole list is at the session's own address. */
export const MAX_ROSTER_ENTITIES_OCTETS = 512

/** The short name of a session: it stands in front of every line that a person reads, and is never cut. */
export const MAX_NAME_CHARS = 24

/** What a session says of what it does, in octets: it stands on every line of a roster (W-4). */
export const MAX_ACTIVITY_OCTETS = 256

/** Items one inbox drain may hand over. */
export const MAX_DRAIN_ITEMS = 1_000

/** Items and octets of a drain when nobody says otherwise; small, because an agent pays for every one. */
export const DEFAULT_DRAIN_ITEMS = 20
export const DEFAULT_DRAIN_OCTETS = 4_000

/** Octets one drain may hand over. */
export const MAX_DRAIN_OCTETS = 1_048_576

/** The longest a long poll may be held (`wait=seen`, inbox wait). */
export const MAX_WAIT_MS = 10 * 60_000

/** How long a long poll is held when nobody says otherwise. */
export const DEFAULT_WAIT_MS = 30_000

/** Event ids one `POST /v1/seen` may name. */
export const MAX_SEEN_IDS = 1_000

/** Silence after which a stream gets a keep-alive (ACQ-33). */
export const KEEP_ALIVE_MS = 15_000

/** Silence after which a subscriber takes the stream for dropped (AC-140). */
export const STREAM_DEAD_MS = 3 * KEEP_ALIVE_MS

/** The reconnect delay a stream advertises, in milliseconds (SSE-14). */
export const RETRY_MS = 1_000

/** One message of MCP over `POST /v1/mcp`, in octets; the largest envelope and its wrapping are well below it. */
export const MAX_MCP_MESSAGE_OCTETS = 4 * 1_048_576

/** What a program tells of its surroundings in a header, in characters of base64url: a head has twice as much room. */
export const MAX_SURROUNDINGS_LENGTH = 4_096

/** A batch of records of another node with its head, in octets: 256 KiB of records, or one larger record (FED-18). */
export const MAX_LINK_BATCH_OCTETS = 2 * 1_048_576

/** Who is there on one node, in octets: 4 096 sessions with what each may tell of itself (FED-51). */
export const MAX_LINK_PRESENCE_OCTETS = 4 * 1_048_576
