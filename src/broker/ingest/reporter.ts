/**
 * Of which of our frames another principal's machine may speak: of those that could have come to it, by what its principal is now.
 * An id is no secret; whoever knows one and is not meant by the frame says nothing that counts.
 *
 * @see FED-41, FED-52, FED-56 … FED-59
 */
import { ownerOf } from '../../protocol/address/foreign.ts'
import type { FrameOf } from '../../protocol/frame/frame.ts'
import type { Authority } from '../authority/authority.ts'
import { isAccordRealm, orgRealm } from '../origins/stream-key.ts'
import { frameOf, type Retained, type RetainedFrame } from '../ring/retained.ts'

/** Who says what became of a frame. */
export interface Reporter {
  /** Whose machine it is: `~bob` */
  readonly handle: string
  /** What it was said over: `o.acme` */
  readonly realm: string
  /** Under an accord: of which side the machine is, `~globex`. */
  readonly org?: string | undefined
}

/** Who asked what an answer answers, as far as it is remembered; without an origin it was somebody here. */
export interface Questions {
  askerOf(
    answer: FrameOf<'agent_response'>,
  ): { readonly origin: { readonly realm: string; readonly node: string } | undefined } | undefined
}

/** Who is in what, whom a grant reaches, and who asked what. */
export interface Reach {
  readonly authority: Pick<Authority, 'tierOf' | 'membersOf' | 'reachedBy'>
  readonly queries: Questions
}

/** Whether something accepted here first may have come to another principal, over the realm that its report came by. */
export function mayHaveReached(sent: Retained, by: Reporter, { authority, queries }: Reach): boolean {
  // For whom an entity is said to be there is not looked up: who tells of one may have ceased to.
  if (sent.type === 'envelope') return true
  const { scope } = sent
  if (isAccordRealm(by.realm)) return mayHaveCrossed(sent, by, { authority, queries })
  if (scope.form === 'org')
    return (
      by.realm === orgRealm(scope.org) && authority.membersOf(scope.org, scope.role)?.has(by.handle) === true
    )
  return scope.form !== 'accord' && scope.handle === by.handle
}

/** Under a grant what is asked reaches whom the grant does, and an answer the one who asked. */
function mayHaveCrossed(sent: RetainedFrame, by: Reporter, { authority, queries }: Reach): boolean {
  const { scope } = sent
  if (scope.form === 'org' || (scope.form === 'accord' && scope.org !== by.org)) return false
  const frame = frameOf(sent)
  if (frame.kind === 'agent_response') {
    const asker = queries.askerOf(frame)?.origin
    if (asker !== undefined) return asker.realm === by.realm && ownerOf(asker.node) === by.handle
    // Of a question that is forgotten nobody knows who asked it: anybody of the side that it came from.
    return scope.form === 'accord' && authority.membersOf(scope.org, undefined)?.has(by.handle) === true
  }
  return scope.form === 'accord' && authority.reachedBy(scope, sent)?.has(by.handle) === true
}
