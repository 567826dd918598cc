/**
 * `service.agentd` through the whole broker: tasks go in as envelopes, and answers come out as envelopes
 * (AEE-057…AEE-066, AEQ-10, AEQ-18, AEQ-19).
 */
import { describe, expect, test } from 'vitest'
import { decodeEnvelopeText, type Envelope } from '../../../src/aee/envelope/envelope.ts'
import { aeeIntents } from '../../../src/aee/intents/intents.ts'
import { SchemaRegistry } from '../../../src/aee/schemas/registry.ts'
import { MemoryRing } from '../../../src/broker/ring/memory/memory-ring.ts'
import { AgentdError } from '../../../src/core/errors.ts'
import { unhandledDuring } from '../../support/unhandled.ts'
import { ArraySink, Workbench } from '../workbench.ts'

const SERVICE = 'service.agentd'

/** A bench with a session that asks as `agent.asking`. */
function withAsker(options?: ConstructorParameters<typeof Workbench>[0]) {
  const bench = new Workbench(options)
  const session = bench.session('cc', 'asking', { entities: ['agent.asking'] })
  const { sink } = bench.open(session, { sink: new ArraySink() })
  /** Sends a task, and gives the answer. */
  const ask = async (intent: string, payload: object = {}, more: object = {}): Promise<Envelope> => {
    const before = sink.envelopes.length
    bench.tell({ from: 'agent.asking', to: SERVICE, intent, payload, ...more }, session)
    await bench.serve()
    const answers = sink.envelopes.slice(before)
    expect(answers).toHaveLength(1)
    return decodeEnvelopeText(answers[0] ?? '').envelope
  }
  return { bench, session, sink, ask }
}

test('a task to the daemon reaches it, and nobody else is told', async () => {
  const { bench, session, sink } = withAsker()
  const stranger = bench.open(bench.session('cc', 'other', { entities: ['agent.other'] }))

  const task = { from: 'agent.asking', to: SERVICE, intent: 'aee.status.ping', payload: {} }
  const reply = bench.tell(task, session)
  expect(reply).toMatchObject({ recipient_count: 1, queued_count: 0, warnings: [] })
  expect(sink.envelopes).toEqual([])
  await bench.serve()

  expect(sink.envelopes).toHaveLength(1)
  expect(stranger.sink.envelopes).toEqual([])
})

test('an answer is a whole envelope: to whom asked, in its workflow, to its task, within its trace (AEE-026, AEE-C03, AEE-C22)', async () => {
  const { bench, ask } = withAsker()
  const trace = { trace_id: '4bf92f3577b34da6a3ce929d0e0e4736', span_id: '00f067aa0ba902b7' }
  const head = { id: 'task-0001', corr: 'corr-0001', trace, priority: 'high' }

  const answer = await ask('aee.status.ping', {}, head)

  expect(answer).toEqual({
    v: '1',
    id: expect.stringMatching(/^[0-9A-HJKMNP-TV-Z]{26}$/i),
    ts: '2026-11-20T12:00:00.000Z',
    type: 'result',
    from: SERVICE,
    to: 'agent.asking',
    intent: 'aee.status.ping',
    corr: 'corr-0001',
    reply_to: 'task-0001',
    trace: {
      trace_id: trace.trace_id,
      span_id: expect.stringMatching(/^[0-9a-f]{16}$/),
      parent_span_id: trace.span_id,
    },
    priority: 'high',
    requires: null,
    sig: null,
    payload: { pong: true, ts: '2026-11-20T12:00:00.000Z' },
  })
  expect(Reflect.get(answer.trace ?? {}, 'span_id')).not.toBe(trace.span_id)
  // It is an envelope like any other: retained, found, threaded, and the end of its task.
  expect(bench.ring.thread('corr-0001').map(({ facts }) => facts.id)).toEqual(['task-0001', answer.id])
  expect(bench.broker.receipts.requireEnvelope(answer.id).envelope?.isLate).toBe(false)
})

