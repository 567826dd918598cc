import { UsageError } from '../../../src/core/errors.ts'
import { describe, expect, test } from 'vitest'
import type { Envelope } from '../../../src/aee/envelope/envelope.ts'
import {
  DEFAULT_REQUEST_MS,
  MAX_REQUEST_MS,
  type EnvelopeRequest,
} from '../../../src/client/envelopes/request.ts'
import { MAX_WAITING_TASKS } from '../../../src/client/envelopes/reply-desk.ts'
import type { EnvelopeItem } from '../../../src/client/stream/options.ts'
import { encodeGap } from '../../../src/protocol/sse/encoder.ts'
import type { Arrival } from '../../support/fake-daemon.ts'
import {
  envelopeEvent,
  hungUp,
  readSent,
  replyTo,
  sentLine,
  STREAM,
  takeEnvelopePipe,
  takeStream,
} from '../envelope-peers.ts'
import { eventOf, makeFrame, meet, register, type Peers } from '../peers.ts'

const DRAFT = { from: 'agent.asker', to: 'agent.doer', intent: 'ops.backup.check', payload: {} } as const

/** Plays the daemon until a task is taken. */
interface Heard {
  readonly stream: Arrival
  readonly pipe: Arrival
  readonly task: Envelope
}

async function hear({ daemon }: Peers, changes: Record<string, unknown> = {}): Promise<Heard> {
  const stream = await takeStream(daemon)
  const pipe = await takeEnvelopePipe(daemon)
  const task = await readSent(pipe)
  pipe.write(sentLine(task, changes))
  return { stream, pipe, task }
}

async function collect(request: EnvelopeRequest): Promise<readonly EnvelopeItem[]> {
  const items: EnvelopeItem[] = []
  for await (const item of request) items.push(item)
  return items
}

describe('a task and its end', () => {
  test('parts come as they are sent, and last the result (AEE-024, AEE-031)', async () => {
    await using peers = await meet()
    const session = await register(peers)
    const request = session.request({ ...DRAFT, requires: { evidence: true } })
    const collecting = collect(request)
    const { stream, task } = await hear(peers)
    stream.write(envelopeEvent('e1-2', replyTo(task, 'stream', { payload: { part: 1 } })))
    stream.write(envelopeEvent('e1-3', replyTo(task, 'stream', { payload: { part: 2 }, replyTo: null })))
    stream.write(envelopeEvent('e1-4', replyTo(task, 'result', { payload: { ok: true } })))

    const items = await collecting

    expect(items.map(({ envelope }) => [envelope.type, envelope.payload])).toEqual([
      ['stream', { part: 1 }],
      ['stream', { part: 2 }],
      ['result', { ok: true }],
    ])
    expect(await request.terminal).toBe(items.at(-1))
    expect(await request.sent).toMatchObject({ id: task.id, recipientCount: 1 })
    expect(request.task).toEqual(task)
    expect(task).toMatchObject({ type: 'task', requires: { evidence: true } })
  })

  test('the way for replies is open before the task is sent, and closed after its end', async () => {
    await using peers = await meet()
    const request = peers.client.request(DRAFT)
    const stream = await peers.daemon.next(STREAM)
    for (let call = 0; call < 5; call += 1) await peers.client.health()
    expect(peers.daemon.untaken).toBe(0)

    stream.beginStream(': agentd e1-0\n\n')
    const closed = hungUp(stream)
    const pipe = await takeEnvelopePipe(peers.daemon)
    const task = await readSent(pipe)
    pipe.write(sentLine(task))
    stream.write(envelopeEvent('e1-1', replyTo(task, 'error', { payload: { code: 'E_NO' } })))

    expect(stream.query.get('entities')).toBe('agent.asker')
    expect(stream.query.get('filter')).toMatch(/^kind:/)
    expect((await request.terminal).envelope).toMatchObject({ type: 'error', payload: { code: 'E_NO' } })
    await closed
  })

  test.each([
    ['another task of the workflow', { replyTo: 'task-of-another' }],
    ['another workflow', { corr: 'another-workflow' }],
    ['no workflow of ours, as a part', { type: 'stream', corr: 'another-workflow' }],
    ['another task, as a part', { type: 'stream', replyTo: 'task-of-another' }],
    ['nobody, as a part of somebody else', { type: 'stream', replyTo: null, from: 'agent.other' }],
    ['the task, but it is an event', { type: 'event' }],
    ['the task, but it is a task', { type: 'task' }],
  ] as const)('what answers %s is left aside', async (_, changes) => {
    await using peers = await meet()
    const request = peers.client.request(DRAFT)
    const collecting = collect(request)
    const { stream, task } = await hear(peers)
    stream.write(eventOf('e1-2', makeFrame()))
    stream.write(envelopeEvent('e1-3', replyTo(task, 'result', changes)))
    stream.write(envelopeEvent('e1-4', replyTo(task, 'result', { payload: { mine: true } })))

    expect((await collecting).map(({ eventId }) => eventId)).toEqual(['e1-4'])
  })

  test('a reply that overtakes the daemon\u2019s answer counts, and that answer is told as well', async () => {
    await using peers = await meet()
    const request = peers.client.request(DRAFT)
    const stream = await takeStream(peers.daemon)
    const pipe = await takeEnvelopePipe(peers.daemon)
    const task = await readSent(pipe)
    stream.write(envelopeEvent('e1-2', replyTo(task, 'result')))
    await request.terminal
    pipe.write(sentLine(task, { recipient_count: 0 }))

    expect(await request.sent).toMatchObject({ recipientCount: 0 })
  })

  test('a stream that drops and comes back loses no end', async () => {
    await using peers = await meet()
    const request = peers.client.request(DRAFT)
    const { stream, task } = await hear(peers)
    stream.write(envelopeEvent('e1-2', replyTo(task, 'stream')))
    await request.next()
    stream.cut()
    const second = await takeStream(peers.daemon, envelopeEvent('e1-3', replyTo(task, 'result')))

    expect((await request.terminal).eventId).toBe('e1-3')
    expect(second.header('last-event-id')).toBe('e1-2')
  })

  test('an end that fell into a gap is fetched from the thread', async () => {
    await using peers = await meet()
    const request = peers.client.request(DRAFT)
    const { stream, task } = await hear(peers)
    stream.write(encodeGap({ reason: 'overflow', requested: 'e1-1', oldest: 'e1-9', missed: 8 }))
    const page = await peers.daemon.next(`GET /v1/threads/${task.corr}`)
    const item = {
      event_id: 'e1-5',
      accepted_at: task.ts,
      effective_priority: 'normal',
      late: false,
      refuted: [],
      recipient_count: 1,
      queued_count: 0,
    }
    const result = replyTo(task, 'result', { payload: { ok: true } })
    page.answer(200, {
      corr: task.corr,
      items: [
        { ...item, envelope: task },
        { ...item, envelope: result },
      ],
      next: null,
    })

    expect(await request.terminal).toMatchObject({ eventId: 'e1-5', envelope: result })
  })
})

