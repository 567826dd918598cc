/**
 * In an organisation: everybody writes to everybody, to each role and to each member, and reads what is for all, for their own
 * roles and for themselves. The charter in force says who they are.
 *
 * @see FED-11, FED-24, FED-56
 */
import type { Authority } from '../../broker/authority/authority.ts'
import { Observers } from '../../core/collections/observers.ts'
import { MAX_LANES, audienceToken, type Audience } from '../../link/audience.ts'
import type { Plan } from './plan.ts'

/** Without a charter in force nobody is a member; the one lane stays open, so that a new charter is heard of. */
const EVERYBODY: Audience = { of: 'all' }

export class OrgPlan implements Plan {
  readonly #authority: Pick<Authority, 'rolesIn'>
  readonly #org: string
  readonly #handle: string
  readonly #observers = new Observers<[]>()
  #lanes: readonly Audience[] = []
  #filters: readonly Audience[] = []

  /** @param org - `~acme` @param handle - whose machine it is: `~alice` */
  constructor(org: string, handle: string, authority: Pick<Authority, 'rolesIn' | 'onChange'>) {
    this.#authority = authority
    this.#org = org
    this.#handle = handle
    this.#read()
    authority.onChange(() => {
      const before = this.#words
      this.#read()
      if (this.#words !== before) this.#observers.tell()
    })
  }

  lanes(): readonly Audience[] {
    return this.#lanes
  }

  filters(): readonly Audience[] {
    return this.#filters
  }

  onChange(told: () => void): () => void {
    return this.#observers.add(told)
  }

  #read(): void {
    const members = this.#authority.rolesIn(this.#org) ?? new Map<string, readonly string[]>()
    const handles = [...members.keys()].toSorted()
    const roles = [...new Set([...members.values()].flat())].toSorted()
    this.#lanes = [EVERYBODY, ...roles.map(ofRole), ...handles.map(ofMember)].slice(0, MAX_LANES)
    const own = members.get(this.#handle)
    this.#filters =
      own === undefined ? [EVERYBODY] : [EVERYBODY, ...own.toSorted().map(ofRole), ofMember(this.#handle)]
  }

  get #words(): string {
    return [this.#lanes, this.#filters].map((list) => list.map(audienceToken).join(' ')).join('\n')
  }
}

function ofRole(role: string): Audience {
  return { of: 'role', role }
}

function ofMember(handle: string): Audience {
  return { of: 'member', handle }
}
