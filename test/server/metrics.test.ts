/**
 * What a scraper reads: the text, octet for octet, and what a strict reader of the format makes of it.
 *
 * @see docs/http.md §10
 */
import { expect, test } from 'vitest'
import { startTestDaemon } from '../support/daemon.ts'
import { post, request } from '../support/http.ts'
import { validFrame } from '../support/frames.ts'

/** Every family in its order: dashboards are built on these names, and people read the helps. */
const FAMILIES: readonly (readonly [type: string, name: string, help: string])[] = [
  ['counter', 'agentd_frames_accepted_total', 'Frames accepted and put in sequence.'],
  ['counter', 'agentd_frames_duplicate_total', 'Submissions answered from the dedup window.'],
  ['counter', 'agentd_envelopes_accepted_total', 'Envelopes accepted and put in sequence.'],
  ['counter', 'agentd_envelopes_duplicate_total', 'Envelopes answered from the dedup window.'],
  ['counter', 'agentd_envelopes_capped_total', "Envelopes treated as normal for their sender's quota."],
  ['counter', 'agentd_envelopes_late_total', 'Envelopes that came after the end of their task.'],
  [
    'counter',
    'agentd_deliveries_emitted_total',
    'Frames and envelopes times the subscriptions they went to.',
  ],
  ['counter', 'agentd_deliveries_queued_total', 'Frames and envelopes times the mailboxes they wait in.'],
  ['counter', 'agentd_streams_opened_total', 'Streams opened.'],
  ['counter', 'agentd_streams_cut_slow_total', 'Streams cut because their reader took nothing.'],
  ['counter', 'agentd_gaps_told_total', 'Gap events written to streams that were passed by the ring.'],
  ['counter', 'agentd_connections_refused_total', 'Connections turned away.'],
  ['gauge', 'agentd_sessions', 'Sessions on the roster.'],
  ['gauge', 'agentd_subscriptions', 'Open streams.'],
  ['gauge', 'agentd_watchers', 'Open watches.'],
  ['gauge', 'agentd_ring_frames', 'Frames and envelopes retained for replay.'],
  ['gauge', 'agentd_ring_bytes', 'Bytes charged to the replay ring.'],
  ['gauge', 'agentd_resident_memory_bytes', 'Resident memory of the daemon.'],
  ['gauge', 'agentd_start_time_seconds', 'When the daemon started, in seconds since 1970.'],
]

interface Family {
  readonly name: string
  readonly type: string
  readonly help: string
  readonly value: number
}

const NAME = '[a-zA-Z_:][a-zA-Z0-9_:]*'
const VALUE = '[+-]?(?:[0-9]+(?:[.][0-9]+)?(?:e[+-]?[0-9]+)?|Inf)|NaN'

/** Reads the text format 0.0.4 as strictly as `promtool check metrics`: help, type, then the sample, each once. */
function readMetrics(text: string): Family[] {
  if (!text.endsWith('\n')) throw new Error('the last line has no end')
  const lines = text.split('\n').filter((line) => line !== '')
  const families: Family[] = []
  for (let at = 0; at < lines.length; at += 3) {
    const [, name, help] = match(new RegExp(`^# HELP (${NAME}) (.+)$`), lines[at])
    const [, typed, type] = match(new RegExp(`^# TYPE (${NAME}) (counter|gauge)$`), lines[at + 1])
    const [, sampled, value] = match(new RegExp(`^(${NAME}) (${VALUE})$`), lines[at + 2])
    if (typed !== name || sampled !== name) throw new Error(`${name}, ${typed} and ${sampled} are one family`)
    if (families.some((family) => family.name === name)) throw new Error(`${name} is there twice`)
    if (name.endsWith('_total') !== (type === 'counter')) throw new Error(`${name} is named against its type`)
    if (/\\(?![\\n])/.test(help)) throw new Error(`the help of ${name} has an escape that is none`)
    families.push({ name, type, help, value: Number(value) })
  }
  return families
}

function match(pattern: RegExp, line = ''): [string, string, string] {
  const [whole, first, second] = pattern.exec(line) ?? []
  if (whole === undefined || first === undefined || second === undefined)
    throw new Error(`${JSON.stringify(line)} is no ${pattern.source}`)
  return [whole, first, second]
}

test.each([
  ['# HELP a_total A\n# TYPE a_total counter\na_total 1', 'no end'],
  ['# HELP a_total A\na_total 1\n', 'is no'],
  ['# HELP a_total A\n# TYPE b_total counter\na_total 1\n', 'one family'],
  ['# HELP a A\n# TYPE a counter\na 1\n', 'against its type'],
  ['# HELP a A\n# TYPE a gauge\na one\n', 'is no'],
  ['# HELP a A\\x\n# TYPE a gauge\na 1\n', 'escape'],
])('the reader of this test is strict: %j', (text, fault) => {
  expect(() => readMetrics(text)).toThrow(fault)
})

test('the metrics of a daemon are the families that scrapers know, in the text they know (docs/http.md §10)', async () => {
  await using daemon = await startTestDaemon()
  const frame = validFrame()
  await post(daemon.socket, '/v1/frames', { frame })
  await post(daemon.socket, '/v1/frames', { frame })
  const { body: health } = await request(daemon.socket, '/v1/health')

  const { text, headers } = await request(daemon.socket, '/v1/metrics')

  expect(headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8')
  const families = readMetrics(text)
  expect(families.map(({ type, name, help }) => [type, name, help])).toEqual(FAMILIES)
  const written = families.map(
    ({ name, type, help, value }) => `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${name} ${value}\n`,
  )
  expect(text).toBe(written.join('\n'))
  const values = Object.fromEntries(families.map(({ name, value }) => [name, value]))
  expect(values).toMatchObject({ agentd_frames_accepted_total: 1, agentd_frames_duplicate_total: 1 })
  expect(values['agentd_start_time_seconds']).toBe(Date.parse(health.started_at) / 1_000)
  expect(values['agentd_resident_memory_bytes']).toBeGreaterThan(10_000_000)
})
