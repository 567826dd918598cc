/**
 * Entities: who sends and who receives. Any string may name one; `<type>.<name>` is the custom.
 *
 * @see draft-cowles-aee-00 §5, AEE-032…AEE-034, AEQ-20, AEQ-21
 */
import { MAX_ENTITY_OCTETS } from '../../core/limits.ts'
import { octetLength } from '../../core/text/octets.ts'
import { editDistance } from '../../core/text/edit-distance.ts'

/** The daemon itself, which answers the intents of `aee.*` (AEQ-19). */
export const SERVICE_ENTITY = 'service.agentd'

const CHANNEL_PREFIX = 'bus.'
const AGENT_PREFIX = 'agent.'
const HUMAN_PREFIX = 'human.'
const LOG_PREFIX = 'log.'

/** What could break a line of a stream or a log, and what UTF-8 cannot carry. */
const UNFIT = /[\p{Cc}\p{Surrogate}]/u

/** Known names that are looked at for suggestions: a mistyped name must not cost a walk over everybody. */
const MAX_NAMES = 1_000

/** Longer names are not compared; nobody mistypes by a letter in one. */
const MAX_NAME_LENGTH = 64

/** How many suggestions a refusal carries when nobody says otherwise. */
const DEFAULT_SUGGESTIONS = 3

/** The most letters a mistyped name may be away. */
const MAX_EDITS = 3

/** The letters two names have to begin with alike, or half of the names of a type would be near. */
const MIN_SHARED = 2

/** The entity of an agent that people call by a name: `agent.api-refactor`. */
export function agentEntity(name: string): string {
  return `${AGENT_PREFIX}${name}`
}

/** Whether an entity is a broadcast channel, `bus.<name>` (AEQ-20). */
export function isChannel(entity: string): boolean {
  return entity.startsWith(CHANNEL_PREFIX) && entity.length > CHANNEL_PREFIX.length
}

/** Whether an entity is a log, `log.<name>`, such as the `log.aocl` that traces are sent to: nobody has to hear it. */
export function isLog(entity: string): boolean {
  return entity.startsWith(LOG_PREFIX) && entity.length > LOG_PREFIX.length
}

/** Whether an entity is a person, `human.<name>` (AEQ-21). */
export function isHuman(entity: string): boolean {
  return entity.startsWith(HUMAN_PREFIX) && entity.length > HUMAN_PREFIX.length
}

/** Whether a session may register under a name: 1 to 256 octets, well-formed Unicode, no control characters. */
export function isEntity(text: string): boolean {
  return text !== '' && octetLength(text) <= MAX_ENTITY_OCTETS && !UNFIT.test(text)
}

/**
 * Known names that somebody who wrote `wanted` may have meant, closest first, for `recipient-unknown`.
 *
 * A name is near when it differs in case only or in a few letters, when only its type differs, or when it begins
 * as `wanted` does for at least half of it.
 *
 * @param known - at most the first 1 000 are looked at
 * @param limit - how many are returned at most
 */
export function nearNames(
  wanted: string,
  known: Iterable<string>,
  limit: number = DEFAULT_SUGGESTIONS,
): readonly string[] {
  if (wanted === '' || wanted.length > MAX_NAME_LENGTH) return []
  const folded = wanted.toLowerCase()
  const distances = new Map<string, number>()
  let looked = 0
  for (const name of known) {
    if (looked === MAX_NAMES) break
    looked += 1
    if (name === wanted || name === '' || name.length > MAX_NAME_LENGTH) continue
    const distance = distanceOf(folded, name.toLowerCase())
    if (distance !== undefined) distances.set(name, distance)
  }
  const nearest = [...distances].toSorted(([a, near], [b, far]) => near - far || (a < b ? -1 : 1))
  return nearest.slice(0, limit).map(([name]) => name)
}

/** How far two names are apart, case aside; undefined when they are not near. */
function distanceOf(wanted: string, name: string): number | undefined {
  const edits = editDistance(wanted, name, editsFor(wanted))
  if (edits !== undefined) return edits
  const [own, other] = [nameOf(wanted), nameOf(name)]
  if (own === other) return MAX_EDITS
  const shared = sharedLength(own, other)
  // Past any mistyping; the fewer letters are not shared, the nearer.
  const isNear = typeOf(wanted) === typeOf(name) && shared >= MIN_SHARED && shared * 2 >= own.length
  return isNear ? MAX_EDITS + own.length + other.length - 2 * shared : undefined
}

/** A letter in three, within bounds: of a short name, almost every other one is a few letters away. */
function editsFor(wanted: string): number {
  return Math.min(MAX_EDITS, Math.max(1, Math.floor(nameOf(wanted).length / 3)))
}

function sharedLength(one: string, other: string): number {
  const end = Math.min(one.length, other.length)
  let at = 0
  while (at < end && one.charCodeAt(at) === other.charCodeAt(at)) at += 1
  return at
}

/** What stands before the first dot, the dot included; nothing, when there is none. */
function typeOf(entity: string): string {
  return entity.slice(0, entity.indexOf('.') + 1)
}

/** What follows an entity's type; the whole, when it has none. */
function nameOf(entity: string): string {
  return entity.slice(entity.indexOf('.') + 1)
}