describe('somebody who was not asked', () => {
  const FORGER = 'agent.forger'

  test.each(['result', 'error'] as const)('a forged %s comes as a part and ends nothing', async (type) => {
    await using peers = await meet()
    const request = peers.client.request(DRAFT)
    const collecting = collect(request)
    const { stream, task } = await hear(peers)
    const forged = replyTo(task, type, { from: FORGER, payload: { forged: true } })
    stream.write(envelopeEvent('e1-2', forged))
    stream.write(envelopeEvent('e1-3', replyTo(task, 'result', { payload: { ok: true } })))

    const items = await collecting

    expect(items.map(({ eventId, envelope }) => [eventId, envelope.from])).toEqual([
      ['e1-2', FORGER],
      ['e1-3', 'agent.doer'],
    ])
    expect((await request.terminal).envelope.payload).toEqual({ ok: true })
  })

  test('forged ends without number are bounded as parts are, and the true one is not lost', async () => {
    await using peers = await meet()
    const request = peers.client.request(DRAFT)
    const { stream, task } = await hear(peers)
    const count = 1_030
    let text = ''
    for (let n = 1; n <= count; n += 1) {
      text += envelopeEvent(`e1-${n + 1}`, replyTo(task, 'result', { from: FORGER }))
    }
    stream.write(text + envelopeEvent('e1-2000', replyTo(task, 'result')))

    expect((await request.terminal).eventId).toBe('e1-2000')
    expect(request.leftOut).toBeGreaterThan(0)
  })

  test.each([
    ['the task went to a channel', 'bus.ops', {}],
    ['the caller accepts delegates', 'agent.doer', { acceptDelegates: true }],
  ] as const)('anybody may end it when %s', async (_, to, options) => {
    await using peers = await meet()
    const request = peers.client.request({ ...DRAFT, to }, options)
    const { stream, task } = await hear(peers)
    stream.write(envelopeEvent('e1-2', replyTo(task, 'result', { from: 'agent.delegate' })))

    expect((await request.terminal).envelope.from).toBe('agent.delegate')
  })

  test.each([
    [{}, 'e1-6'],
    [{ acceptDelegates: true }, 'e1-5'],
  ])('after a gap the thread is read the same way, with %j', async (options, expected) => {
    await using peers = await meet()
    const request = peers.client.request(DRAFT, options)
    const { stream, task } = await hear(peers)
    stream.write(encodeGap({ reason: 'overflow', requested: 'e1-1', oldest: 'e1-9', missed: 8 }))
    const page = await peers.daemon.next(`GET /v1/threads/${task.corr}`)
    const said = {
      accepted_at: task.ts,
      effective_priority: 'normal',
      late: false,
      refuted: [],
      recipient_count: 1,
      queued_count: 0,
    }
    const envelopes = [task, replyTo(task, 'result', { from: FORGER }), replyTo(task, 'result')]
    page.answer(200, {
      corr: task.corr,
      items: envelopes.map((envelope, index) => ({ ...said, event_id: `e1-${index + 4}`, envelope })),
      next: null,
    })

    expect((await request.terminal).eventId).toBe(expected)
  })
})

