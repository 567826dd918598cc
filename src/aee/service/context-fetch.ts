/**
 * Finding the envelope that a task `aee.context.fetch` asks for.
 *
 * An envelope inside a payload is a record: nobody routes it or acts on it (AEE-077, AEE-078).
 *
 * @see AEE-062, AEE-C07, AEQ-22, AEQ-23
 */
import { unlessRefused } from '../../core/thrown.ts'
import { hasTooManyParts, readJsonShape } from '../../core/text/json-shape.ts'
import { MAX_JSON_DEPTH } from '../../core/limits.ts'
import { hashOf } from '../envelope/canonical.ts'
import type { ContextFetchTask } from '../intents/context.ts'
import { readLocator } from '../thread/references.ts'

/** What came of it. Whoever may not see an envelope learns what they learn when there is none (AEQ-23). */
export type ContextFetch =
  /** The stored text, and its hash; undefined for an envelope without a canonical form, such as with 1e999. */
  | { readonly kind: 'found'; readonly text: string; readonly hash: string | undefined }
  | { readonly kind: 'absent' }
  /** It is there, and is not what the reference says. */
  | { readonly kind: 'mismatch'; readonly hash: string | undefined }
  /** It is nested so deeply, or has so many parts, that no answer can hold it. */
  | { readonly kind: 'too-deep' }

/** The envelope of the answer and its payload: two levels around what is fetched, and fewer parts than this. */
const WRAPPING_LEVELS = 2
const WRAPPING_PARTS = 64

/** @param findEnvelope - the text of an envelope that the requester may see, as one JSON object */
export function fetchContext(
  { id, corr, locator, hash: expected }: ContextFetchTask,
  findEnvelope: (id: string, corr: string | undefined) => string | undefined,
): ContextFetch {
  const located = locator === undefined ? undefined : readLocator(locator)
  // A locator of another store says nothing here; one of ours that names another envelope is a wrong reference.
  if (located !== undefined && located !== id) return { kind: 'absent' }
  const text = findEnvelope(id, corr)
  if (text === undefined) return { kind: 'absent' }
  const stored: unknown = JSON.parse(text)
  const hash = unlessRefused(() => hashOf(stored))
  if (expected !== undefined && expected.toLowerCase() !== hash) return { kind: 'mismatch', hash }
  const shape = readJsonShape(text)
  const isTooDeep = shape.depth > MAX_JSON_DEPTH - WRAPPING_LEVELS
  if (isTooDeep || hasTooManyParts(shape, WRAPPING_PARTS)) return { kind: 'too-deep' }
  return { kind: 'found', text, hash }
}