describe('the seven (AEE-058…AEE-064)', () => {
  const TARGET = 'target-0001'

  test.each([
    ['aee.status.ping', {}, { pong: true, ts: expect.any(String) }],
    ['aee.status.health', {}, { status: 'healthy' }],
    ['aee.spec.query', {}, { aee_version: '1', extensions: [], implementation: 'agentd/0.0.0' }],
    ['aee.capability.list', {}, { intents: [...aeeIntents()] }],
    [
      'aee.capability.list',
      { namespace_filter: 'aee.status.' },
      { intents: ['aee.status.ping', 'aee.status.health'] },
    ],
    ['aee.context.fetch', { id: 'never-was' }, { found: false }],
    ['aee.context.refute', { id: 'never-was', reason: 'no' }, { acknowledged: false }],
    ['aee.context.refute', { id: TARGET, reason: 'no' }, { acknowledged: true }],
    [
      'aee.validate.payload',
      { intent: 'aee.status.ping', payload_to_validate: { pong: true }, type_hint: 'result' },
      { valid: true },
    ],
    [
      'aee.validate.payload',
      { intent: 'aee.status.ping', payload_to_validate: { pong: 'yes' }, type_hint: 'result' },
      { valid: false, errors: [expect.stringContaining('pong')] },
    ],
  ])('%s %j', async (intent, payload, result) => {
    const { bench, session, ask } = withAsker()
    bench.tell({ id: TARGET, from: 'agent.asking', to: 'bus.ops' }, session)

    const answer = await ask(intent, payload)

    expect([answer.type, answer.payload]).toEqual(['result', result])
    // What the daemon says fits what it says of it.
    expect(new SchemaRegistry().validate(intent, 'result', answer.payload)).toEqual({ kind: 'valid' })
  })

  test('a fetched envelope is what was stored, byte for byte, with the numbers nobody can hold (AEE-C02)', async () => {
    const { bench, session, sink, ask } = withAsker()
    const text = `{"x":[1.0,1e400, 12345678901234567890],${JSON.stringify(
      bench.envelope({ id: TARGET, from: 'agent.asking' }),
    ).slice(1)}`
    bench.publishEnvelope(text, session)

    const answer = await ask('aee.context.fetch', { id: TARGET })

    expect(answer.payload['found']).toBe(true)
    expect(sink.envelopes.at(-1)).toContain(`"envelope":${text}`)
  })

  test.each([
    ['aee.status.ping', { unexpected: 1 }],
    ['aee.context.fetch', {}],
    ['aee.context.fetch', { id: 7 }],
    ['aee.context.refute', { id: TARGET }],
    ['aee.context.refute', { id: TARGET, reason: '' }],
    ['aee.validate.payload', { intent: 'x.y.z' }],
  ])('%s with the payload %j is refused, and does nothing (AEE-029)', async (intent, payload) => {
    const { bench, session, ask } = withAsker()
    bench.tell({ id: TARGET, from: 'agent.asking', to: 'bus.ops' }, session)

    const { type, payload: failure } = await ask(intent, payload)

    expect([type, failure]).toMatchObject([
      'error',
      { code: 'E_INVALID_PAYLOAD', message: expect.any(String), retryable: false },
    ])
    expect(bench.ring.refutationsOf(TARGET)).toEqual([])
  })

  test.each(aeeIntents())('%s that waits for a person is not carried out (AEQ-10)', async (intent) => {
    const { bench, session, ask } = withAsker()
    bench.tell({ id: TARGET, from: 'agent.asking', to: 'bus.ops' }, session)
    const payload = intent === 'aee.context.refute' ? { id: TARGET, reason: 'no' } : {}

    const answer = await ask(intent, payload, { requires: { human_approval: true } })

    expect([answer.type, answer.payload]).toMatchObject([
      'error',
      { code: 'E_APPROVAL_REQUIRED', retryable: false },
    ])
    expect(bench.ring.refutationsOf(TARGET)).toEqual([])
  })

  test('a human_approval that is no boolean counts as absent (AEQ-09)', async () => {
    const { ask } = withAsker()

    expect((await ask('aee.status.ping', {}, { requires: { human_approval: 'true' } })).type).toBe('result')
  })
})

test.each([
  'ops.backup.check',
  'aee.made.up',
  'aee.ext.agentd.note',
  'aee.protocol.explainer',
  '__proto__',
  'toString',
])('a task of any other intent gets E_UNSUPPORTED_INTENT: %s (AEQ-18)', async (intent) => {
  const { ask } = withAsker()

  const answer = await ask(intent)

  expect([answer.type, answer.intent, answer.payload]).toMatchObject([
    'error',
    intent,
    { code: 'E_UNSUPPORTED_INTENT', message: expect.stringContaining(intent), retryable: false },
  ])
})

test.each(['result', 'error', 'event', 'stream'])(
  'a %s to the daemon is kept and not answered (AEQ-18)',
  async (type) => {
    const { bench, session, sink } = withAsker()
    const message = {
      type,
      from: 'agent.asking',
      to: SERVICE,
      intent: 'aee.status.ping',
      reply_to: 'task-0001',
    }

    expect(bench.tell(message, session)).toMatchObject({ recipient_count: 1 })
    await bench.serve()

    expect([sink.envelopes, bench.ring.count]).toEqual([[], 1])
  },
)

