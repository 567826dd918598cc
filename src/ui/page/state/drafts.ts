/**
 * What was typed and not yet sent, by what it is for: it stays when a field is left, and when sending failed.
 *
 * @see SEAT-23
 */
import { signal, type Signal } from '@preact/signals'
import { BoundedMap } from '../../../core/collections/bounded.ts'

/** Drafts that are remembered; more than anybody begins. */
const MAX_DRAFTS = 100

const drafts = new BoundedMap<string, Signal<string>>({ most: MAX_DRAFTS, atOnce: 0 })

/**
 * The draft of one field. Asked for by a field that stands open: a card that nobody writes into would put out what is written
 * into another.
 *
 * @param key - what it is for: a need's id, or the name of a form
 */
export function draftOf(key: string): Signal<string> {
  const draft = drafts.get(key) ?? signal('')
  drafts.set(key, draft)
  return draft
}
