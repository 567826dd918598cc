/**
 * Which side of a link this machine is on, by the realm of that.
 */
import { AgentdError } from '../core/errors.ts'
import { ownNode, realmForm } from '../link/realm.ts'
import { AccordPlan } from './accord/accord-plan.ts'
import { AccordSide } from './accord/accord-side.ts'
import { HeldAccord } from './accord/held-accord.ts'
import type { HeldEstate } from './in/held-estate.ts'
import type { LinkParts } from './link-parts.ts'
import { OrgPlan } from './plan/org-plan.ts'
import { OWN_PLAN, type Plan } from './plan/plan.ts'
import type { Rosters } from './rosters/rosters.ts'
import { MemberSide } from './side/member-side.ts'
import { OwnSide } from './side/own-side.ts'
import type { Side } from './side/side.ts'

/** What is made before it. */
interface Made {
  readonly estate: HeldEstate
  readonly rosters: Rosters
}

/** @throws AgentdError `field-invalid` for a link of another person, and for a realm that is not spoken here; as `MemberSide` */
export function sideOf(parts: LinkParts, made: Made): Side {
  const { broker, clock, file, name, rulesOf } = parts
  const form = realmForm(file.realm)
  const accept = () => rulesOf(name).accept
  if (form.form === 'person') return new OwnSide({ node: file.node, broker, accept, ...made })
  if (form.form === 'org') {
    const { charters, isSigned, standings: place } = parts
    const nowMs = (): number => clock.nowMs()
    return new MemberSide({ org: form.org, file, broker, charters, isSigned, place, accept, nowMs, ...made })
  }
  const { charters, isSigned, standings: place } = parts
  const nowMs = (): number => clock.nowMs()
  const { estate } = made
  const { accord, org } = heldAccord(parts, form.accord)
  const held = { accord, broker, charters, estate, isSigned, place, accept, nowMs }
  return new AccordSide({ org, realm: file.realm, file, ...held })
}

/** The accord of a link, and of which side it makes this machine. @throws AgentdError `field-missing` */
function heldAccord({ accords, clock, file }: LinkParts, token: string) {
  const { org } = file
  if (org === undefined)
    throw new AgentdError('field-missing', 'A link under an accord has to name its organisation.', {
      field: 'org',
    })
  return { accord: new HeldAccord({ token, org, accords, nowMs: () => clock.nowMs() }), org }
}

/**
 * The plan of a link, by the form of its realm.
 *
 * @throws AgentdError `field-missing`; as `AccordPlan`
 */
export function planOf(parts: LinkParts): Plan {
  const { broker, charters, file } = parts
  const { authority } = broker
  const form = realmForm(file.realm)
  const { handle } = ownNode(file)
  if (form.form === 'person') return OWN_PLAN
  if (form.form === 'org') return new OrgPlan(form.org, handle, authority)
  const { accord, org } = heldAccord(parts, form.accord)
  return new AccordPlan({ own: { handle, org }, accord, charters, authority })
}

/** Whose machine a link makes this one: `~alice`. @throws AgentdError `field-invalid` for another person's */
export function requireOwner({ broker, file }: Pick<LinkParts, 'broker' | 'file'>): string {
  const form = realmForm(file.realm)
  const owner = file.handle ?? (form.form === 'person' ? form.principal : broker.principal)
  if (owner === broker.principal) return owner
  throw new AgentdError(
    'field-invalid',
    `This link is of ${owner}, and this daemon is of ${broker.principal}.`,
    { field: 'realm' },
  )
}
