/**
 * What needed the person before anybody asked for it: read from the ring, so that it outlives a daemon (SEAT-08).
 */
import { AgentdError } from '../../core/errors.ts'
import { parseFilter } from '../../protocol/frame/filter.ts'
import type { Broker } from '../broker.ts'
import { OWN_WORK } from '../ring/background.ts'
import type { Retained } from '../ring/retained.ts'
import { MAX_NEEDS, NEED_MS, isAnswer, type OpenNeed } from './open-needs.ts'
import { CLOSING_KINDS, OPENING_KINDS, readEnd, readOpening } from './readings.ts'

/** Admits no frame, so that only envelopes are read. */
const NO_FRAME = 'content_type:none'

/**
 * Looks back as far as a need lives, with other work in between; a daemon that goes meanwhile finds none.
 *
 * @returns those that nothing retained has closed, of each addressing the newest {@link MAX_NEEDS}, in any order
 */
export async function findPastNeeds(
  broker: Pick<Broker, 'principal' | 'readHistory'>,
  nowMs: number,
): Promise<readonly OpenNeed[]> {
  const sinceMs = nowMs - NEED_MS
  const needs = new Map<string, OpenNeed>()
  const counts = { you: 0, anyone: 0 }
  const findOpening = (retained: Retained): void => {
    const need = readOpening(retained, broker.principal)
    if (need === undefined || counts[need.addressed] === MAX_NEEDS || needs.has(need.key)) return
    counts[need.addressed] += 1
    needs.set(need.key, need)
  }
  const findEnd = (retained: Retained): void => {
    const end = readEnd(retained)
    const need = needs.get(end?.key ?? '')
    if (end !== undefined && need !== undefined && isAnswer(end, need)) needs.delete(need.key)
  }
  try {
    await visit(broker, { kinds: OPENING_KINDS, sinceMs }, findOpening)
    await visit(broker, { kinds: CLOSING_KINDS, sinceMs }, findEnd)
  } catch (error) {
    if (!(error instanceof AgentdError)) throw error
  }
  return [...needs.values()]
}

/** Every retained frame of some kinds and every envelope, the newest first of each. */
async function visit(
  broker: Pick<Broker, 'readHistory'>,
  { kinds, sinceMs }: { readonly kinds: readonly string[]; readonly sinceMs: number },
  look: (retained: Retained) => void,
): Promise<void> {
  const readBack = (text: string): Promise<unknown> =>
    broker.readHistory({
      afterSeq: undefined,
      limit: 1,
      sinceMs,
      search: { filter: parseFilter(text), handle: undefined, withEnvelopes: text === NO_FRAME },
      asker: OWN_WORK,
      admits: (retained) => {
        look(retained)
        return false
      },
    })
  await Promise.all([...kinds.map((kind) => `kind:${kind}`), NO_FRAME].map(readBack))
}
