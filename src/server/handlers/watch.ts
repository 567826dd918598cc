/** The watch: everything that passes, for who looks on (docs/http.md §6, W-1). */
import { rosterLine } from '../../broker/roster-entry.ts'
import { MAX_ROSTER_SESSIONS } from '../../core/limits.ts'
import { octetLength } from '../../core/text/octets.ts'
import { WatchQuery } from '../../protocol/http/requests.ts'
import type { Need } from '../../protocol/http/need.ts'
import type { WatchSnapshot } from '../../protocol/http/watch-events.ts'
import { EVENT_SNAPSHOT, encodeAside } from '../../protocol/sse/encoder.ts'
import type { RouteAnswer } from '../request/answer.ts'
import { queryOf, type RequestContext } from '../request/context.ts'
import { healthOf } from './daemon.ts'
import { cursorOf, readUntilClosed, takeConnection } from './stream.ts'

/** What needs of a snapshot may take, in octets; more of them are listed by `/v1/needs`. */
const MAX_SNAPSHOT_NEEDS_OCTETS = 524_288

/** Every refusal comes before the first byte. */
export async function openWatch(context: RequestContext): Promise<RouteAnswer> {
  const { broker, caller, request } = context
  const needs = await context.needs()
  const { after, replay } = queryOf(context, WatchQuery)
  broker.watchers.requireRoom()
  const cursor = cursorOf(request, after)
  const snapshot = encodeAside(EVENT_SNAPSHOT, JSON.stringify(snapshotOf(context, needs.list())))
  const wish = { cursor, replay, address: caller.session?.address, snapshot }
  return readUntilClosed(context, broker.watchers.open(wish, takeConnection(context)))
}

/** How everything is just now. */
function snapshotOf(context: RequestContext, listed: readonly Need[]): WatchSnapshot {
  const { broker } = context
  const { ring, principal } = broker
  const present = broker.sessions.present()
  const sessions = present.slice(0, MAX_ROSTER_SESSIONS).map((session) => rosterLine(session))
  let left = MAX_SNAPSHOT_NEEDS_OCTETS
  const needs = listed.filter((need) => (left -= octetLength(JSON.stringify(need))) >= 0)
  const cut: WatchSnapshot['cut'] = [
    ...(sessions.length < present.length ? (['sessions'] as const) : []),
    ...(left < 0 ? (['needs'] as const) : []),
  ]
  return {
    event_id: ring.eventId(ring.lastSeq),
    principal,
    sessions,
    needs,
    health: healthOf(context),
    ...(cut.length > 0 && { cut }),
  }
}
