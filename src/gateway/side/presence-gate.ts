/**
 * What a machine says of who is there, judged: its own word, and of nobody but its own person's sessions.
 *
 * @see FED-41, FED-45, FED-51, FED-59
 */
import { AgentdError } from '../../core/errors.ts'
import { verifyBatch } from '../../link/batch.ts'
import type { Presence } from '../../link/presence.ts'
import { kvSubject, nodeKey } from '../../link/realm.ts'
import type { LinkPresenceRequest } from '../../protocol/http/link-exchange.ts'
import { handleOf } from '../../protocol/address/handle.ts'
import type { Sealing } from '../seal/sealing.ts'
import type { Side } from './side.ts'
import type { Speaker, SpeakerAt } from '../in/voucher.ts'

/** Who says so, and what. */
export interface JudgedPresence {
  readonly speaker: Speaker
  readonly presence: Presence
}

/**
 * @param at - whose key of the bucket it stood under
 * @throws AgentdError `sender-identity-mismatch` for what nobody of the realm has signed; as `Sealing.readPresence` and
 *   `Side.noteStanding`
 */
export function judgePresence(
  {
    realm,
    side,
    sealing,
  }: { readonly realm: string; readonly side: Side; readonly sealing: Pick<Sealing, 'readPresence'> },
  at: SpeakerAt,
  { engine_at_ms: engineAtMs, signature, text }: LinkPresenceRequest,
): JudgedPresence {
  const subject = kvSubject(realm, nodeKey(realm, at))
  const said = sealing.readPresence(text, subject)
  // Which key it is signed with stands in what it says of its person's machines, and that is signed by the person.
  if (said.estate !== undefined) side.noteStanding(at, said.estate)
  const speaker = side.voucher.speakerOf(at, engineAtMs)
  if (speaker instanceof AgentdError) throw speaker
  if (speaker === 'unknown') throw notSigned(at.node)
  if (!verifyBatch(signature, speaker.key, subject, text)) throw notSigned(at.node)
  const isTheirs = ({ address }: Presence['sessions'][number]): boolean => handleOf(address) === at.handle
  return {
    speaker,
    presence: side.isOwnRealm ? said : { ...said, sessions: said.sessions.filter(isTheirs) },
  }
}

function notSigned(node: string): AgentdError {
  return new AgentdError('sender-identity-mismatch', `The machine "${node}" has not signed this.`, {
    field: 'signature',
  })
}
