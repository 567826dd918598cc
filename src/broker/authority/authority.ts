/**
 * Whose handle is whose, and who is in which organisation: what the broker asks before it says who may send where.
 *
 * @see memo §6, AC-123…AC-129; ACQ-11, ACQ-13, ACQ-41
 */
import type { MembersOf } from '../../protocol/address/scope.ts'

/** What is asked; it may change while the broker runs. */
export interface Authority {
  /** The Sovereign handle this daemon was started for. */
  readonly principal: string
  /** Undefined for a handle that nobody declared. */
  readonly tierOf: (handle: string) => 'sovereign' | 'instrument' | undefined
  /** The Sovereign handle that a handle acts for: itself, whose instrument it is, or the principal. */
  readonly actorOf: (handle: string) => string
  /** Whether there is any charter; without one `org:` is not implemented here (AC-128). */
  readonly hasOrganisations: boolean
  /** Members that hold a role now, or all; undefined where no charter is in force. */
  readonly membersOf: MembersOf
  /** Why {@link membersOf} says nothing, as a sentence. */
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
    membersOf: () => undefined,
    standingOf: (org) => `There is no charter of ${org} here.`,
    refresh() {},
    onChange() {},
  }
}