describe('time', () => {
  test.each([Number.NaN, -1, Infinity, -Infinity])('%d ms are refused at once', async (timeoutMs) => {
    await using peers = await meet()

    expect(() => peers.client.request(DRAFT, { timeoutMs })).toThrow(UsageError)
    expect(peers.daemon.untaken).toBe(0)
    expect(peers.clock.pendingTimers).toBe(0)
  })

  test.each([
    [undefined, undefined, DEFAULT_REQUEST_MS],
    [{ timeout_ms: 1_500 }, undefined, 1_500],
    [{ timeout_ms: 10 * MAX_REQUEST_MS }, undefined, MAX_REQUEST_MS],
    [{ timeout_ms: 'soon' }, undefined, DEFAULT_REQUEST_MS],
    [undefined, 2_500, 2_500],
    [{ timeout_ms: 1_500, x: 1 }, 2_500, 1_500],
  ])(
    'requires %j and an option of %s are waited for %i ms (AEE-096)',
    async (requires, timeoutMs, expected) => {
      await using peers = await meet()
      const request = peers.client.request({ ...DRAFT, requires }, { timeoutMs })
      const { task } = await hear(peers)
      await request.sent
      const ended = collect(request)
      ended.catch(() => {})
      peers.clock.advance(expected - 1)
      await peers.client.health()
      let isOver = false
      request.terminal.catch(() => (isOver = true))
      await peers.client.health()
      expect(isOver).toBe(false)
      peers.clock.advance(1)

      await expect(request.terminal).rejects.toMatchObject({
        name: 'EnvelopeTimeout',
        taskId: task.id,
        timeoutMs: expected,
      })
      await expect(ended).rejects.toMatchObject({ name: 'EnvelopeTimeout' })
      expect(task.requires?.['timeout_ms']).toBe(requires?.timeout_ms ?? timeoutMs)
    },
  )

  test('when the time is over nothing of the request is left (AEE-097)', async () => {
    await using peers = await meet()
    const request = peers.client.request(DRAFT, { timeoutMs: 1_000 })
    const { stream } = await hear(peers)
    const closed = hungUp(stream)
    await request.sent
    peers.clock.advance(1_000)

    await expect(request.terminal).rejects.toMatchObject({ name: 'EnvelopeTimeout' })
    await closed
    await peers.client.close()
    expect(peers.clock.pendingTimers).toBe(0)
  })

  test('time that is over before the stream is open is over', async () => {
    await using peers = await meet()
    const request = peers.client.request(DRAFT, { timeoutMs: 1_000 })
    await peers.daemon.next(STREAM)
    peers.clock.advance(1_000)

    await expect(request.sent).rejects.toMatchObject({ name: 'EnvelopeTimeout' })
    await expect(request.terminal).rejects.toMatchObject({ name: 'EnvelopeTimeout' })
    expect(peers.daemon.untaken).toBe(0)
  })
})

