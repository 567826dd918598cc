import { UsageError } from '../../../src/core/errors.ts'
import { describe, expect, test, vi } from 'vitest'
import type { Envelope } from '../../../src/aee/envelope/envelope.ts'
import { CLOSE_SERVICE_MS, type EntityService } from '../../../src/client/service/entity-service.ts'
import { TaskError } from '../../../src/client/envelopes/errors.ts'
import type { EnvelopeDraft } from '../../../src/client/envelopes/outgoing-envelope.ts'
import type { AgentdSession } from '../../../src/client/session.ts'
import type { ServeOptions, TaskContext, TaskHandlers } from '../../../src/client/service/task-handler.ts'
import { MAX_TASK_MS } from '../../../src/client/service/task-run.ts'
import { encodePreamble } from '../../../src/protocol/sse/encoder.ts'
import type { Arrival } from '../../support/fake-daemon.ts'
import {
  envelopeEvent,
  gate,
  hungUp,
  makeEnvelope,
  readSent,
  replyTo,
  sentLine,
  STREAM,
  takeEnvelopePipe,
} from '../envelope-peers.ts'
import { meet, register, type Peers } from '../peers.ts'

const ENTITY = 'agent.doer'
const INTENT = 'ops.backup.check'

/** A service, and the daemon's end of it. */
interface Served {
  readonly session: AgentdSession
  readonly service: EntityService
  readonly stream: Arrival
  /** Sends a task to the service. */
  readonly give: (changes?: Partial<EnvelopeDraft>) => Envelope
  /** The next envelope that the service sends. */
  readonly answer: () => Promise<Envelope>
}

async function serve(peers: Peers, handlers: TaskHandlers, options: ServeOptions = {}): Promise<Served> {
  const session = await register(peers)
  const service = session.serve(ENTITY, handlers, options)
  const stream = await peers.daemon.next(STREAM)
  stream.beginStream(encodePreamble('e1-0'))
  let pipe: Promise<Arrival> | undefined
  let seq = 0
  return {
    session,
    service,
    stream,
    give: (changes) => {
      const task = makeEnvelope({ intent: INTENT, to: ENTITY, ...changes })
      seq += 1
      stream.write(envelopeEvent(`e1-${seq}`, task))
      return task
    },
    answer: async () => {
      pipe ??= takeEnvelopePipe(peers.daemon)
      const envelope = await readSent(await pipe)
      ;(await pipe).write(sentLine(envelope))
      return envelope
    },
  }
}

/** A busy machine is given time. */
const SOON = { timeout: 15_000 }

