/**
 * Valid envelopes, written down from the published documents and not from the code (AEE-C01).
 */

/** The task of the draft's section 3. */
export const E0 = {
  v: '1',
  id: '01JFB2R1JZKQ9V3K8W8Y9W1F2A',
  ts: '2025-12-14T03:45:12Z',
  type: 'task',
  from: 'agent.manager',
  to: 'agent.backup_auditor',
  intent: 'ops.backup.status.check',
  corr: '01JFB2QX0K8X5K6ZJ9G2C0C1MW',
  reply_to: null,
  trace: { trace_id: '9f3c', span_id: 'a12b' },
  priority: 'high',
  requires: { timeout_ms: 30_000, evidence: true, human_approval: false },
  payload: { cluster: 'node.lan', window: '24h' },
  sig: null,
}

/** The result of the draft's section 4. */
export const E0_RESULT = {
  v: '1',
  id: '01JFB2S7T8N4J8B7QH1GJ8Z1Y2',
  ts: '2025-12-14T03:45:20Z',
  type: 'result',
  from: 'agent.backup_auditor',
  to: 'agent.manager',
  intent: 'ops.backup.status.check',
  corr: '01JFB2QX0K8X5K6ZJ9G2C0C1MW',
  reply_to: '01JFB2R1JZKQ9V3K8W8Y9W1F2A',
  trace: { trace_id: '9f3c', span_id: 'b77c' },
  priority: 'high',
  requires: { evidence: true },
  payload: {
    status: 'PARTIAL_FAILURE',
    failed: [{ node: 'pve02', reason: 'connection_refused:8007' }],
    confidence: 0.96,
    evidence_refs: ['log:pbs01:job/2025-12-14T02:00Z'],
  },
  sig: null,
}

/** The error of the draft's section 4. */
export const E0_ERROR = {
  v: '1',
  id: '01JFB2T3W9H0J1FQWQ7B2M3D5E',
  ts: '2025-12-14T03:45:21Z',
  type: 'error',
  from: 'agent.backup_auditor',
  to: 'agent.manager',
  intent: 'ops.backup.status.check',
  corr: '01JFB2QX0K8X5K6ZJ9G2C0C1MW',
  reply_to: '01JFB2R1JZKQ9V3K8W8Y9W1F2A',
  trace: { trace_id: '9f3c', span_id: 'c01d' },
  priority: 'high',
  requires: { evidence: true },
  payload: {
    code: 'E_TIMEOUT',
    message: 'PBS API did not respond within 30s',
    retryable: true,
    backoff_ms: 60_000,
    evidence_refs: ['tcp:pve02->pbs01:8007'],
  },
  sig: null,
}

/** The README's task: ids of 28 characters with underscores, neither ULID nor UUID. */
export const HELLO_TASK = {
  v: '1',
  id: '01EXAMPLE_TASK_0000000000001',
  ts: '2025-12-23T12:00:00Z',
  type: 'task',
  from: 'human.adam',
  to: 'agent.router',
  intent: 'demo.hello.world',
  corr: '01EXAMPLE_CORR_0000000000001',
  reply_to: null,
  trace: null,
  priority: 'normal',
  requires: null,
  payload: { message: 'Hello from a human. Route this to a worker.' },
  sig: null,
}

/** The README's result. */
export const HELLO_RESULT = {
  v: '1',
  id: '01EXAMPLE_RESULT_000000000001',
  ts: '2025-12-23T12:00:02Z',
  type: 'result',
  from: 'agent.router',
  to: 'human.adam',
  intent: 'demo.hello.world',
  corr: '01EXAMPLE_CORR_0000000000001',
  reply_to: '01EXAMPLE_TASK_0000000000001',
  trace: null,
  priority: 'normal',
  requires: null,
  payload: { ok: true, note: 'Same corr. reply_to points to the task.' },
  sig: null,
}

const HANDSHAKE = {
  v: '1',
  from: 'agent.client',
  to: 'agent.server',
  corr: '01HANDSHAKE_CORR_00000000001',
  reply_to: null,
  trace: null,
  priority: 'normal',
  requires: { timeout_ms: 5_000 },
  sig: null,
}

/** The handshake: capability.list and spec.query, each a task and its result. */
export const HANDSHAKE_TRACE = [
  {
    ...HANDSHAKE,
    id: '01HANDSHAKE_TASK_00000000001',
    ts: '2025-12-23T12:00:00Z',
    type: 'task',
    intent: 'aee.capability.list',
    payload: { namespace_filter: 'ops.' },
  },
  {
    ...HANDSHAKE,
    id: '01HANDSHAKE_RESULT_000000001',
    ts: '2025-12-23T12:00:01Z',
    type: 'result',
    from: 'agent.server',
    to: 'agent.client',
    intent: 'aee.capability.list',
    reply_to: '01HANDSHAKE_TASK_00000000001',
    payload: { intents: ['ops.backup.status.check', 'ops.network.port.probe'] },
  },
  {
    ...HANDSHAKE,
    id: '01HANDSHAKE_TASK_00000000002',
    ts: '2025-12-23T12:00:02Z',
    type: 'task',
    intent: 'aee.spec.query',
    payload: {},
  },
  {
    ...HANDSHAKE,
    id: '01HANDSHAKE_RESULT_000000002',
    ts: '2025-12-23T12:00:03Z',
    type: 'result',
    from: 'agent.server',
    to: 'agent.client',
    intent: 'aee.spec.query',
    reply_to: '01HANDSHAKE_TASK_00000000002',
    payload: { aee_version: '1', extensions: [] },
  },
]

