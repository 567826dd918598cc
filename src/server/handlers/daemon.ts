/** The daemon about itself (docs/http.md §10). */
import { AgentdError } from '../../core/errors.ts'
import type { HealthReply } from '../../protocol/http/daemon-replies.ts'
import { MEDIA_METRICS } from '../../protocol/http/media.ts'
import { json, type RouteAnswer } from '../request/answer.ts'
import { paramOf, requirePrincipal, type RequestContext, type ServerParts } from '../request/context.ts'
import { renderMetrics } from '../documents/metrics.ts'
import { serverCard } from '../documents/pointer.ts'

export function getHealth(context: RequestContext): RouteAnswer {
  return json(healthOf(context))
}

/** How the daemon is just now. */
export function healthOf({ broker, clock, facts, memory }: ServerParts): HealthReply {
  const { ring } = broker
  const { enabled, sqliteVersion, synchronous, retention } = ring.health()
  const details = [...facts.details()]
  return {
    status: details.length === 0 ? 'healthy' : 'degraded',
    version: facts.version,
    instance_id: facts.instanceId,
    pid: process.pid,
    epoch: ring.epoch,
    principal: broker.principal,
    started_at: new Date(facts.startedAtMs).toISOString(),
    uptime_ms: Math.max(0, clock.nowMs() - facts.startedAtMs),
    sessions: broker.sessions.count,
    waiting: broker.sessions.waitingCount,
    subscriptions: broker.streams.count,
    peer_credentials: facts.checksPeers ? 'checked' : 'unavailable',
    peer_processes: facts.checksPeers ? 'checked' : 'unavailable',
    ring: {
      enabled,
      ack: ring.ack,
      frames: ring.count,
      bytes: ring.bytes,
      oldest_event_id: ring.oldestEventId,
      newest_event_id: ring.count === 0 ? null : ring.eventId(ring.lastSeq),
      sqlite_version: sqliteVersion,
      synchronous,
      retention: {
        max_frames: retention.maxFrames,
        max_bytes: retention.maxBytes,
        max_age_ms: retention.maxAgeMs,
      },
    },
    memory: { waiting_bytes: memory.usedBytes, max_waiting_bytes: memory.maxBytes },
    ...linksOf(broker.others),
    details,
  }
}

/** The nodes this one is linked with; nothing at all without a link (FED-01). */
function linksOf(others: ServerParts['broker']['others']): Pick<HealthReply, 'links'> {
  if (!others.isLinked) return {}
  const nodes = others.nodes()
  const labels = (state: 'here' | 'away'): string[] => [
    ...new Set(nodes.flatMap((one) => (one.state === state ? one.node : []))),
  ]
  return { links: { here: labels('here'), away: labels('away') } }
}

export function getServerCard({ broker, caller, facts }: RequestContext): RouteAnswer {
  const { authority, principal } = broker
  authority.refresh()
  const organisations = authority.organisationsOf(caller.principal)
  const card = serverCard({ ...facts, principal })
  return json(organisations.length === 0 ? card : { ...card, organisations: [...organisations] })
}

/** Ending it is for the person; a session has no business with the others' daemon. */
export function stopDaemon(context: RequestContext): RouteAnswer {
  requirePrincipal(context, 'Only the principal itself may end the daemon')
  context.stop()
  return json({ pid: process.pid })
}

export async function getMetrics(context: RequestContext): Promise<RouteAnswer> {
  return { kind: 'text', status: 200, text: await renderMetrics(context), mediaType: MEDIA_METRICS }
}

/** What describes the wire is loaded when somebody asks for it. */
export async function getSchema(context: RequestContext): Promise<RouteAnswer> {
  const { PUBLISHED_NAMES, findSchema } = await import('../documents/openapi.ts')
  const name = paramOf(context, 'name')
  const schema = findSchema(name)
  if (schema !== undefined)
    return { kind: 'json', status: 200, body: schema, mediaType: 'application/schema+json' }
  throw new AgentdError(
    'not-found',
    `There is no schema "${name}"; there are ${PUBLISHED_NAMES.join(', ')}.`,
    {
      field: 'name',
    },
  )
}

export async function getOpenApi({ facts }: RequestContext): Promise<RouteAnswer> {
  const { openApiDocument } = await import('../documents/openapi.ts')
  return json(openApiDocument(facts.version))
}
