/**
 * Where answers to recent questions go, so that an answer that only knows the question's id finds its asker.
 *
 * A convenience for whoever may send there anyway: an answer to a forgotten question goes to all of the principal's
 * sessions. Only of a question to an organisation it is the reason why another member may answer the one who asked.
 */
import { BoundedMap } from '../../core/collections/bounded.ts'
import { formatScope, readScope, type Groups, type Scope } from '../../protocol/address/scope.ts'
import type { FrameOf } from '../../protocol/frame/frame.ts'
import type { FrameHead } from '../../protocol/frame/frame-members.ts'
import { frameOf, type RetainedFrame } from '../ring/retained.ts'
import type { RememberedQuery } from '../session/ledger.ts'

/** A scope of an accord. */
type GrantScope = Extract<Scope, { form: 'accord' }>

/** Of an answer, what says which question it is to. */
type Answering = { readonly payload: Pick<FrameOf<'agent_response'>['payload'], 'query_id'> }

/** Questions remembered; the oldest are forgotten first, many together. */
const REMEMBERED = { most: 4_096, atOnce: 256 }

export class OpenQueries {
  readonly #queries = new BoundedMap<string, RememberedQuery>(REMEMBERED)

  remember({
    queryId,
    responseScope,
    scopeText,
    senderHandle,
    senderAddress,
    origin,
  }: RememberedQuery): void {
    const query = { queryId, responseScope, scopeText, senderHandle, senderAddress, origin }
    this.#queries.set(queryId.toLowerCase(), query)
  }

  /** The response scope of a question; undefined once it has been forgotten. */
  responseScopeOf(queryId: string): string | undefined {
    return this.#queries.get(queryId.toLowerCase())?.responseScope
  }

  /** The grant that a frame answers a question under; undefined for a question that was asked without one. */
  grantOf(frame: FrameOf<'agent_response'>): GrantScope | undefined {
    const query = this.#asked(frame)
    return query === undefined ? undefined : grantScope(query.scopeText)
  }

  /** Who asked what an answer answers. */
  askerOf(answer: Answering): Asker | undefined {
    return this.#asked(answer)
  }

  /** Whether an answer goes just where its question says. */
  goesBackTo(frame: FrameOf<'agent_response'>, scopeText: string): boolean {
    const query = this.#asked(frame)
    return query !== undefined && goesThere(query, scopeText)
  }

  /**
   * Who alone an answer is for that goes back under a grant: the scope names the whole other side, and the question's id the one
   * who asked (FED-58).
   *
   * @returns undefined for what is no such answer, or to a question that has been forgotten
   */
  addresseeOf({ kind, scope, scopeText, text }: AnswerFacts): Asker | undefined {
    if (kind !== 'agent_response' || scope.form !== 'accord' || text === undefined) return undefined
    const frame = frameOf({ text })
    const query = frame.kind === 'agent_response' ? this.#asked(frame) : undefined
    return query !== undefined && goesThere(query, scopeText) && grantScope(query.scopeText) !== undefined
      ? query
      : undefined
  }

  /**
   * Whether a frame answers a question to an organisation, or under a grant, that its sender is asked by, and goes just where that question
   * says: nobody else's sessions can be reached by it.
   *
   * @param principal - the Sovereign handle the sender acts for
   */
  answers(
    frame: FrameHead,
    scopeText: string,
    { principal, authority }: { readonly principal: string; readonly authority: Groups },
  ): boolean {
    if (frame.kind !== 'agent_response') return false
    const query = this.#asked(frame)
    if (query === undefined || !goesThere(query, scopeText)) return false
    const asked = readScope(query.scopeText)
    if (asked?.form === 'accord') {
      // What is granted to be asked is answered where the grant names answers too.
      const { origin, senderHandle } = query
      return authority.reachedBy(asked, { senderHandle, kind: frame.kind, origin })?.has(principal) === true
    }
    if (asked?.form !== 'org') return false
    return authority.membersOf(asked.org, asked.role)?.has(principal) === true
  }

  #asked({ payload }: Answering): RememberedQuery | undefined {
    return this.#queries.get(payload.query_id.toLowerCase())
  }
}

/** Who asked a question. */
export type Asker = Pick<RememberedQuery, 'senderHandle' | 'senderAddress' | 'origin'>

/** A frame, or what is known of one that is still to be routed. */
type AnswerFacts = Pick<RetainedFrame, 'kind' | 'scope' | 'scopeText'> & { readonly text?: string }

function goesThere({ responseScope }: RememberedQuery, scopeText: string): boolean {
  const wanted = readScope(responseScope)
  return wanted !== undefined && formatScope(wanted) === scopeText
}

function grantScope(text: string): GrantScope | undefined {
  const scope = readScope(text)
  return scope?.form === 'accord' ? scope : undefined
}