describe('nobody there', () => {
  test('a task that nobody gets fails at once', async () => {
    await using peers = await meet()
    const request = peers.client.request(DRAFT)
    const { task } = await hear(peers, { recipient_count: 0 })

    await expect(request.terminal).rejects.toMatchObject({
      name: 'EnvelopeUnheard',
      taskId: task.id,
      to: 'agent.doer',
    })
    expect(await request.sent).toMatchObject({ recipientCount: 0 })
  })

  test.each([
    ['a mailbox keeps it', { queued_count: 1 }, {}, 'agent.doer'],
    ['the caller waits for a recipient', {}, { waitForRecipient: true }, 'agent.doer'],
    ['the daemon itself does it', {}, {}, 'service.agentd'],
  ] as const)('not so when %s', async (_, changes, options, to) => {
    await using peers = await meet()
    const request = peers.client.request({ ...DRAFT, to }, options)
    const { stream, task } = await hear(peers, { recipient_count: 0, ...changes })
    await request.sent
    stream.write(envelopeEvent('e1-2', replyTo(task, 'result')))

    expect((await request.terminal).envelope.type).toBe('result')
  })

  test('a recipient that nobody has ever heard of is the daemon\u2019s refusal', async () => {
    await using peers = await meet()
    const request = peers.client.request(DRAFT, { waitForRecipient: true })
    const stream = await takeStream(peers.daemon)
    const closed = hungUp(stream)
    const pipe = await takeEnvelopePipe(peers.daemon)
    await pipe.line()
    pipe.write('{"code":"recipient-unknown","field":"to","message":"Nobody.","line":1}\n')

    await expect(request.sent).rejects.toMatchObject({ code: 'recipient-unknown', field: 'to' })
    await expect(request.terminal).rejects.toMatchObject({ code: 'recipient-unknown' })
    await closed
  })
})

describe('several at once', () => {
  test('the tasks of one entity share one stream, and each gets its own end', async () => {
    await using peers = await meet()
    const session = await register(peers)
    const requests = [1, 2, 3].map((n) => session.request({ ...DRAFT, payload: { n } }))
    const stream = await takeStream(peers.daemon)
    const pipe = await takeEnvelopePipe(peers.daemon)
    const tasks = [await readSent(pipe), await readSent(pipe), await readSent(pipe)]
    for (const task of tasks) pipe.write(sentLine(task))
    const closed = hungUp(stream)
    for (const [index, task] of tasks.toReversed().entries()) {
      stream.write(envelopeEvent(`e1-${index + 5}`, replyTo(task, 'result', { payload: task.payload })))
    }

    const ends = await Promise.all(requests.map(({ terminal }) => terminal))

    expect(ends.map(({ envelope }) => envelope.payload)).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }])
    expect(peers.daemon.untaken).toBe(0)
    await closed
  })

  test('one that gives up leaves the stream to the others', async () => {
    await using peers = await meet()
    const controller = new AbortController()
    const impatient = peers.client.request(DRAFT, { signal: controller.signal })
    const target = peers.client.request(DRAFT)
    const { stream, pipe } = await hear(peers)
    const task = await readSent(pipe)
    pipe.write(sentLine(task))
    await target.sent
    controller.abort(new Error('never mind'))
    await expect(impatient.terminal).rejects.toThrow('never mind')
    stream.write(envelopeEvent('e1-2', replyTo(task, 'result')))

    expect((await target.terminal).eventId).toBe('e1-2')
  })

  test('another entity has a stream of its own, and the next task a new one', async () => {
    await using peers = await meet()
    const one = peers.client.request(DRAFT)
    const first = await hear(peers)
    const other = peers.client.request({ ...DRAFT, from: 'agent.other' })
    const second = await takeStream(peers.daemon)
    const task = await readSent(first.pipe)
    first.pipe.write(sentLine(task))
    first.stream.write(envelopeEvent('e1-2', replyTo(first.task, 'result')))
    await one.terminal
    second.write(envelopeEvent('e1-3', replyTo(task, 'result')))
    await other.terminal
    const again = peers.client.request(DRAFT)
    const third = await takeStream(peers.daemon)
    const later = await readSent(first.pipe)
    first.pipe.write(sentLine(later))
    third.write(envelopeEvent('e1-4', replyTo(later, 'result')))

    expect([first.stream, second, third].map(({ query }) => query.get('entities'))).toEqual([
      'agent.asker',
      'agent.other',
      'agent.asker',
    ])
    expect((await again.terminal).eventId).toBe('e1-4')
  })

  test('beyond the bound a task is not sent', async () => {
    await using peers = await meet()
    const requests = Array.from({ length: MAX_WAITING_TASKS + 1 }, () => peers.client.request(DRAFT))

    await expect(requests.at(-1)?.terminal).rejects.toMatchObject({ code: 'busy' })
    await peers.client.close()
    for (const { terminal } of requests.slice(0, -1)) {
      await expect(terminal).rejects.toMatchObject({ code: 'closing' })
    }
  })

  test('an id that waits already is refused', async () => {
    await using peers = await meet()
    const first = peers.client.request({ ...DRAFT, id: 'task-0001' })
    const second = peers.client.request({ ...DRAFT, id: 'task-0001' })

    await expect(second.terminal).rejects.toThrow(UsageError)
    const { stream, task } = await hear(peers)
    stream.write(envelopeEvent('e1-2', replyTo(task, 'result')))
    expect((await first.terminal).eventId).toBe('e1-2')
  })
})

