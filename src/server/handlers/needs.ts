/** What needs the person (docs/http.md §7, W-3), and the few numbers of a status line (W-6). */
import type { NeedsReply, SummaryReply } from '../../protocol/http/need.ts'
import { json, type RouteAnswer } from '../request/answer.ts'
import type { RequestContext } from '../request/context.ts'
import { isoTime } from '../../broker/roster-entry.ts'

/** All that is open or late, in the order of SEAT-09. */
export async function getNeeds(context: RequestContext): Promise<RouteAnswer> {
  const live = await context.needs()
  const { you, anyone, displaced } = live.count()
  const reply: NeedsReply = { needs: [...live.list()], counts: { you, anyone }, displaced }
  return json(reply)
}

/** Reads no ring: a prompt asks for it with every line. */
export async function getSummary(context: RequestContext): Promise<RouteAnswer> {
  const { broker } = context
  const { you, anyone, oldestMs } = (await context.needs()).count()
  const reply: SummaryReply = {
    sessions: broker.sessions.count,
    waiting: broker.sessions.waitingCount,
    needs: { you, anyone },
    oldest_need_at: oldestMs === undefined ? null : isoTime(oldestMs),
    last_event_id: broker.ring.eventId(broker.ring.lastSeq),
  }
  return json(reply)
}
