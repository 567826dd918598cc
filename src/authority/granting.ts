/**
 * Which grant of which accord a frame is sent under, or why none.
 *
 * @see memo §6, AC-126, AC-127; FED-57
 */
import type { Accord } from './accord.ts'
import type { Roll } from './charter.ts'
import { stateOf, type SignedDocument } from './document.ts'
import { readReach, type Grant } from './grant.ts'

/** What is to be sent, as far as accords are concerned. */
export interface Passage {
  /** The organisation that is to be reached, and the name of the grant. */
  readonly org: string
  readonly grant: string
  /** The Sovereign handle that sends. */
  readonly actor: string
  readonly kind: string
}

/** What grants are judged by. */
export interface GrantedBy {
  /** Those that count; whether each holds now is judged here. */
  readonly accords: Iterable<SignedDocument<Accord>>
  /** The members of an organisation whose charter is in force; undefined for others. */
  readonly rollOf: (org: string) => Roll | undefined
  /** Wall time in milliseconds. */
  readonly nowMs: number
}

/** A grant that holds, and whom it reaches. */
export interface Granted {
  /** The same for each frame under this grant, and for no other. */
  readonly name: string
  readonly grant: Grant
  readonly handles: ReadonlySet<string>
}

/** How far an accord came, and why it ends there. */
interface Miss {
  readonly step: number
  readonly why: string
}

/**
 * The first grant that admits the passage, in the order of the accords.
 *
 * @returns a sentence where there is none: the reason of the accord that comes closest, of several the first
 */
export function findGrant(passage: Passage, by: GrantedBy): Granted | string {
  let nearest: Miss = { step: 0, why: `There is no accord with ${passage.org} here.` }
  for (const document of by.accords) {
    if (!document.body.parties.some(({ org }) => org === passage.org)) continue
    const found = grantIn(document, passage, by)
    if (!('step' in found)) return found
    if (found.step > nearest.step) nearest = found
  }
  return nearest.why
}

function grantIn(
  document: SignedDocument<Accord>,
  { org, grant: name, actor, kind }: Passage,
  { rollOf, nowMs }: GrantedBy,
): Granted | Miss {
  const { form, body } = document
  const between = `The accord between ${body.parties.map((party) => party.org).join(' and ')}`
  const state = stateOf(document, nowMs)
  if (state !== 'in force') return { step: 1, why: `${between} is ${state}.` }
  const grant = body.grants.find((one) => one.to === org && one.grant === name)
  if (grant === undefined) return { step: 2, why: `${between} grants no "${name}" to reach ${org}.` }
  if (rollOf(grant.from)?.all.has(actor) !== true)
    return { step: 3, why: `${actor} is no member of ${grant.from}, to which "${name}" is granted.` }
  if (!grant.kinds.includes(kind))
    return { step: 4, why: `"${name}" grants ${kindsInWords(grant)}, and no ${kind}.` }
  const roll = rollOf(org)
  if (roll === undefined)
    return { step: 5, why: `There is no charter of ${org} in force here, so nobody knows its members.` }
  return { name: `${form.idOf(body)} ${grant.from} ${name}`, grant, handles: reachedOf(grant, roll) }
}

/**
 * The grants of an accord that are a member's to use or to answer: those to their organisation where they are reached, and those
 * from it.
 *
 * @param org - of which of the two organisations @param roll - of that organisation, as far as its charter is known
 */
export function grantsOf(
  { grants }: Accord,
  { org, handle }: { readonly org: string; readonly handle: string },
  roll: Roll,
): readonly Grant[] {
  if (!roll.all.has(handle)) return []
  return grants.filter(
    (grant) => grant.from === org || (grant.to === org && reachedOf(grant, roll).has(handle)),
  )
}

/** Members that the grant names; who is a member no more is reached by none. */
export function reachedOf({ reach }: Grant, roll: Roll): ReadonlySet<string> {
  const handles = reach.flatMap((word) => {
    const one = readReach(word)
    if (one?.of === 'member') return roll.all.has(one.handle) ? [one.handle] : []
    return one === undefined ? [] : [...roll.of(one.of === 'role' ? one.role : undefined)]
  })
  return new Set(handles)
}

function kindsInWords({ kinds }: Grant): string {
  return kinds.length === 0 ? 'no kind of frames' : kinds.join(', ')
}
