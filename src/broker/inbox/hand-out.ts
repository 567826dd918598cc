/**
 * A drain, and what of it is written down: what is handed over is handed or seen, what it stood for dropped.
 *
 * @see docs/http.md §7, OP-09
 */
import type { Observers } from '../../core/collections/observers.ts'
import type { DrainRequest, Via } from '../../protocol/http/requests.ts'
import type { Retained } from '../ring/retained.ts'
import type { Session } from '../session/session.ts'
import type { Drain, InboxReader } from './inbox.ts'
import type { ReceiptLookup } from './receipts.ts'

interface HandOutParts {
  readonly inbox: InboxReader
  readonly receipts: ReceiptLookup
  readonly handOvers: Observers<[retained: Retained, via: Via]>
}

/** What is asked for. */
interface Wish {
  readonly request: DrainRequest
  /** Which of what waits; the rest goes on waiting. Absent, all. */
  readonly admits: ((retained: Retained) => boolean) | undefined
}

/** @returns what waited; of a peek nothing is written down */
export function handOut(
  { inbox, receipts, handOvers }: HandOutParts,
  session: Session,
  { request, admits }: Wish,
): Drain {
  if (request.handed !== undefined) receipts.endHandOver(session, request.handed)
  const drain = inbox.drain(session, request, admits)
  // Though it is a peek: hooks only ever peek, and it would stand in their way for good.
  receipts.conclude(session, drain.foreign.surplus, 'dropped', request.via)
  if (request.peek) return drain
  receipts.conclude(session, drain.expired, 'expired')
  if (request.state === 'handed') receipts.handOver(session, drain.seen, request.via)
  const ends = request.state === 'handed' ? [] : (['dropped', 'seen'] as const)
  for (const end of ends) receipts.conclude(session, drain[end], end, request.via)
  for (const retained of drain.taken) handOvers.tell(retained, request.via)
  return drain
}