describe('answers', () => {
  test('a task is done and its result says whose it is (AEE-026, AEE-C22)', async () => {
    await using peers = await meet()
    const seen: TaskContext[] = []
    const handlers: TaskHandlers = {
      [INTENT]: (task, context) => {
        seen.push(context)
        return { window: task.payload['window'], ok: true }
      },
    }
    const { stream, give, answer } = await serve(peers, handlers)
    const trace = { trace_id: 'a'.repeat(32), span_id: 'b'.repeat(16) }
    const task = give({ payload: { window: '24h' }, priority: 'high', trace, requires: { evidence: true } })
    const result = await answer()

    expect(stream.query.get('entities')).toBe(ENTITY)
    expect(stream.query.get('filter')).toMatch(/^kind:/)
    expect(result).toMatchObject({
      type: 'result',
      from: ENTITY,
      to: 'agent.asker',
      intent: INTENT,
      corr: task.corr,
      reply_to: task.id,
      priority: 'high',
      requires: null,
      payload: { window: '24h', ok: true },
      trace: { trace_id: trace.trace_id, parent_span_id: trace.span_id },
    })
    expect(result.trace?.span_id).toMatch(/^[\da-f]{16}$/)
    expect(seen[0]).toMatchObject({ from: 'agent.asker', corr: task.corr, item: { envelope: task } })
  })

  test('parts go out ahead of the result, each about its task (AEE-031)', async () => {
    await using peers = await meet()
    const handlers: TaskHandlers = {
      [INTENT]: async (_, { stream }) => {
        void stream({ part: 1 })
        await stream({ part: 2 })
      },
    }
    const { give, answer } = await serve(peers, handlers)
    const task = give()

    const sent = [await answer(), await answer(), await answer()]

    expect(sent.map(({ type, payload }) => [type, payload])).toEqual([
      ['stream', { part: 1 }],
      ['stream', { part: 2 }],
      ['result', {}],
    ])
    expect(sent.map(({ reply_to, corr }) => [reply_to, corr])).toEqual(sent.map(() => [task.id, task.corr]))
  })

  test('an error that a handler means is told as it is, and any other without its place (AEE-029)', async () => {
    await using peers = await meet()
    const { give, answer } = await serve(peers, {
      'ops.a.b': () => {
        throw new TaskError('E_NOT_FOUND', 'No such cluster.', {
          retryable: true,
          backoffMs: 250,
          details: { cluster: 'x' },
        })
      },
      'ops.a.c': async () => {
        throw new Error('the disk is full')
      },
      'ops.a.d': () => {
        throw 'text'
      },
    })
    const answers = []
    for (const intent of ['ops.a.b', 'ops.a.c', 'ops.a.d']) {
      give({ intent })
      answers.push(await answer())
    }

    expect(answers.map(({ type }) => type)).toEqual(['error', 'error', 'error'])
    expect(answers.map(({ payload }) => payload)).toEqual([
      {
        code: 'E_NOT_FOUND',
        message: 'No such cluster.',
        retryable: true,
        backoff_ms: 250,
        details: { cluster: 'x' },
      },
      { code: 'E_INTERNAL', message: 'the disk is full', retryable: false },
      { code: 'E_INTERNAL', message: 'text', retryable: false },
    ])
  })

  test.each(['ops.other.check', 'toString', '__proto__', 'constructor'])(
    'an intent that nobody does here is said so: %s (AEQ-18)',
    async (intent) => {
      await using peers = await meet()
      const { give, answer } = await serve(peers, { [INTENT]: () => ({}) })
      const task = give({ intent })

      expect(await answer()).toMatchObject({
        type: 'error',
        intent,
        reply_to: task.id,
        payload: { code: 'E_UNSUPPORTED_INTENT', retryable: false },
      })
    },
  )

  test('a ping is answered by everybody (AEE-058, AEE-065)', async () => {
    await using peers = await meet()
    const { give, answer } = await serve(peers, {})
    give({ intent: 'aee.status.ping' })

    expect(await answer()).toMatchObject({
      type: 'result',
      payload: { pong: true, ts: expect.stringMatching(/Z$/) },
    })
  })

  test.each([
    [{}, ['aee.capability.list', 'aee.status.ping', 'ops.backup.check', 'opsx.y.z']],
    [{ namespace_filter: 'ops' }, ['ops.backup.check']],
    [{ namespace_filter: 'ops.*' }, ['ops.backup.check']],
    [{ namespace_filter: 'ops.backup.check' }, ['ops.backup.check']],
    [{ namespace_filter: 'none' }, []],
    [{ namespace_filter: 7 }, ['aee.capability.list', 'aee.status.ping', 'ops.backup.check', 'opsx.y.z']],
  ])('asked for %j it tells what it does (AEE-061)', async (payload, intents) => {
    await using peers = await meet()
    const { give, answer } = await serve(peers, { [INTENT]: () => ({}), 'opsx.y.z': () => ({}) })
    give({ intent: 'aee.capability.list', payload })

    expect((await answer()).payload).toEqual({ intents })
  })

  test('a result that cannot be sent is an error that can', async () => {
    await using peers = await meet()
    const onFault = vi.fn<(error: Error) => void>()
    const { give, answer } = await serve(
      peers,
      {
        'ops.too.large': () => ({ text: 'x'.repeat(1_048_576) }),
        'ops.no.json': () => ({ number: 1n }),
      },
      { onFault },
    )
    give({ intent: 'ops.too.large' })
    const tooLarge = await answer()
    give({ intent: 'ops.no.json' })
    const noJson = await answer()

    for (const { type, payload } of [tooLarge, noJson]) {
      expect([type, payload['code']]).toEqual(['error', 'E_INTERNAL'])
    }
    expect(onFault).toHaveBeenCalledTimes(2)
  })

  test('what came is marked as seen, and that it cannot be stops nothing', async () => {
    await using peers = await meet()
    const { give, answer } = await serve(peers, { [INTENT]: () => ({}) })
    give()
    const first = await peers.daemon.next('POST /v1/seen')
    give()
    give()
    await answer()
    await answer()
    await answer()
    const told = [await first.json()]
    first.answer(503, { code: 'busy', message: 'Full.' })
    const second = await peers.daemon.next('POST /v1/seen')
    told.push(await second.json())
    second.answer(200, { seen: 2 })

    expect(told).toEqual([{ event_ids: ['e1-1'] }, { event_ids: ['e1-2', 'e1-3'] }])
  })

  test('events are told and not answered, and what answers others is left aside', async () => {
    await using peers = await meet()
    const onEvent = vi.fn<(item: unknown) => void>(() => {
      throw new Error('of the program')
    })
    const onFault = vi.fn<(error: Error) => void>()
    const { give, answer } = await serve(peers, { [INTENT]: () => ({}) }, { onEvent, onFault })
    give({ type: 'event', intent: 'ops.build.finished' })
    give({ type: 'result', replyTo: 'some-task-id' })
    give({ type: 'stream' })
    const task = give()

    expect((await answer()).reply_to).toBe(task.id)
    expect(onEvent).toHaveBeenCalledTimes(1)
    expect(onFault).toHaveBeenCalledWith(new Error('of the program'), expect.anything())
  })
})

