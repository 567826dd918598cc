/**
 * The plan of a realm, by its form.
 *
 * @see FED-11, FED-24
 */
import type { Authority } from '../../broker/authority/authority.ts'
import type { Audience } from '../../link/audience.ts'
import { realmForm, type Realm } from '../../link/realm.ts'
import { OrgPlan } from './org-plan.ts'
import type { Plan } from './plan.ts'

/** The one lane and the one reading of a person's own machines. */
const OWN: readonly Audience[] = [{ of: 'person' }]

/** Of one's own realm, which never changes. */
const OWN_PLAN: Plan = { lanes: () => OWN, filters: () => OWN, onChange: () => () => {} }

/** The plan of a realm, as far as documents of it are spoken here. @param handle - whose machine it is: `~alice` */
export function planOf(
  realm: Realm,
  handle: string,
  authority: Pick<Authority, 'rolesIn' | 'onChange'>,
): Plan {
  const form = realmForm(realm)
  return form.form === 'org' ? new OrgPlan(form.org, handle, authority) : OWN_PLAN
}
