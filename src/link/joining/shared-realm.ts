/**
 * The realms that one asks to be let in to.
 */
import { anyOf, type MemberRule } from '../../aee/envelope/member-rule.ts'
import { isRealm } from '../realm.ts'

/** A realm of several people: nobody asks to be let in to a person's own. */
export const SHARED_REALM: MemberRule = anyOf(
  'the realm of an organisation or of an accord, such as o.acme',
  (value) => typeof value === 'string' && isRealm(value) && !value.startsWith('p.'),
)