describe('what is never done', () => {
  test('a task that lies in a payload is data (AEE-078)', async () => {
    await using peers = await meet()
    const handler = vi.fn<() => void>()
    const { give, answer } = await serve(peers, { 'ops.archive.read': () => ({}), [INTENT]: handler })
    const nested = makeEnvelope({ to: ENTITY, intent: INTENT })
    give({ intent: 'ops.archive.read', payload: { envelope: nested, references: [nested] } })

    expect((await answer()).type).toBe('result')
    expect(handler).not.toHaveBeenCalled()
  })

  test('a task that a person has to approve is not done where nobody can (AEQ-10)', async () => {
    await using peers = await meet()
    const handler = vi.fn<() => void>()
    const { give, answer } = await serve(peers, { [INTENT]: handler })
    give({ requires: { human_approval: true } })

    expect((await answer()).payload).toMatchObject({ code: 'E_APPROVAL_REQUIRED', retryable: false })
    expect(handler).not.toHaveBeenCalled()
  })

  test('it is done when the person says yes and not when the person says no, or nothing in time', async () => {
    await using peers = await meet()
    const handler = vi.fn<() => void>()
    const asked = gate()
    const late = gate()
    const approve = async ({ payload }: Envelope): Promise<boolean> => {
      if (payload['say'] === 'late') asked.open()
      if (payload['say'] === 'late') await late.opened
      return payload['say'] !== 'no'
    }
    const { service, give, answer } = await serve(peers, { [INTENT]: handler }, { approve })
    const requires = { human_approval: true, timeout_ms: 1_000 }
    give({ requires, payload: { say: 'no' } })
    const refused = await answer()
    give({ requires, payload: { say: 'late' } })
    await asked.opened
    await peers.client.health()
    peers.clock.advance(1_000)
    const timedOut = await answer()
    late.open()
    await vi.waitFor(() => expect(service.running).toBe(0), SOON)
    expect(handler).not.toHaveBeenCalled()
    give({ requires, payload: { say: 'yes' } })
    const done = await answer()

    expect([refused, timedOut, done].map(({ type, payload }) => [type, payload['code']])).toEqual([
      ['error', 'E_REJECTED'],
      ['error', 'E_TIMEOUT'],
      ['result', undefined],
    ])
    expect(handler).toHaveBeenCalledTimes(1)
  })

  test('a task that comes again after a drop is not done twice', async () => {
    await using peers = await meet()
    const handler = vi.fn<() => void>()
    const { stream, give, answer } = await serve(peers, { [INTENT]: handler })
    const task = give()
    await answer()
    stream.cut()
    const again = await peers.daemon.next(STREAM)
    const next = makeEnvelope({ intent: INTENT, to: ENTITY })
    again.beginStream(envelopeEvent('e1-1', task) + envelopeEvent('e1-2', next))

    expect((await answer()).reply_to).toBe(next.id)
    expect(handler).toHaveBeenCalledTimes(2)
  })

  test('what an earlier run has answered is passed over, and the rest is done', async () => {
    await using peers = await meet()
    const handler = vi.fn<() => void>()
    const session = await register(peers)
    const service = session.serve(ENTITY, { [INTENT]: handler }, { after: 'e1-3' })
    const stream = await peers.daemon.next(STREAM)
    const old = makeEnvelope({ intent: INTENT, to: ENTITY, id: 'task-old-1' })
    const unanswered = makeEnvelope({ intent: INTENT, to: ENTITY, id: 'task-old-2', corr: old.corr })
    const fresh = makeEnvelope({ intent: INTENT, to: ENTITY, id: 'task-new-1' })
    stream.beginStream(
      encodePreamble('e1-8') +
        envelopeEvent('e1-4', old) +
        envelopeEvent('e1-5', unanswered) +
        envelopeEvent('e1-9', fresh),
    )
    const said = {
      accepted_at: old.ts,
      effective_priority: 'normal',
      late: false,
      refuted: [],
      recipient_count: 1,
      queued_count: 0,
    }
    const items = [
      old,
      unanswered,
      replyTo(old, 'result'),
      replyTo(unanswered, 'result', { from: 'agent.x' }),
    ]
    // Asked for once: a second look at the same workflow would wait here for an answer.
    const page = await peers.daemon.next('GET /v1/threads/')
    page.answer(200, {
      corr: old.corr,
      items: items.map((envelope, index) => ({ ...said, event_id: `e1-${index + 4}`, envelope })),
      next: null,
    })
    const pipe = await takeEnvelopePipe(peers.daemon)
    const answers = [await readSent(pipe), await readSent(pipe)]
    for (const envelope of answers) pipe.write(sentLine(envelope))

    expect(stream.query.get('after')).toBe('e1-3')
    expect(answers.map(({ reply_to }) => reply_to)).toEqual(['task-old-2', 'task-new-1'])
    expect(await service.opened).toBe('e1-8')
    expect(handler).toHaveBeenCalledTimes(2)
  })
})

