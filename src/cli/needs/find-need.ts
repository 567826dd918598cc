/**
 * A need by what a person types: its id, or a beginning of it that no other has.
 */
import { UsageError } from '../../core/errors.ts'
import type { PersonNeed } from '../../client/index.ts'
import { safeLine } from '../../core/text/safe-text.ts'

/** The letters of an id that are shown, or more where two begin alike. */
const LEAST_ID_LETTERS = 8

/** @throws UsageError for one that is not there, or may be several */
export function findNeed(needs: readonly PersonNeed[], given: string): PersonNeed {
  const wanted = given.toLowerCase()
  const exact = needs.find(({ needId }) => needId.toLowerCase() === wanted)
  if (exact !== undefined) return exact
  const found = needs.filter(({ needId }) => wanted !== '' && needId.toLowerCase().startsWith(wanted))
  const [only, ...others] = found
  if (only !== undefined && others.length === 0) return only
  if (only === undefined)
    throw new UsageError(`Nothing that needs you begins with "${given}"; "agentd needs" shows what there is.`)
  const ids = found.map(({ needId }) => needId).join(', ')
  throw new UsageError(safeLine(`"${given}" may be one of ${found.length}: ${ids}.`))
}

/** Id → as much of it as tells it from the others; an address stays whole. */
export function shortIds(needs: readonly PersonNeed[]): ReadonlyMap<string, string> {
  const ids = needs.map(({ needId }) => needId)
  return new Map(needs.map(({ needId, type }) => [needId, type === 'prompt' ? needId : shortId(needId, ids)]))
}

function shortId(id: string, all: readonly string[]): string {
  const others = all.filter((other) => other !== id).map((other) => other.toLowerCase())
  for (let length = LEAST_ID_LETTERS; length < id.length; length += 1) {
    const short = id.slice(0, length)
    if (!others.some((other) => other.startsWith(short.toLowerCase()))) return short
  }
  return id
}
