/**
 * Whether what a commit says of who made it is well-formed: a person in `Acted-By`, a bot in `Executed-By`, an
 * instrument in `Drafted-With`. A local profile of identity-attributed commits, as far as the memo cites them.
 *
 * @see memo §4, docs/requirements.md §§1.1, 1.3
 */
import { isHandle, looksLikeInstrument } from '../../protocol/address/handle.ts'

/** One line under a message, its name as git took it. */
export interface Trailer {
  readonly name: string
  readonly value: string
}

/** What the trailers of one commit say, and what is wrong with them. */
export interface Attribution {
  readonly actedBy: string | undefined
  readonly executedBy: string | undefined
  readonly draftedWith: readonly string[]
  /** Sentences; such a commit is not well attributed. */
  readonly faults: readonly string[]
  /** Sentences; a person may want to look. */
  readonly warnings: readonly string[]
}

/** How a bot's handle ends in the wild; the dot is in no canonical handle (docs/requirements.md §1.3). */
const BOT_ENDING = '.bot'

/** Said by a signing author; agentd has no key to hold it against. */
const SIGNATURE = 'identity-signature'

/** @param trailers - of one commit, in its order */
export function readAttribution(trailers: readonly Trailer[]): Attribution {
  const actors = valuesOf(trailers, 'acted-by')
  const bots = valuesOf(trailers, 'executed-by')
  const draftedWith = valuesOf(trailers, 'drafted-with')
  const faults = [
    ...atMostOne('Acted-By', actors),
    ...atMostOne('Executed-By', bots),
    ...(actors.length === 0 && bots.length + draftedWith.length > 0
      ? ['no Acted-By says which person acted']
      : []),
    ...actors.flatMap((value) => actorFaults(value)),
    ...bots.flatMap((value) => botFaults(value)),
    ...draftedWith.flatMap((value) => instrumentFaults(value, actors)),
  ]
  const warnings = [
    ...actors
      .filter(looksLikeInstrument)
      .map((value) => `Acted-By: ${value} has the prefix of an instrument`),
    ...(valuesOf(trailers, SIGNATURE).length > 0 ? ['its Identity-Signature was not verified'] : []),
  ]
  return { actedBy: actors[0], executedBy: bots[0], draftedWith, faults, warnings }
}

/** Whether anything is said at all of who made it. */
export function isAttributed({ actedBy, executedBy, draftedWith }: Attribution): boolean {
  return actedBy !== undefined || executedBy !== undefined || draftedWith.length > 0
}

/** Names of trailers have no case. */
function valuesOf(trailers: readonly Trailer[], name: string): readonly string[] {
  return trailers.filter((trailer) => trailer.name.toLowerCase() === name).map(({ value }) => value)
}

function atMostOne(name: string, values: readonly string[]): readonly string[] {
  return values.length > 1 ? [`${values.length} lines say ${name}, and one may`] : []
}

function actorFaults(value: string): readonly string[] {
  if (isBot(value)) return [`Acted-By: ${value} is a bot, which belongs in Executed-By`]
  return isHandle(value) ? [] : [notAHandle('Acted-By', value)]
}

function botFaults(value: string): readonly string[] {
  if (looksLikeInstrument(value))
    return [`Executed-By: ${value} is an instrument, which belongs in Drafted-With`]
  return isHandle(bareHandle(value)) ? [] : [notAHandle('Executed-By', value)]
}

function instrumentFaults(value: string, actors: readonly string[]): readonly string[] {
  if (isBot(value)) return [`Drafted-With: ${value} is a bot, which belongs in Executed-By`]
  if (!isHandle(value)) return [notAHandle('Drafted-With', value)]
  return actors.includes(value) ? [`Drafted-With: ${value} is the person who acted, and no instrument`] : []
}

function isBot(value: string): boolean {
  return value !== bareHandle(value)
}

function bareHandle(value: string): string {
  return value.endsWith(BOT_ENDING) ? value.slice(0, -BOT_ENDING.length) : value
}

function notAHandle(name: string, value: string): string {
  return `${name}: ${value} is no handle such as ~alice`
}