describe('bounds', () => {
  test.each([
    [{ timeout_ms: 1_500 }, 1_500],
    [{ timeout_ms: 10 * MAX_TASK_MS }, MAX_TASK_MS],
    [undefined, MAX_TASK_MS],
  ])('with requires %j a task is ended after %i ms, and its handler told (AEE-096)', async (requires, ms) => {
    await using peers = await meet()
    const end = gate()
    let context: TaskContext | undefined
    const handlers: TaskHandlers = {
      [INTENT]: async (_, given) => {
        context = given
        await end.opened
        return { too: 'late' }
      },
    }
    const { service, give, answer } = await serve(peers, handlers)
    const task = give({ requires })
    await vi.waitFor(() => expect(service.running).toBe(1), SOON)
    peers.clock.advance(ms - 1)
    expect(context?.signal.aborted).toBe(false)
    peers.clock.advance(1)

    expect(await answer()).toMatchObject({ type: 'error', reply_to: task.id, payload: { code: 'E_TIMEOUT' } })
    expect(context?.signal.aborted).toBe(true)
    await expect(context?.stream({})).rejects.toThrow('over')
    expect(service.running).toBe(1)
    end.open()
    await vi.waitFor(() => expect(service.running).toBe(0), SOON)
  })

  test('beyond the bound a task is told to come again, also while ended handlers go on (AEE-030)', async () => {
    await using peers = await meet()
    const end = gate()
    const { service, give, answer } = await serve(peers, { [INTENT]: () => end.opened }, { maxConcurrent: 2 })
    give()
    give({ requires: { timeout_ms: 1_000 } })
    await vi.waitFor(() => expect(service.running).toBe(2), SOON)
    const third = give()
    const busy = await answer()
    peers.clock.advance(1_000)
    const timedOut = await answer()
    const fourth = give()
    const busyStill = await answer()
    end.open()
    const done = await answer()
    await vi.waitFor(() => expect(service.running).toBe(0), SOON)
    const fifth = give()

    expect(busy).toMatchObject({
      reply_to: third.id,
      payload: { code: 'E_BUSY', retryable: true, backoff_ms: expect.any(Number) },
    })
    expect(timedOut.payload).toMatchObject({ code: 'E_TIMEOUT' })
    expect(busyStill).toMatchObject({ reply_to: fourth.id, payload: { code: 'E_BUSY' } })
    expect(done.type).toBe('result')
    expect(await answer()).toMatchObject({ type: 'result', reply_to: fifth.id })
  })
})

