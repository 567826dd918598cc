/**
 * Which streams a frame or an envelope is for.
 *
 * A session's entities hold for all of its streams; a stream may name more for itself. A filter narrows frames:
 * its `kind` clause leaves out what the session would hear, since an envelope is of no kind, but not what the
 * stream has asked for by name. So a session that waits for one kind of frame does not swallow its envelopes;
 * they go to its other streams or wait in its mailbox.
 *
 * @see docs/http.md §§6, 9; AEQ-20, AEE-C21
 */
import { unreachable } from '../../core/errors.ts'
import { isAddressedTo, type Addressee, type Groups } from '../../protocol/address/scope.ts'
import { filterAdmits, type Filter } from '../../protocol/frame/filter.ts'
import type { Retained } from '../ring/retained.ts'

/** Whoever registered entities. */
export interface Hearer {
  readonly entities: readonly string[]
}

/** Whoever carries others on (OP-27). */
interface Heir {
  readonly address: string
  readonly predecessors: readonly { readonly address: string }[]
  readonly carriedEntities: readonly string[]
}

/** A session, as far as it matters here. */
export type Listener = Addressee & Hearer & Heir

/** A stream, as far as it matters here. */
export interface HearingStream extends Hearer {
  readonly filter: Filter
  /** Whether it is shown no envelope at all. */
  readonly isFramesOnly: boolean
}

/** What an envelope is judged by. */
type Facts = Pick<Retained, 'scopeText' | 'kind' | 'senderHandle' | 'tool'>

/** Whether a stream of a session gets an envelope. */
export function hears(stream: HearingStream, session: Hearer, facts: Facts): boolean {
  if (stream.isFramesOnly) return false
  if (stream.entities.includes(facts.scopeText)) {
    return filterAdmits(
      stream.filter.filter(({ axis }) => axis !== 'kind'),
      facts,
    )
  }
  return session.entities.includes(facts.scopeText) && filterAdmits(stream.filter, facts)
}

/** Whether a stream takes what came to its session for one that this carries on. */
export function takes(stream: HearingStream, facts: Facts & Pick<Retained, 'type'>): boolean {
  return !(stream.isFramesOnly && facts.type === 'envelope') && filterAdmits(stream.filter, facts)
}

/** Whether a stream of a session gets something: by its scope or by its entity, and by the filter. */
export function isFor(
  stream: HearingStream,
  session: Listener,
  retained: Retained,
  groups?: Groups,
): boolean {
  switch (retained.type) {
    case 'frame':
      return (
        (isAddressedTo(retained, session, groups) ||
          followed(session, retained) ||
          isAnswered(session, retained)) &&
        filterAdmits(stream.filter, retained)
      )
    case 'envelope':
      return hears(stream, session, retained) || (followed(session, retained) && takes(stream, retained))
    default:
      return unreachable(retained)
  }
}

/** Whether it is the answer to a question that the session asked under a grant, as is written down with it (FED-58). */
export function isAnswered({ address }: Pick<Heir, 'address'>, retained: Retained): boolean {
  const { delivery, kind, scope } = retained
  return scope?.form === 'accord' && kind === 'agent_response' && delivery.reached(address)
}

/** Whether it came to the session for one that it carries on, as is written down with it. */
function followed({ address, predecessors, carriedEntities }: Heir, retained: Retained): boolean {
  const { scopeText, delivery } = retained
  const isCarried =
    retained.type === 'frame'
      ? predecessors.some((one) => one.address === scopeText)
      : carriedEntities.includes(scopeText)
  return isCarried && delivery.reached(address)
}
