/**
 * Whose handle is whose and who is in what, in a test's hand.
 */
import type { Authority } from '../../src/broker/authority/authority.ts'
import type { Accord } from '../../src/authority/accord.ts'
import { Roll, type Member } from '../../src/authority/charter.ts'
import type { SignedDocument } from '../../src/authority/document.ts'
import { findGrant, type Granted, type Passage } from '../../src/authority/granting.ts'
import { Handles, type DeclaredHandle } from '../../src/authority/handles.ts'

export class TestAuthority implements Authority {
  readonly principal: string
  #handles: Handles
  readonly #rolls = new Map<string, Roll>()
  readonly #roles = new Map<string, ReadonlyMap<string, readonly string[]>>()
  readonly #observers: (() => void)[] = []
  #accords: readonly SignedDocument<Accord>[] = []
  /** How often somebody has looked. */
  looks = 0

  constructor(principal: string, ...further: readonly string[]) {
    this.principal = principal
    this.#handles = this.#handlesOf(further)
  }

  readonly tierOf: Authority['tierOf'] = (handle) => this.#handles.tierOf(handle)
  readonly actorOf: Authority['actorOf'] = (handle) => this.#handles.actorOf(handle)
  readonly grantFor: Authority['grantFor'] = ({ org, grant }, by) => {
    const found = this.#find({ org, grant, ...by })
    return typeof found === 'string' ? found : { ...found.grant, name: found.name }
  }
  readonly reachedBy: Authority['reachedBy'] = ({ org, grant }, { kind, senderHandle: actor }) => {
    const found = this.#find({ org, grant, actor, kind })
    return typeof found === 'string' ? undefined : found.handles
  }
  readonly membersOf: Authority['membersOf'] = (org, role) => this.#rolls.get(org)?.of(role)

  readonly rolesIn: Authority['rolesIn'] = (org) => this.#roles.get(org)

  readonly organisationsOf: Authority['organisationsOf'] = (member) =>
    [...this.#rolls].flatMap(([org, roll]) => (roll.all.has(member) ? [org] : []))

  get hasAccords(): boolean {
    return this.#accords.length > 0
  }

  get hasOrganisations(): boolean {
    return this.#rolls.size > 0
  }

  standingOf(org: string): string {
    return `There is no charter of ${org} here.`
  }

  refresh(): void {
    this.looks += 1
  }

  onChange(observer: () => void): void {
    this.#observers.push(observer)
  }

  /** From now on these are declared, besides the principal. */
  declare(...further: readonly string[]): void {
    this.#handles = this.#handlesOf(further)
    this.#tell()
  }

  /** From now on an organisation has these members: `~alice dev,ops`. */
  charter(org: string, ...members: readonly string[]): void {
    const named = members.map(memberOf)
    this.#rolls.set(org, new Roll({ org, members: named }))
    this.#roles.set(org, new Map(named.map(({ handle, roles }) => [handle, roles])))
    this.#tell()
  }

  /** From now on these are in force. */
  accord(...accords: readonly SignedDocument<Accord>[]): void {
    this.#accords = accords
    this.#tell()
  }

  #find(passage: Passage): Granted | string {
    const rollOf = (org: string): Roll | undefined => this.#rolls.get(org)
    return findGrant(passage, { accords: this.#accords, rollOf, nowMs: Date.now() })
  }

  #handlesOf(further: readonly string[]): Handles {
    const declared = further.map((handle): DeclaredHandle => ({ handle, tier: 'sovereign' }))
    return new Handles(this.principal, declared)
  }

  #tell(): void {
    for (const tell of this.#observers) tell()
  }
}

function memberOf(text: string): Member {
  const [handle = '', roles = ''] = text.split(' ')
  return { handle, roles: roles.split(',').filter((role) => role !== '') }
}
