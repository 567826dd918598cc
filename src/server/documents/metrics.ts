/**
 * Counters as Prometheus text. The library is loaded at the first scrape: most daemons are never scraped.
 */
import type { ServerParts } from '../request/context.ts'

export async function renderMetrics({ broker, facts, admission }: ServerParts): Promise<string> {
  const { Counter, Gauge, Registry } = await import('prom-client')
  const registry = new Registry()
  const registers = [registry]
  const { counters, ring, sessions, streams } = broker
  const count = (name: string, help: string, value: number): void =>
    new Counter({ name, help, registers }).inc(value)
  const gauge = (name: string, help: string, value: number): void =>
    new Gauge({ name, help, registers }).set(value)
  count('agentd_frames_accepted_total', 'Frames accepted and put in sequence.', counters.framesAccepted)
  count(
    'agentd_frames_duplicate_total',
    'Submissions answered from the dedup window.',
    counters.framesDuplicate,
  )
  count(
    'agentd_envelopes_accepted_total',
    'Envelopes accepted and put in sequence.',
    counters.envelopesAccepted,
  )
  count(
    'agentd_envelopes_duplicate_total',
    'Envelopes answered from the dedup window.',
    counters.envelopesDuplicate,
  )
  count(
    'agentd_envelopes_capped_total',
    "Envelopes treated as normal for their sender's quota.",
    counters.envelopesCapped,
  )
  count(
    'agentd_envelopes_late_total',
    'Envelopes that came after the end of their task.',
    counters.envelopesLate,
  )
  count(
    'agentd_deliveries_emitted_total',
    'Frames and envelopes times the subscriptions they went to.',
    counters.deliveriesEmitted,
  )
  count(
    'agentd_deliveries_queued_total',
    'Frames and envelopes times the mailboxes they wait in.',
    counters.deliveriesQueued,
  )
  count('agentd_streams_opened_total', 'Streams opened.', counters.streamsOpened)
  count(
    'agentd_streams_cut_slow_total',
    'Streams cut because their reader took nothing.',
    counters.streamsCutSlow,
  )
  count(
    'agentd_gaps_told_total',
    'Gap events written to streams that were passed by the ring.',
    counters.gapsTold,
  )
  count('agentd_connections_refused_total', 'Connections turned away.', admission.refused)
  gauge('agentd_sessions', 'Sessions on the roster.', sessions.count)
  gauge('agentd_subscriptions', 'Open streams.', streams.count)
  gauge('agentd_ring_frames', 'Frames and envelopes retained for replay.', ring.count)
  gauge('agentd_ring_bytes', 'Bytes charged to the replay ring.', ring.bytes)
  gauge('agentd_resident_memory_bytes', 'Resident memory of the daemon.', process.memoryUsage.rss())
  gauge(
    'agentd_start_time_seconds',
    'When the daemon started, in seconds since 1970.',
    facts.startedAtMs / 1_000,
  )
  return registry.metrics()
}
