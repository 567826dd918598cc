/**
 * How a link is, in the words of `GET /v1/links`.
 *
 * @see docs/http.md §13; FED-61, FED-65
 */
import { isoTime } from '../broker/roster-entry.ts'
import type { LinkRules } from '../host/config/config.ts'
import { audienceToken } from '../link/audience.ts'
import type { LinkReply } from '../protocol/http/links-reply.ts'
import type { RemoteNode } from '../broker/remote/remote.ts'
import type { Condition } from './condition.ts'
import type { Inbound } from './in/inbound.ts'
import type { ClockOffsets } from './rosters/clock-offsets.ts'
import type { LinkParts } from './link-parts.ts'
import type { Outbound } from './out/outbound.ts'
import type { Sealing } from './seal/sealing.ts'
import type { Side } from './side/side.ts'

/** What is told of. */
interface DescribedLink {
  readonly condition: Condition
  readonly side: Pick<Side, 'isNamed' | 'lostPlace' | 'voucher'>
  readonly inbound: Pick<Inbound, 'counts' | 'readings'>
  readonly outbound: Pick<Outbound, 'backlogs' | 'fedCount' | 'gapCount'>
  readonly offsets: Pick<ClockOffsets, 'of'>
  readonly sealing: Pick<Sealing, 'isOn' | 'trouble' | 'without'>
  nodes(): readonly RemoteNode[]
}

export function describeLink(
  link: DescribedLink,
  { broker, clock, file, name, rulesOf }: LinkParts,
): LinkReply {
  const { condition, inbound, outbound, sealing, side } = link
  const { counts } = inbound
  const lanes = lanesOf(outbound, clock.nowMs())
  const ahead = link.offsets.of(file.node) ?? 0
  return {
    name,
    realm: file.realm,
    node: file.node,
    ...stateOf(link),
    since_ms: condition.sinceMs,
    what_leaves: whatLeaves(rulesOf(name).allow),
    ...(sealing.isOn && { seal: 'realm', unsealed_for: [...sealing.without] }),
    waiting: lanes.reduce((sum, lane) => sum + lane.waiting, 0),
    lag_ms: Math.max(0, ...lanes.map(({ lag_ms: lagMs }) => lagMs)),
    behind: condition.behind,
    behind_ms: Math.max(0, condition.behindMs - ahead),
    lanes,
    readings: inbound.readings.map(({ filter, audience }) => {
      const { behind, behindMs } = condition.behindOf(filter)
      return { filter, for: audienceToken(audience), behind, behind_ms: Math.max(0, behindMs - ahead) }
    }),
    server: condition.server,
    max_payload: condition.maxPayload ?? null,
    authority_epoch: side.voucher.authorityEpoch,
    is_durable: broker.origins.isDurable,
    nodes: link.nodes().map(({ node, state, asOfMs, sessions, isUntold, offsetMs }) => ({
      node,
      state,
      as_of: isoTime(asOfMs),
      sessions: sessions.length,
      ...(isUntold === true && { untold: true as const }),
      offset_ms: offsetMs ?? null,
    })),
    figures: {
      records_out: outbound.fedCount,
      records_in: counts.applied,
      repeats: counts.repeat,
      refused: counts.refused,
      skipped: counts.skipped,
      holes: counts.holes,
      gaps: outbound.gapCount,
      reconnects: condition.reconnects,
    },
  }
}

function lanesOf({ backlogs }: Pick<Outbound, 'backlogs'>, nowMs: number): LinkReply['lanes'] {
  return backlogs.map(({ lane, audience, waiting, oldestMs }) => ({
    lane,
    for: audienceToken(audience),
    waiting,
    lag_ms: oldestMs === undefined ? 0 : Math.max(0, nowMs - oldestMs),
  }))
}

/**
 * Whoever is let in no more, or is fenced, has another trouble than a key that is missing. A hub that does not know yet that no
 * document names this machine any more goes on letting it in, and nothing passes.
 */
function stateOf({
  condition: { state, why },
  sealing: { trouble },
  side: { isNamed, lostPlace },
}: DescribedLink): Pick<LinkReply, 'state' | 'why'> {
  if (state === 'refused' || state === 'fenced') return { state, why }
  const lacking = isNamed ? trouble : lostPlace
  return lacking === undefined ? { state, why } : { state: 'refused', why: lacking }
}

/** One sentence for people, without its full stop. */
function whatLeaves({ kinds, from, redact, presence, bus, compute }: LinkRules['allow']): string {
  const who = presence === 'none' ? 'nobody is told who is here' : `who is here (${presence})`
  if (kinds.length === 0 && bus.length === 0) return `no frame; ${who}`
  const whose = from.includes('*') ? [] : [`from ${from.join(', ')}`]
  const channels = bus.join(', ')
  // Where a frame was worked out, and what of it is blacked out, says nothing of channels.
  if (kinds.length === 0) return `${[`envelopes to ${channels}`, ...whose].join(' ')}; ${who}`
  const parts = [
    kinds.includes('*') ? 'frames of every kind' : `frames of ${kinds.join(', ')}`,
    ...whose,
    ...(compute.length === 3 ? [] : [`worked out at ${compute.join(', ')}`]),
    ...(redact.length === 0 ? [] : [`without ${redact.join(', ')}`]),
    ...(bus.length === 0 ? [] : [`and envelopes to ${channels}`]),
  ]
  return `${parts.join(' ')}; ${who}`
}

/** A link whose file, or estate, is none. */
export function describeRefused(name: string, why: string, sinceMs: number): LinkReply {
  return {
    name,
    realm: '',
    node: '',
    state: 'refused',
    why,
    since_ms: sinceMs,
    what_leaves: 'no frame; nobody is told who is here',
    waiting: 0,
    lag_ms: null,
    behind: 0,
    behind_ms: 0,
    lanes: [],
    readings: [],
    server: null,
    max_payload: null,
    authority_epoch: 0,
    is_durable: false,
    nodes: [],
    figures: {
      records_out: 0,
      records_in: 0,
      repeats: 0,
      refused: 0,
      skipped: 0,
      holes: 0,
      gaps: 0,
      reconnects: 0,
    },
  }
}
