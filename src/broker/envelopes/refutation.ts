/**
 * A refutation: a task to the daemon that rejects an envelope its sender may know of.
 *
 * @see AEE-063, AEQ-10, AEQ-23
 */
import { needsApproval } from '../../aee/conformance/advice.ts'
import { SERVICE_ENTITY } from '../../aee/envelope/entity.ts'
import type { Envelope } from '../../aee/envelope/envelope.ts'
import { findVisible, type KnownEnvelopes } from '../audience/visibility.ts'

/** The id of the envelope that this one rejects; undefined when it is no refutation, or one that is not recorded. */
export function refutedBy(envelope: Envelope, known: KnownEnvelopes): string | undefined {
  const { type, to, intent, payload, from } = envelope
  if (type !== 'task' || to !== SERVICE_ENTITY || intent !== 'aee.context.refute') return undefined
  // What the daemon will answer with an error is not done either (AEQ-10).
  if (needsApproval(envelope)) return undefined
  const { id, reason } = payload
  if (typeof id !== 'string' || typeof reason !== 'string' || id === '' || reason === '') return undefined
  return findVisible(known, id, from) === undefined ? undefined : id
}
