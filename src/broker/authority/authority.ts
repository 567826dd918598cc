/**
 * Whose handle is whose, and who is in which organisation: what the broker asks before it says who may send where.
 *
 * @see memo §6, AC-123…AC-129; ACQ-11, ACQ-13, ACQ-41
 */
import type { Groups, Scope } from '../../protocol/address/scope.ts'
import type { GrantBounds } from '../quota/grant-quota.ts'

/** What is asked; it may change while the broker runs. */
export interface Authority extends Groups {
  /** The Sovereign handle this daemon was started for. */
  readonly principal: string
  /** Undefined for a handle that nobody declared. */
  readonly tierOf: (handle: string) => 'sovereign' | 'instrument' | undefined
  /** The Sovereign handle that a handle acts for: itself, whose instrument it is, or the principal. */
  readonly actorOf: (handle: string) => string
  /** Whether there is any charter; without one `org:` is not implemented here (AC-128). */
  readonly hasOrganisations: boolean
  /** The organisations that a Sovereign handle is a member of by charters in force, in order. */
  readonly organisationsOf: (member: string) => readonly string[]
  /** Each member of an organisation and their roles, by its charter in force; undefined where there is none. */
  readonly rolesIn: (org: string) => ReadonlyMap<string, readonly string[]> | undefined
  /** Whether there is any accord; without one `accord:` is not implemented here (AC-128). */
  readonly hasAccords: boolean
  /** The grant that a Sovereign handle sends frames of a kind under; where there is none, why, as a sentence. */
  readonly grantFor: (
    scope: Extract<Scope, { form: 'accord' }>,
    by: { readonly actor: string; readonly kind: string },
  ) => GrantBounds | string
  /** Why `membersOf` says nothing, as a sentence. */
  standingOf(org: string): string
  /** Looks whether something has changed; cheap enough for every submission to an organisation. */
  refresh(): void
  /** Told whenever something has changed. */
  onChange(observer: () => void): void
}

/** One person, one handle, no organisation: what there is until something is declared. */
export function principalAlone(principal: string): Authority {
  return {
    principal,
    tierOf: (handle) => (handle === principal ? 'sovereign' : undefined),
    actorOf: () => principal,
    hasOrganisations: false,
    organisationsOf: () => [],
    rolesIn: () => undefined,
    hasAccords: false,
    grantFor: ({ org }) => `There is no accord with ${org} here.`,
    reachedBy: () => undefined,
    membersOf: () => undefined,
    standingOf: (org) => `There is no charter of ${org} here.`,
    refresh() {},
    onChange() {},
  }
}
