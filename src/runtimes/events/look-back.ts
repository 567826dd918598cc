/**
 * What a hook looks back at: the kinds that say what is under way, and so many of each.
 *
 * @see docs/http.md §5
 */

/** Kinds that say what is under way. */
export const LOOK_BACK_KINDS = [
  'agent_advisory',
  'agent_lock_request',
  'agent_lease_extend',
  'agent_lock_release',
]

/** Frames of one kind looked back at. */
export const LOOK_BACK_ITEMS = 200