describe('ending', () => {
  test('close waits for tasks at work and takes no more', async () => {
    await using peers = await meet()
    const end = gate()
    const { service, stream, give, answer } = await serve(peers, { [INTENT]: () => end.opened })
    const task = give()
    await vi.waitFor(() => expect(service.running).toBe(1), SOON)
    const closedStream = hungUp(stream)
    const closed = service.close()
    await closedStream
    end.open()
    const result = await answer()
    await closed

    expect(result).toMatchObject({ type: 'result', reply_to: task.id })
    await service.ended
  })

  test('a task that does not end in time is cancelled and answered (AEE-097)', async () => {
    await using peers = await meet()
    let signal: AbortSignal | undefined
    const never: TaskHandlers = {
      [INTENT]: (_, context) => {
        signal = context.signal
        return new Promise<void>(() => {})
      },
    }
    const { session, service, give, answer } = await serve(peers, never)
    const task = give()
    await vi.waitFor(() => expect(service.running).toBe(1), SOON)
    const detached = session.detach()
    await peers.clock.timer((delayMs) => delayMs === CLOSE_SERVICE_MS)
    peers.clock.advance(CLOSE_SERVICE_MS)

    expect(await answer()).toMatchObject({
      reply_to: task.id,
      payload: { code: 'E_CANCELLED', retryable: true },
    })
    await detached
    expect(signal?.aborted).toBe(true)
    await peers.client.close()
  })

  test('an aborted signal closes it', async () => {
    await using peers = await meet()
    const controller = new AbortController()
    const { service, stream } = await serve(peers, {}, { signal: controller.signal })
    const closed = hungUp(stream)
    controller.abort()

    await closed
    await service.ended
    await service.close()
  })

  test('a refused stream ends it with the refusal', async () => {
    await using peers = await meet()
    const session = await register(peers)
    const service = session.serve(ENTITY, {})
    const stream = await peers.daemon.next(STREAM)
    stream.answer(403, { code: 'sender-identity-mismatch', field: 'entities', message: 'Not yours.' })

    await expect(service.ended).rejects.toMatchObject({ code: 'sender-identity-mismatch' })
    await expect(service.opened).rejects.toMatchObject({ code: 'sender-identity-mismatch' })
  })

  test('a channel is nobody who could answer', async () => {
    await using peers = await meet()
    const session = await register(peers)

    expect(() => session.serve('bus.ops', {})).toThrow(UsageError)
    expect(peers.daemon.untaken).toBe(0)
  })

  test.each([
    ['a result', INTENT],
    ['a refusal of its own', 'ops.unknown.do'],
  ])('a service whose answers need a signature is over, and says so: %s', async (_, intent) => {
    await using peers = await meet()
    const { service, stream, give } = await serve(peers, { [INTENT]: () => ({}) })
    const closed = hungUp(stream)
    give({ intent })
    const pipe = await takeEnvelopePipe(peers.daemon)
    await pipe.line()
    pipe.write('{"code":"signature-required","field":"sig","message":"Sign it.","line":1}\n')

    await expect(service.ended).rejects.toMatchObject({ code: 'signature-required' })
    await closed
  })

  test('nobody has to look at that end', async () => {
    await using peers = await meet()
    const unhandled = vi.fn<(reason: unknown) => void>()
    process.on('unhandledRejection', unhandled)
    const silent = await serve(peers, { [INTENT]: () => ({}) })
    const closed = hungUp(silent.stream)
    silent.give({ intent: 'ops.unknown.do' })
    const pipe = await takeEnvelopePipe(peers.daemon)
    await pipe.line()
    pipe.write('{"code":"signature-required","field":"sig","message":"Sign it.","line":1}\n')
    await closed
    await peers.client.health()
    process.off('unhandledRejection', unhandled)

    expect(unhandled).not.toHaveBeenCalled()
  })

  test('a program that is told goes on', async () => {
    await using peers = await meet()
    const onFault = vi.fn<(error: Error) => void>()
    const { give } = await serve(peers, { [INTENT]: () => ({}) }, { onFault })
    give({ intent: 'ops.unknown.do' })
    const pipe = await takeEnvelopePipe(peers.daemon)
    await pipe.line()
    pipe.write('{"code":"signature-required","field":"sig","message":"Sign it.","line":1}\n')
    await vi.waitFor(() => expect(onFault).toHaveBeenCalledTimes(1), SOON)
    const task = give()

    expect((await readSent(pipe)).reply_to).toBe(task.id)
  })

  test('an answer that the daemon refuses is told to the program', async () => {
    await using peers = await meet()
    const onFault = vi.fn<(error: Error) => void>()
    const { give } = await serve(peers, { [INTENT]: () => ({}) }, { onFault })
    give({ intent: 'ops.unknown.do' })
    const pipe = await takeEnvelopePipe(peers.daemon)
    await pipe.line()
    pipe.write('{"code":"rate-limited","message":"Slowly.","line":1}\n')
    await vi.waitFor(() => expect(onFault).toHaveBeenCalledTimes(1), SOON)
    const task = give()

    expect((await readSent(pipe)).reply_to).toBe(task.id)
    expect(onFault.mock.calls[0]?.[0]).toMatchObject({ code: 'rate-limited' })
  })
})
