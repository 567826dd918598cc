/**
 * Counters and gauges as Prometheus text, version 0.0.4.
 *
 * @see docs/http.md §10
 */
import type { Figures } from '../../broker/ports.ts'
import type { LinkMetric } from '../ports/link-port.ts'
import type { ServerParts } from '../request/context.ts'

/** A name without labels and its one value. Neither names nor helps hold anything that would need an escape. */
type Metric = readonly [name: `agentd_${string}`, help: string, value: number]

export async function renderMetrics(parts: ServerParts): Promise<string> {
  const { broker, admission, links } = parts
  const ofLinks = await links.metrics()
  const families = [
    ...submissionsOf(broker.counters).map((metric) => family('counter', metric)),
    ...deliveriesOf(broker.counters, admission.refused).map((metric) => family('counter', metric)),
    ...gaugesOf(parts).map((metric) => family('gauge', metric)),
    ...ofLinks.map(labelled),
  ]
  return families.join('\n')
}

function family(type: 'counter' | 'gauge', [name, help, value]: Metric): string {
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${name} ${value}\n`
}

/** One family with a sample for each link, or for each lane of one. */
function labelled({ type, name, help, samples }: LinkMetric): string {
  const lines = samples.map(({ labels, value }) => {
    const pairs = Object.entries(labels).map(([label, text]) => `${label}="${text}"`)
    return `${name}{${pairs.join(',')}} ${value}\n`
  })
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`
}

/** What came in. */
function submissionsOf(counters: Figures): readonly Metric[] {
  return [
    ['agentd_frames_accepted_total', 'Frames accepted and put in sequence.', counters.framesAccepted],
    [
      'agentd_frames_duplicate_total',
      'Submissions answered from the dedup window.',
      counters.framesDuplicate,
    ],
    [
      'agentd_envelopes_accepted_total',
      'Envelopes accepted and put in sequence.',
      counters.envelopesAccepted,
    ],
    [
      'agentd_envelopes_duplicate_total',
      'Envelopes answered from the dedup window.',
      counters.envelopesDuplicate,
    ],
    [
      'agentd_envelopes_capped_total',
      "Envelopes treated as normal for their sender's quota.",
      counters.envelopesCapped,
    ],
    [
      'agentd_envelopes_late_total',
      'Envelopes that came after the end of their task.',
      counters.envelopesLate,
    ],
  ]
}

/** What went out, and who was not let in. */
function deliveriesOf(counters: Figures, connectionsRefused: number): readonly Metric[] {
  return [
    [
      'agentd_deliveries_emitted_total',
      'Frames and envelopes times the subscriptions they went to.',
      counters.deliveriesEmitted,
    ],
    [
      'agentd_deliveries_queued_total',
      'Frames and envelopes times the mailboxes they wait in.',
      counters.deliveriesQueued,
    ],
    ['agentd_streams_opened_total', 'Streams opened.', counters.streamsOpened],
    [
      'agentd_streams_cut_slow_total',
      'Streams cut because their reader took nothing.',
      counters.streamsCutSlow,
    ],
    [
      'agentd_gaps_told_total',
      'Gap events written to streams that were passed by the ring.',
      counters.gapsTold,
    ],
    ['agentd_connections_refused_total', 'Connections turned away.', connectionsRefused],
  ]
}

/** How things are just now. */
function gaugesOf({ broker, facts }: ServerParts): readonly Metric[] {
  const { ring, sessions, streams, watchers } = broker
  return [
    ['agentd_sessions', 'Sessions on the roster.', sessions.count],
    ['agentd_subscriptions', 'Open streams.', streams.count],
    ['agentd_watchers', 'Open watches.', watchers.count],
    ['agentd_ring_frames', 'Frames and envelopes retained for replay.', ring.count],
    ['agentd_ring_bytes', 'Bytes charged to the replay ring.', ring.bytes],
    ['agentd_resident_memory_bytes', 'Resident memory of the daemon.', process.memoryUsage.rss()],
    [
      'agentd_start_time_seconds',
      'When the daemon started, in seconds since 1970.',
      facts.startedAtMs / 1_000,
    ],
  ]
}
