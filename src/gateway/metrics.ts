/**
 * How links do, as figures of `/v1/metrics`.
 *
 * @see FED-65
 */
import type { LinkReply } from '../protocol/http/links-reply.ts'

/** As the server's port has it. */
export interface LinkMetric {
  readonly type: 'counter' | 'gauge'
  readonly name: `agentd_${string}`
  readonly help: string
  readonly samples: readonly { readonly labels: Readonly<Record<string, string>>; readonly value: number }[]
}

/** Name, help and value of a figure of each link. */
type Figure = readonly [name: `agentd_${string}`, help: string, of: (link: LinkReply) => number]

const GAUGES: readonly Figure[] = [
  ['agentd_link_up', 'Whether the hub of a link is reached.', ({ state }) => (state === 'up' ? 1 : 0)],
  ['agentd_link_waiting_records', 'Records that may leave and are not on the hub.', ({ waiting }) => waiting],
  [
    'agentd_link_lag_seconds',
    'How long the oldest of those has waited.',
    ({ lag_ms }) => (lag_ms ?? 0) / 1_000,
  ],
  [
    'agentd_link_behind_messages',
    'Messages that the hub has and this machine has not read.',
    ({ behind }) => behind,
  ],
  [
    'agentd_link_behind_seconds',
    'How long ago the hub took the last that was read, where there are more.',
    ({ behind_ms }) => behind_ms / 1_000,
  ],
  [
    'agentd_link_nodes',
    'Other nodes that are there.',
    ({ nodes }) => nodes.filter(({ state }) => state === 'here').length,
  ],
]

const COUNTERS: readonly Figure[] = [
  ['agentd_link_records_out_total', 'Records given to the bridge.', ({ figures }) => figures.records_out],
  ['agentd_link_records_in_total', 'Records of other nodes applied.', ({ figures }) => figures.records_in],
  ['agentd_link_records_repeated_total', 'Records known already.', ({ figures }) => figures.repeats],
  ['agentd_link_records_refused_total', 'Records that were refused.', ({ figures }) => figures.refused],
  ['agentd_link_records_skipped_total', 'Records of an unknown sort.', ({ figures }) => figures.skipped],
  ['agentd_link_holes_total', 'Missing parts of lanes.', ({ figures }) => figures.holes],
  ['agentd_link_gaps_total', 'Times the ring did not hold what was to leave.', ({ figures }) => figures.gaps],
  [
    'agentd_link_reconnects_total',
    'Times a bridge reached its hub anew.',
    ({ figures }) => figures.reconnects,
  ],
]

/** A figure of each way out, or in, of each link. */
interface WayGauge<Way> {
  readonly name: `agentd_${string}`
  readonly help: string
  readonly waysOf: (link: LinkReply) => readonly Way[]
  readonly valueOf: (way: Way) => number
}

const LANE_GAUGES: readonly WayGauge<LinkReply['lanes'][number]>[] = [
  {
    name: 'agentd_link_lane_waiting_records',
    help: 'Records of a lane that may leave and are not on the hub.',
    waysOf: ({ lanes }) => lanes,
    valueOf: ({ waiting }) => waiting,
  },
  {
    name: 'agentd_link_lane_lag_seconds',
    help: 'How long the oldest of those has waited.',
    waysOf: ({ lanes }) => lanes,
    valueOf: ({ lag_ms: lagMs }) => lagMs / 1_000,
  },
]

const READING_GAUGES: readonly WayGauge<LinkReply['readings'][number]>[] = [
  {
    name: 'agentd_link_reading_behind_messages',
    help: 'Messages of what a reading is of that this machine has not read.',
    waysOf: ({ readings }) => readings,
    valueOf: ({ behind }) => behind,
  },
  {
    name: 'agentd_link_reading_behind_seconds',
    help: 'How long ago the hub took the last that was read of it, where there are more.',
    waysOf: ({ readings }) => readings,
    valueOf: ({ behind_ms: behindMs }) => behindMs / 1_000,
  },
]

export function linkMetrics(links: readonly LinkReply[]): readonly LinkMetric[] {
  const toMetric =
    (type: LinkMetric['type']) =>
    ([name, help, of]: Figure): LinkMetric => ({
      type,
      name,
      help,
      samples: links.map((link) => ({ labels: { link: link.name }, value: of(link) })),
    })
  return [
    ...GAUGES.map(toMetric('gauge')),
    ...COUNTERS.map(toMetric('counter')),
    offsets(links),
    ...LANE_GAUGES.map((gauge) => toWayMetric(links, 'lane', gauge)),
    ...READING_GAUGES.map((gauge) => toWayMetric(links, 'reading', gauge)),
  ]
}

/** Of each way of a link, by the word for whom it is. */
function toWayMetric<Way extends { readonly for: string }>(
  links: readonly LinkReply[],
  label: 'lane' | 'reading',
  { name, help, waysOf, valueOf }: WayGauge<Way>,
): LinkMetric {
  const samples = links.flatMap((link) =>
    waysOf(link).map((way) => ({ labels: { link: link.name, [label]: way.for }, value: valueOf(way) })),
  )
  return { type: 'gauge', name, help, samples }
}

/** Of each node, how far its clock is from the hub's. */
function offsets(links: readonly LinkReply[]): LinkMetric {
  const samples = links.flatMap(({ name: link, nodes }) =>
    nodes.flatMap(({ node, offset_ms }) =>
      offset_ms === null ? [] : [{ labels: { link, node }, value: offset_ms / 1_000 }],
    ),
  )
  return {
    type: 'gauge',
    name: 'agentd_link_clock_offset_seconds',
    help: "How far a node's clock is ahead of the hub's.",
    samples,
  }
}