describe('ending early', () => {
  test('an abort rejects everything with its reason, and lets go', async () => {
    await using peers = await meet()
    const controller = new AbortController()
    const request = peers.client.request(DRAFT, { signal: controller.signal })
    const stream = await takeStream(peers.daemon)
    const closed = hungUp(stream)
    const pipe = await takeEnvelopePipe(peers.daemon)
    await pipe.line()
    const reason = new Error('never mind')
    const ended = collect(request)
    ended.catch(() => {})
    controller.abort(reason)

    await expect(request.sent).rejects.toBe(reason)
    await expect(request.terminal).rejects.toBe(reason)
    await expect(ended).rejects.toBe(reason)
    await closed
  })

  test('a signal that has aborted before opens nothing', async () => {
    await using peers = await meet()
    const reason = new Error('never mind')
    const request = peers.client.request(DRAFT, { signal: AbortSignal.abort(reason) })

    await expect(request.terminal).rejects.toBe(reason)
    await peers.client.health()
    expect(peers.daemon.untaken).toBe(0)
  })

  test('leaving the loop ends the request', async () => {
    await using peers = await meet()
    const request = peers.client.request(DRAFT)
    const { stream, task } = await hear(peers)
    const closed = hungUp(stream)
    stream.write(envelopeEvent('e1-2', replyTo(task, 'stream')))
    for await (const item of request) {
      expect(item.eventId).toBe('e1-2')
      break
    }

    await closed
    await expect(request.terminal).rejects.toThrow('given up')
  })

  test('a request at the end of its block lets go', async () => {
    await using peers = await meet()
    let closed: Promise<unknown>
    {
      await using request = peers.client.request(DRAFT)
      const { stream } = await hear(peers)
      closed = hungUp(stream)
      await request.sent
    }

    await closed
  })

  test('closing the session fails what waits', async () => {
    await using peers = await meet()
    const session = await register(peers)
    const request = session.request(DRAFT)
    await hear(peers)
    await request.sent
    await session.detach()

    await expect(request.terminal).rejects.toMatchObject({ code: 'closing' })
    await expect(session.request(DRAFT).terminal).rejects.toMatchObject({ code: 'closing' })
  })

  test('a refused stream is the end of every task on it', async () => {
    await using peers = await meet()
    const requests = [peers.client.request(DRAFT), peers.client.request(DRAFT)]
    const stream = await peers.daemon.next(STREAM)
    stream.answer(403, { code: 'sender-identity-mismatch', field: 'entities', message: 'Not yours.' })

    for (const { terminal } of requests) {
      await expect(terminal).rejects.toMatchObject({ code: 'sender-identity-mismatch' })
    }
    expect(peers.daemon.untaken).toBe(0)
  })

  test('a draft that is no task is refused on the spot', async () => {
    await using peers = await meet()

    expect(() => peers.client.request({ ...DRAFT, to: '' })).toThrow(
      expect.objectContaining({ code: 'field-invalid', field: 'to' }),
    )
    expect(peers.daemon.untaken).toBe(0)
  })
})

test('parts that nobody fetches are left out beyond a bound, and the end never is', async () => {
  await using peers = await meet()
  const request = peers.client.request(DRAFT)
  const { stream, task } = await hear(peers)
  const count = 1_030
  let text = ''
  for (let n = 1; n <= count; n += 1) text += envelopeEvent(`e1-${n + 1}`, replyTo(task, 'stream'))
  stream.write(text + envelopeEvent('e1-2000', replyTo(task, 'result')))
  await request.terminal

  const items = await collect(request)

  expect(items.at(-1)?.envelope.type).toBe('result')
  expect(items.length - 1 + request.leftOut).toBe(count)
  expect(request.leftOut).toBeGreaterThan(0)
})
