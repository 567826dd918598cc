/**
 * What comes from a member of the other side: in that member's name alone, under a grant that holds now, for this person, or as
 * the answer to what one of this machine's sessions has asked.
 *
 * @see FED-41, FED-57, FED-58, FED-63, FED-70
 */
import type { DecodedEnvelope } from '../../aee/envelope/envelope.ts'
import { coversIntent } from '../../aee/schemas/intent-pattern.ts'
import type { Member } from '../../authority/charter.ts'
import type { Grant } from '../../authority/grant.ts'
import type { OpenQueries } from '../../broker/audience/open-queries.ts'
import type { Authority } from '../../broker/authority/authority.ts'
import { octetLength } from '../../core/text/octets.ts'
import type { LinkRules } from '../../host/config/config.ts'
import { grantToken } from '../../link/audience.ts'
import { handleOf } from '../../protocol/address/handle.ts'
import { formatScope } from '../../protocol/address/scope.ts'
import { requireFrom, requireOf, requireSpokenBy } from '../in/member-rules.ts'
import {
  ENVELOPE_KIND,
  refused,
  requireAccepted,
  type Addressed,
  type Glance,
  type RecordRules,
  type SaidBeside,
} from '../in/record-rules.ts'

export interface AccordRulesParts {
  /** The grant whose lane it is, as its `grantToken`. */
  readonly lane: string
  /** The member whose machine speaks, and that machine. */
  readonly speaker: string
  readonly node: string
  readonly authority: Pick<
    Authority,
    'actorOf' | 'principal' | 'tierOf' | 'grantFor' | 'reachedBy' | 'membersOf'
  >
  readonly queries: Pick<OpenQueries, 'answers' | 'askerOf' | 'grantOf'>
  /** Members of the speaker's side. */
  readonly memberOf: (handle: string) => Member | undefined
  /** The grants of the accord from the other side to this one that reach this person. */
  readonly grants: () => readonly Grant[]
  /** Whether this side's charter names an entity as this person's. */
  readonly isOwnEntity: (name: string) => boolean
  readonly isSigned: (decoded: DecodedEnvelope) => boolean
  /** Asked each time, because they may be reloaded. */
  readonly accept: () => LinkRules['accept']
}

export class AccordRules implements RecordRules {
  /** An answer is for the machine that asked, and who is reached depends on the kind. */
  readonly isAllForHere = false
  readonly #parts: AccordRulesParts

  constructor(parts: AccordRulesParts) {
    this.#parts = parts
  }

  isForHere(glance: Glance): boolean {
    const { authority, isOwnEntity, node, queries, speaker } = this.#parts
    if (glance.of === 'envelope') return isOwnEntity(glance.to)
    const { kind, queryId, scope } = glance
    const asker = queryId === undefined ? undefined : queries.askerOf({ payload: { query_id: queryId } })
    if (asker !== undefined) return asker.origin === undefined
    if (kind === 'agent_response' || scope.form !== 'accord') return false
    const reached = authority.reachedBy(scope, { senderHandle: speaker, kind, origin: { node } })
    // Why nothing is granted at all is for the sender to know.
    return reached === undefined || reached.has(authority.principal)
  }

  requireFrame(said: Addressed, { senderAddress }: SaidBeside): void {
    const { kind, sender_handle: senderHandle } = said.frame
    requireSpokenBy(this.#parts, said.frame, senderAddress)
    this.#requireGranted(said)
    requireAccepted(this.#parts.accept(), { kind, senderAddress, senderHandle, isOwn: false })
  }

  requireEnvelope(decoded: DecodedEnvelope, { senderAddress }: SaidBeside): void {
    const { accept, grants, lane, speaker } = this.#parts
    if (senderAddress !== undefined) requireOf(this.#parts, handleOf(senderAddress), 'sender')
    requireFrom(this.#parts, decoded)
    const { intent } = decoded.envelope
    const isGranted = grants().some(
      ({ grant, intents }) =>
        grantToken(grant) === lane && intents.some((pattern) => coversIntent(pattern, intent)),
    )
    if (!isGranted) throw notGranted(`No grant of this lane is for the intent "${intent}".`, 'intent')
    const sent = { kind: ENVELOPE_KIND, senderAddress, senderHandle: speaker, isOwn: false }
    requireAccepted(accept(), sent)
  }

  requireReport(): void {}

  #requireGranted({ frame, scope, text }: Addressed): void {
    const { authority, lane, queries, speaker } = this.#parts
    const response = frame.kind === 'agent_response' ? frame : undefined
    const isAnswer = queries.answers(frame, formatScope(scope), { principal: speaker, authority })
    const asker = response && isAnswer ? queries.askerOf(response) : undefined
    const under = response && isAnswer ? queries.grantOf(response) : scope
    if (under?.form !== 'accord') throw notGranted('Nobody here has asked that.', 'recipient_scope')
    if (grantToken(under.grant) !== lane)
      throw notGranted('This lane is of another grant.', 'recipient_scope')
    const actor = asker === undefined ? speaker : authority.actorOf(asker.senderHandle)
    const found = authority.grantFor(under, { actor, kind: frame.kind })
    if (typeof found === 'string') throw notGranted(found, 'recipient_scope')
    if (octetLength(text) <= found.maxOctets) return
    const most = `A frame under this grant is at most ${found.maxOctets} octets.`
    throw refused('frame-too-large', most, 'frame')
  }
}

function notGranted(why: string, field: string): Error {
  return refused('scope-unauthorised', why, field)
}
