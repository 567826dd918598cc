/**
 * Which side of a link this machine is on, by the realm of that.
 */
import { AgentdError } from '../core/errors.ts'
import { realmForm } from '../link/realm.ts'
import type { HeldEstate } from './in/held-estate.ts'
import type { LinkParts } from './link-parts.ts'
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
  throw new AgentdError('field-invalid', 'This agentd speaks no link of an accord.', { field: 'realm' })
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
