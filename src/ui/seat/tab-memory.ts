/**
 * What a tab keeps for a reload, in two places neither of which is enough: the first part of the token as the name of its
 * window, which a browser holds in memory, and the rest in its `sessionStorage`, which Chromium writes into the profile.
 *
 * @see SEAT-15, SEAT-16; docs/decisions/027-key-in-no-address.md
 */

/** Under which what the process said to who signed in is kept, as JSON, with the second part of the token. */
export const KEPT = 'agentd'

/** Characters of a token that are the name of the window: 126 bits there, 132 in the storage. */
export const FIRST_PART = 21
