/**
 * Under an accord: a machine writes in the lanes of the grants that its person may use or answer, and reads what the other side
 * writes under them.
 *
 * @see FED-11, FED-24, FED-57
 */
import type { Authority } from '../../broker/authority/authority.ts'
import { grantsOf } from '../../authority/granting.ts'
import { Roll } from '../../authority/charter.ts'
import { Observers } from '../../core/collections/observers.ts'
import { AgentdError } from '../../core/errors.ts'
import { audienceToken, grantToken, type Audience } from '../../link/audience.ts'
import type { Charters } from '../in/held-charter.ts'
import type { Plan } from '../plan/plan.ts'
import type { HeldAccord } from './held-accord.ts'

interface AccordPlanParts {
  /** Whose machine it is, and of which side. */
  readonly own: { readonly handle: string; readonly org: string }
  readonly accord: Pick<HeldAccord, 'inForce' | 'peer'>
  readonly charters: Pick<Charters, 'inForce'>
  readonly authority: Pick<Authority, 'onChange'>
}

export class AccordPlan implements Plan {
  readonly #parts: AccordPlanParts
  readonly #observers = new Observers<[]>()
  #lanes: readonly Audience[]
  #filters: readonly Audience[]

  /** @throws AgentdError `scope-unauthorised` where there is nothing to write or read: no accord, or no grant for this person */
  constructor(parts: AccordPlanParts) {
    this.#parts = parts
    const found = this.#find()
    if (found === undefined)
      throw new AgentdError(
        'scope-unauthorised',
        `No accord is in force here that grants ${parts.own.handle} of ${parts.own.org} anything; "agentd accord install" takes one.`,
        { field: 'realm' },
      )
    this.#lanes = found.lanes
    this.#filters = found.filters
    parts.authority.onChange(() => this.#readAnew())
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

  /** What was granted once and is no more stays open, and nothing leaves by it: a new accord is heard of so. */
  #readAnew(): void {
    const found = this.#find()
    if (found === undefined || wordsOf(found.lanes) === wordsOf(this.#lanes)) return
    this.#lanes = found.lanes
    this.#filters = found.filters
    this.#observers.tell()
  }

  #find(): { readonly lanes: readonly Audience[]; readonly filters: readonly Audience[] } | undefined {
    const { accord, charters, own } = this.#parts
    const { inForce, peer } = accord
    const charter = charters.inForce(own.org)
    if (inForce === undefined || peer === undefined || charter === undefined) return undefined
    const names = grantsOf(inForce, own, new Roll(charter.body)).map(({ grant }) => grantToken(grant))
    const of = (from: string): readonly Audience[] =>
      [...new Set(names)].toSorted().map((grant) => ({ of: 'grant', grant, from }))
    return names.length === 0 ? undefined : { lanes: of(own.org), filters: of(peer) }
  }
}

function wordsOf(audiences: readonly Audience[]): string {
  return audiences.map(audienceToken).join(' ')
}
