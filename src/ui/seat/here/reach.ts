/**
 * Whom a recipient reaches just now, as the roster has it, before anything is sent.
 *
 * The daemon decides when it is sent; this is what the person is told beforehand. It reads the forms of a scope without
 * the grammar, which the daemon holds them against.
 *
 * @see SEAT-23; memo §6
 */
import { withinHandle, type SeatSession } from './session.ts'

/** Sessions that a scope names, the person's own seats left out: nobody writes to a page. */
export function reachOf(
  scope: string,
  principal: string,
  sessions: Iterable<SeatSession>,
): readonly SeatSession[] {
  const others = [...sessions].filter(({ isPerson }) => !isPerson)
  if (scope === principal) return others
  if (!scope.startsWith(`${principal}/`)) return []
  const rest = withinHandle(scope)
  if (!rest.endsWith('*')) return others.filter(({ address }) => address === scope)
  const prefix = rest.slice(0, -1)
  return others.filter(({ instrument }) => instrument.startsWith(prefix))
}
