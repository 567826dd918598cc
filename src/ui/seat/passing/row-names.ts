/**
 * Who is at the two ends of what passes, as people call them.
 *
 * The names are the sessions' own, not yet safe to show: `visible-text.ts` comes after.
 */
import { withinHandle, type SeatSession } from '../here/session.ts'
import type { PassedItem } from './passed.ts'
import { isPersonal } from './row-filter.ts'

/** From whom and to whom; the person is `you`, and everybody is `all`. */
export interface RowNames {
  readonly from: string
  readonly to: string
}

/** @param sessions - who is here, by address */
export function namesOf(
  { from, to }: Pick<PassedItem, 'from' | 'to'>,
  principal: string,
  sessions: ReadonlyMap<string, SeatSession>,
): RowNames {
  const called = (address: string): string =>
    isPersonal(address, principal) ? 'you' : (sessions.get(address)?.called ?? withinHandle(address))
  const isEverybody = to === principal || to === `${principal}/*`
  return { from: called(from), to: isEverybody ? 'all' : called(to) }
}