test('the daemon answers for itself alone: a ping for an agent goes to the agent (AEQ-19)', async () => {
  const { bench, session, sink } = withAsker()
  const other = bench.open(bench.session('cc', 'other', { entities: ['agent.other'] }))
  bench.tell({ from: 'agent.asking', to: 'agent.other', intent: 'aee.status.ping', payload: {} }, session)
  await bench.serve()

  expect([other.sink.envelopes.length, sink.envelopes.length]).toEqual([1, 0])
})

test('a task that is sent again is answered once (AEQ-16)', async () => {
  const { bench, session, sink } = withAsker()
  const task = bench.envelope({ from: 'agent.asking', to: SERVICE, intent: 'aee.status.ping', payload: {} })
  bench.submitEnvelope(task, { from: session })
  bench.submitEnvelope(task, { from: session })
  bench.turn()
  await bench.serve()

  expect(bench.publishEnvelope(task, session)).toMatchObject({ duplicate: true, recipient_count: 1 })
  await bench.serve()

  expect(sink.envelopes).toHaveLength(1)
})

test('who is not there finds the answer in the mailbox, and who never listens loses nothing else', async () => {
  const bench = new Workbench()
  const session = bench.session('cc', 's1', { entities: ['agent.asking'], mailbox: true })
  const ping = { to: SERVICE, intent: 'aee.status.ping', payload: {} }
  bench.tell({ ...ping, from: 'agent.asking' }, session)
  bench.tell({ ...ping, from: 'agent.nobody' })
  await bench.serve()

  const answers = bench.drainEnvelopes(session).map((text) => JSON.parse(text))
  expect(answers).toMatchObject([{ from: SERVICE, to: 'agent.asking', payload: { pong: true } }])
  expect(bench.ring.count).toBe(4)
})

test('the daemon answers in a strict daemon that demands signatures: nobody else can speak as it', async () => {
  const { ask } = withAsker({ policy: { isStrict: true } })

  expect((await ask('aee.status.ping')).payload).toMatchObject({ pong: true })
})

test('the daemon’s answers count in no quota, and cannot be used up (AEE-094)', async () => {
  const { bench, session, sink } = withAsker({ limits: { submissionsPerSecond: 1, submissionBurst: 5 } })
  for (let i = 0; i < 5; i += 1)
    bench.tell({ from: 'agent.asking', to: SERVICE, intent: 'aee.status.ping', payload: {} }, session)
  await bench.serve()

  expect(sink.envelopes).toHaveLength(5)
  expect(bench.tell({ to: 'bus.ops', type: 'event' })).toMatchObject({ warnings: [] })
})

describe('what goes wrong with an answer is not the daemon’s end', () => {
  const PING = { from: 'agent.asking', to: SERVICE, intent: 'aee.status.ping', payload: {} }

  test('an answer that would reach more than one submission may', async () => {
    const bench = new Workbench({ limits: { fanOut: 1 } })
    const session = bench.session('cc', 's1', { entities: ['agent.asking'] })
    const sinks = [bench.open(session).sink, bench.open(session).sink]

    const unhandled = await unhandledDuring(async () => {
      bench.tell(PING, session)
      await bench.serve()
    })

    expect(unhandled).toEqual([])
    expect(sinks.map(({ envelopes }) => envelopes)).toEqual([[], []])
  })

  test('a store that cannot be read just then', async () => {
    class Unreadable extends MemoryRing {
      isUnreadable = false

      override find(key: string) {
        if (this.isUnreadable) throw new AgentdError('store-full', 'The store cannot be read.')
        return super.find(key)
      }
    }
    let ring: Unreadable | undefined
    const bench = new Workbench({ makeRing: (...args) => (ring = new Unreadable(...args)) })
    const fetch = { ...PING, intent: 'aee.context.fetch', payload: { id: 'never-was' } }

    const unhandled = await unhandledDuring(async () => {
      bench.tell(fetch)
      if (ring !== undefined) ring.isUnreadable = true
      await bench.serve()
      if (ring !== undefined) ring.isUnreadable = false
    })

    expect(unhandled).toEqual([])
  })

  test('schemas that cannot be loaded', async () => {
    const bench = new Workbench({ loadSchemas: () => Promise.reject(new Error('no such file')) })

    const unhandled = await unhandledDuring(async () => {
      bench.tell(PING)
      await bench.serve()
    })

    expect(unhandled).toEqual([])
  })

  test('the daemon that closes while it has a task to answer', async () => {
    const bench = new Workbench()

    const unhandled = await unhandledDuring(async () => {
      bench.submitEnvelope(bench.envelope(PING))
      bench.broker.close()
      await bench.serve()
    })

    expect(unhandled).toEqual([])
  })
})