/** What the quickstart's snippet makes: an offset instead of `Z`, microseconds, a UUID. */
export const QUICKSTART = {
  v: '1',
  id: '0b7d1a52-4e66-4d0f-9f1e-2f3c0b7a9e11',
  ts: '2025-12-23T12:00:00.123456+00:00',
  type: 'task',
  from: 'agent.quickstart',
  to: 'agent.worker',
  intent: 'demo.echo.send',
  corr: '6a1f3bb4-9a55-4a0b-8a55-31b7a4f0c2d3',
  reply_to: null,
  trace: null,
  priority: 'normal',
  requires: null,
  payload: { text: 'hello' },
  sig: null,
}

/** As the repository's note to machines: an event to a pattern, with an intent that is not one of the seven. */
export const EXPLAINER = {
  v: '1',
  id: '01AEE_EXPLAINER_00000000001',
  ts: '2025-12-23T00:00:00Z',
  type: 'event',
  from: 'human.adam',
  to: 'agent.*',
  intent: 'aee.protocol.explainer',
  corr: '01AEE_EXPLAINER_CORR_000001',
  reply_to: null,
  trace: null,
  priority: 'low',
  requires: null,
  payload: { summary: 'An envelope for messages between agents.' },
  sig: null,
}

const AOCL = {
  v: '1',
  corr: 'corr-aocl-backup-0001',
  trace: { trace_id: '4bf92f3577b34da6a3ce929d0e0e4736', span_id: '00f067aa0ba902b7' },
  priority: 'normal',
  requires: null,
  sig: null,
}

/** One work item under an orchestrator: every later envelope, events too, points to the request (AEE-C11). */
export const AOCL_TRACE = [
  {
    ...AOCL,
    id: 'aocl-request-0001',
    ts: '2026-01-10T08:00:00.000Z',
    type: 'task',
    from: 'human.ops_lead',
    to: 'agent.backup_auditor',
    intent: 'ops.backup.status.check',
    reply_to: null,
    payload: { cluster: 'node.lan' },
  },
  {
    ...AOCL,
    id: 'aocl-policy-0001',
    ts: '2026-01-10T08:00:00.010Z',
    type: 'event',
    from: 'service.aocl',
    to: 'log.aocl',
    intent: 'aocl.policy.decided',
    reply_to: 'aocl-request-0001',
    payload: { decision: 'allow' },
  },
  {
    ...AOCL,
    id: 'aocl-delegate-0001',
    ts: '2026-01-10T08:00:00.020Z',
    type: 'task',
    from: 'agent.backup_auditor',
    to: 'agent.prober',
    intent: 'ops.network.port.probe',
    reply_to: 'aocl-request-0001',
    payload: { host: 'pbs01', port: 8007 },
  },
  {
    ...AOCL,
    id: 'aocl-progress-0001',
    ts: '2026-01-10T08:00:01.000Z',
    type: 'stream',
    from: 'agent.backup_auditor',
    to: 'human.ops_lead',
    intent: 'ops.backup.status.check',
    reply_to: 'aocl-request-0001',
    payload: { done: 1, of: 2 },
  },
  {
    ...AOCL,
    id: 'aocl-result-0001',
    ts: '2026-01-10T08:00:02.000Z',
    type: 'result',
    from: 'agent.backup_auditor',
    to: 'human.ops_lead',
    intent: 'ops.backup.status.check',
    reply_to: 'aocl-request-0001',
    payload: { status: 'OK' },
  },
]

/** Only what the schema asks for, and a member that it does not know. */
export const BAREST = {
  v: '1',
  id: 'abcdefgh',
  ts: 'about noon',
  type: 'event',
  from: 'x',
  to: 'bus.ops',
  intent: 'abc',
  corr: 'abcdefgh',
  priority: 'low',
  payload: {},
  x_vendor: { kept: [1, 2.5, null, 'as it came'] },
}

/** Name → one valid envelope. */
export const SAMPLES: readonly (readonly [string, Readonly<Record<string, unknown>>])[] = [
  ['the task of the draft', E0],
  ['the result of the draft', E0_RESULT],
  ['the error of the draft', E0_ERROR],
  ['the task of the README', HELLO_TASK],
  ['the result of the README', HELLO_RESULT],
  ...HANDSHAKE_TRACE.map((envelope) => [`the handshake's ${envelope.id}`, envelope] as const),
  ['the task of the quickstart', QUICKSTART],
  ['the explainer', EXPLAINER],
  ...AOCL_TRACE.map((envelope) => [`the orchestrated ${envelope.id}`, envelope] as const),
  ['the barest envelope', BAREST],
]
