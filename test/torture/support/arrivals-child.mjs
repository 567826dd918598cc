/**
 * A broker over a store on disk that applies batches of another node for ever, each of them again after a start: to be
 * killed at any moment. It says each batch once it has been answered.
 *
 *   node arrivals-child.mjs <store> <epoch of the boot>
 */
/** What the build has made: by its address, so that no check of types follows it. */
const built = (path) => import(new URL(`../../../dist/${path}`, import.meta.url).href)

const { Broker } = await built('broker/broker.js')
const { systemClock } = await built('core/clock.js')
const { parseSubmission } = await built('protocol/frame/submission.js')
const { loadDriver } = await built('store/driver/driver.js')
const { SqliteLedger } = await built('store/ledger.js')
const { SqliteRing } = await built('store/ring/sqlite-ring.js')

const REALM = 'p.alice'
const LANE = 'agentd.v1.p.alice.f.devbox'
const FRAMES = 20

const log = { debug() {}, info() {}, warn() {}, error() {} }
const [path, bootId] = process.argv.slice(2)

const limits = {
  submissionsPerSecond: 1_000_000,
  submissionBurst: 1_000_000,
  sendersAtOnce: 8,
  sharePercent: 25,
  protectMs: 3_600_000,
  fanOut: 100,
  subscriptions: 100,
  watchers: 16,
  sessions: 100,
  subscriptionBytes: 65_536,
  slowConsumerMs: 30_000,
  leaseMs: 1_800_000,
  mailboxMs: 604_800_000,
  keepAliveMs: 15_000,
  strictTime: false,
  limitRates: false,
  dedupEnvelopes: true,
  priorityPerMinute: 60,
  priorityBurst: 60,
}

function frameOf(seq) {
  const id = `00000000-0000-4000-8000-${String(seq).padStart(12, '0')}`
  return {
    frame: {
      envelope_version: '1.0',
      frame_id: id,
      kind: 'agent_broadcast',
      sender_handle: '~alice',
      recipient_handle: '~alice',
      drafted_with: '~cc',
      acted_by: '~alice',
      provenance_compute_location: 'server-active',
      provenance_method: ['session-context'],
      provenance_context_check: 'passed',
      provenance_basis: 'test',
      created_at: new Date(0).toISOString(),
      payload: { broadcast_text: `frame ${seq}`, event_class: 'merged' },
    },
  }
}

function batchOf(n) {
  const items = Array.from({ length: FRAMES }, (_, i) => {
    const seq = n * FRAMES + i + 1
    const submission = parseSubmission(frameOf(seq))
    return { kind: 'frame', eventId: `far1-${seq}`, submission, expiresAtMs: 2 ** 45 }
  })
  const cursor = { seq: n + 1, node: 'devbox', last: `far1-${(n + 1) * FRAMES}` }
  return { realm: REALM, lane: LANE, node: 'devbox', epoch: 'far1', cursor, items }
}

const retention = { maxFrames: 1_000_000, maxBytes: 2 ** 30, maxAgeMs: 2 ** 50 }
const place = { path, ack: 'process', bootId, nowMs: () => Date.now() }
const ring = new SqliteRing({ driver: await loadDriver(), place, retention, log })
const ledger = new SqliteLedger(ring, log)
const broker = new Broker({
  principal: '~alice',
  limits,
  ring,
  ledger,
  inheritance: ledger.inheritance(Date.now()),
  clock: systemClock,
  processes: { startTime: () => undefined, exists: () => false },
  policy: {},
  defer: setImmediate,
})
const known = broker.origins.cursorOf(REALM)?.seq ?? 0
for (let n = Math.max(0, known - 2); ; n += 1) {
  const answers = await broker.ingest(batchOf(n))
  const refused = answers.find(({ outcome }) => outcome === 'refused')
  if (refused !== undefined) throw new Error(`refused: ${refused.code}`)
  process.stdout.write(`${n}\n`)
}
