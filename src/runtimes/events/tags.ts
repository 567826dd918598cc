/**
 * How a frame that a hook made by itself is told from one that somebody wrote.
 */

/** In `provenance_method`: a notice that a file was written. */
export const EDIT_TAG = 'hook.edit'

/** In `provenance_method`: the sender wishes no more than a place in the next digest. */
export const DIGEST_TAG = 'urgency.digest'

/** In `provenance_basis`. */
export const HOOK_BASIS = 'agentd-hook'
