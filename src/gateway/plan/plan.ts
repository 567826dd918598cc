/**
 * For whom a machine writes over a link, and what it reads there; and that it is not so any more.
 *
 * @see FED-11, FED-24
 */
import type { Audience } from '../../link/audience.ts'

/** Asked again whenever it has changed; each list has one at least. */
export interface Plan {
  /** The audiences it writes for, each its own lane; the first one's feed says who is here. */
  lanes(): readonly Audience[]
  /** The audiences whose lanes it reads. */
  filters(): readonly Audience[]
  /** Calls back when either list is another one, until the returned function is called. */
  onChange(told: () => void): () => void
}

/** The one lane and the one reading of a person's own machines. */
const OWN: readonly Audience[] = [{ of: 'person' }]

/** Of one's own realm, which never changes. */
export const OWN_PLAN: Plan = { lanes: () => OWN, filters: () => OWN, onChange: () => () => {} }
