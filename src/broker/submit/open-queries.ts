/**
 * Where answers to recent questions go, so that an answer that only knows the question's id finds its asker.
 *
 * A convenience for whoever may send there anyway: an answer to a forgotten question goes to all of the principal's
 * sessions. Only of a question to an organisation it is the reason why another member may answer the one who asked.
 */
import { BoundedMap } from '../../core/collections/bounded.ts'
import { formatScope, readScope, scopeHandle, type Groups, type Scope } from '../../protocol/address/scope.ts'
import type { Frame, FrameOf } from '../../protocol/frame/frame.ts'
import type { RememberedQuery } from '../session/ledger.ts'

/** Questions remembered; the oldest are forgotten first, many together. */
const REMEMBERED = { most: 4_096, atOnce: 256 }

export class OpenQueries {
  readonly #queries = new BoundedMap<string, RememberedQuery>(REMEMBERED)

  remember(query: RememberedQuery): void {
    this.#queries.set(query.queryId.toLowerCase(), query)
  }

  /** The response scope of a question; undefined once it has been forgotten. */
  responseScopeOf(queryId: string): string | undefined {
    return this.#queries.get(queryId.toLowerCase())?.responseScope
  }

  /** The grant that a frame answers a question under; undefined for a question that was asked without one. */
  grantOf(frame: FrameOf<'agent_response'>): Extract<Scope, { form: 'accord' }> | undefined {
    const query = this.#queries.get(frame.payload.query_id.toLowerCase())
    const asked = query === undefined ? undefined : readScope(query.scopeText)
    return asked?.form === 'accord' ? asked : undefined
  }

  /**
   * Whether a frame answers a question to an organisation, or under a grant, that its sender is asked by, and goes just where that question
   * says: nobody else's sessions can be reached by it.
   *
   * @param principal - the Sovereign handle the sender acts for
   */
  answers(
    frame: Frame,
    scopeText: string,
    { principal, authority }: { readonly principal: string; readonly authority: Groups },
  ): boolean {
    if (frame.kind !== 'agent_response') return false
    const query = this.#queries.get(frame.payload.query_id.toLowerCase())
    const asked = query === undefined ? undefined : readScope(query.scopeText)
    const wanted = query === undefined ? undefined : readScope(query.responseScope)
    if (wanted === undefined || formatScope(wanted) !== scopeText) return false
    if (asked?.form === 'accord') {
      // What is granted to be asked is answered where the grant names answers too.
      const passage = { senderHandle: scopeHandle(wanted), kind: frame.kind }
      return authority.reachedBy(asked, passage)?.has(principal) === true
    }
    if (asked?.form !== 'org') return false
    return authority.membersOf(asked.org, asked.role)?.has(principal) === true
  }
}
