/** What an answer says of an organisation that a frame was for. */
import { handleOf } from '../../protocol/address/handle.ts'
import type { Scope } from '../../protocol/address/scope.ts'
import type { SubmissionReply } from '../../protocol/http/frame-replies.ts'
import type { Authority } from '../authority/authority.ts'
import type { Retained } from '../ring/retained.ts'

/** How many members a scope names, and how many of them were reached here; never with how many sessions (AC-187). */
export function organisationReach(
  { org, role }: Extract<Scope, { form: 'org' }>,
  { delivery: { emittedTo, queuedTo }, senderAddress }: Retained,
  { membersOf }: Pick<Authority, 'membersOf'>,
): NonNullable<SubmissionReply['org']> {
  const reached = new Set(emittedTo.map(handleOf))
  // What waits is nobody's own word.
  for (const address of queuedTo) if (address !== senderAddress) reached.add(handleOf(address))
  return { members: membersOf(org, role)?.size ?? reached.size, reached: reached.size }
}
