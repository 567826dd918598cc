import { describe, expect, test } from 'vitest'
import type { FrameOf } from '../../src/protocol/frame/frame.ts'
import { encodePreamble } from '../../src/protocol/sse/encoder.ts'
import type { Arrival, FakeDaemon } from '../support/fake-daemon.ts'
import { eventOf, makeFrame, meet, readSubmission, register, resultLine, takePipe } from './peers.ts'

const ADDRESSES = ['~alice/cc@s1', '~alice/codex@s2']

/** A question that was put, and everything needed to answer it. */
interface Asked {
  readonly stream: Arrival
  readonly query: FrameOf<'agent_query'>
  readonly scope: string | undefined
  readonly answer: (seq: number, sessionId: string, queryId?: string) => void
}

/** Of answers, and of words that none comes; both are there before the question. */
async function openReplies(daemon: FakeDaemon): Promise<[Arrival, Arrival]> {
  const next = async (): Promise<Arrival> => daemon.next('GET /v1/handles/~alice/stream')
  const streams: [Arrival, Arrival] = [await next(), await next()]
  for (const stream of streams) stream.beginStream(encodePreamble('e1-0'))
  return streams
}

/** Plays the daemon up to the receipts. */
async function hear(
  daemon: FakeDaemon,
  counts: Record<string, number>,
  addresses: readonly string[] = ADDRESSES,
): Promise<Asked> {
  const [stream] = await openReplies(daemon)
  const pipe = await takePipe(daemon)
  const line = await pipe.line()
  const { frame, recipient_scope: scope } = readSubmission(line)
  if (frame.kind !== 'agent_query') throw new Error('no query')
  pipe.write(resultLine(line, counts))
  const reached = Object.values(counts).some((count) => count > 0)
  if (reached)
    (await daemon.next(`GET /v1/frames/${frame.frame_id}`)).answer(200, receiptsOf(frame, addresses))
  const answer = (seq: number, sessionId: string, queryId = frame.payload.query_id): void => {
    const payload = { query_id: queryId, responder_session_id: sessionId, response_text: `from ${sessionId}` }
    stream.write(eventOf(`e1-${seq}`, makeFrame('', { kind: 'agent_response', payload })))
  }
  return { stream, query: frame, scope, answer }
}

function receiptsOf(query: FrameOf<'agent_query'>, addresses: readonly string[]): object {
  const at = query.created_at
  return {
    frame_id: query.frame_id,
    event_id: 'e1-1',
    accepted_at: at,
    recipient_count: 1,
    queued_count: 1,
    receipts: addresses.map((address) => ({ address, state: 'emitted', at })),
  }
}

/** A promise and the function that keeps it. */
function signalled(): { readonly promise: Promise<unknown>; readonly resolve: () => void } {
  const target = new EventTarget()
  const promise = new Promise((kept) => target.addEventListener('kept', kept))
  return { promise, resolve: () => void target.dispatchEvent(new Event('kept')) }
}

const BOTH = { recipient_count: 1, queued_count: 1 }

describe('asking', () => {
  test('the first answer is enough; the subscription was there before the question', async () => {
    await using peers = await meet()
    const heard: string[] = []
    const asking = peers.client.ask('who has the schema?', {
      scope: '~alice/cc*',
      timeoutMs: 5_000,
      onResponse: ({ text }) => heard.push(text),
    })
    const { stream, query, scope, answer } = await hear(peers.daemon, BOTH)
    answer(2, 's2')

    const result = await asking
    expect(result).toMatchObject({
      outcome: 'answered',
      recipientCount: 1,
      queuedCount: 1,
      recipients: ADDRESSES,
    })
    expect(result.queryId).toBe(query.payload.query_id)
    expect(result.responses).toMatchObject([{ eventId: 'e1-2', text: 'from s2', from: '~alice/codex@s2' }])
    expect(heard).toEqual(['from s2'])
    expect(stream.query.get('filter')).toBe('kind:agent_response')
    expect(query.payload).toMatchObject({ query_text: 'who has the schema?', timeout_ms: 5_000 })
    expect([scope, query.ttl_ms]).toEqual(['~alice/cc*', 5_000])
  })

  test('a principal\u2019s answers come to a subscription that only this question knows', async () => {
    await using peers = await meet()
    const asking = peers.client.ask('?')
    const { stream, query, answer } = await hear(peers.daemon, BOTH)
    answer(2, 's1')
    await asking

    const name = `${stream.query.get('instrument')}@${stream.query.get('session_id')}`
    expect(query.payload.response_scope).toBe(`~alice/${name}`)
  })

  test('a session\u2019s answers come to the session', async () => {
    await using peers = await meet()
    const session = await register(peers)
    const asking = session.ask('?')
    const { stream, query, answer } = await hear(peers.daemon, BOTH, ['~alice/cc-opus@s1', ...ADDRESSES])
    answer(2, 's2')

    expect((await asking).recipients).toEqual(ADDRESSES)
    expect(query.payload.response_scope).toBe('~alice/cc-opus@s1')
    expect(stream.header('authorization')).toBeDefined()
    expect(query.drafted_with).toBe('~cc-opus')
  })

  test('all: the question is answered when every recipient has answered', async () => {
    await using peers = await meet()
    const asking = peers.client.ask('?', { collect: 'all' })
    const { answer } = await hear(peers.daemon, BOTH)
    answer(2, 's1')
    answer(3, 's1')
    answer(4, 's2')

    const { outcome, responses } = await asking
    expect(outcome).toBe('answered')
    expect(responses.map(({ from }) => from)).toEqual([ADDRESSES[0], ADDRESSES[0], ADDRESSES[1]])
  })

  test('all: what came by the deadline is told with it', async () => {
    await using peers = await meet()
    const first = signalled()
    const asking = peers.client.ask('?', { collect: 'all', timeoutMs: 1_000, onResponse: first.resolve })
    const { answer } = await hear(peers.daemon, BOTH)
    answer(2, 's1')
    await first.promise
    peers.clock.advance(1_000)

    expect(await asking).toMatchObject({ outcome: 'deadline', responses: [{ text: 'from s1' }] })
  })

  test('deadline: answers are collected until then', async () => {
    await using peers = await meet()
    const third = signalled()
    let count = 0
    const onResponse = (): void => void ((count += 1) === 2 && third.resolve())
    const asking = peers.client.ask('?', { collect: 'deadline', timeoutMs: 1_000, onResponse })
    const { answer } = await hear(peers.daemon, BOTH)
    answer(2, 's1')
    answer(3, 's2')
    await third.promise
    peers.clock.advance(1_000)

    const { outcome, responses } = await asking
    expect([outcome, responses.length]).toEqual(['answered', 2])
  })

  test('no answer by the deadline is an outcome, not an error', async () => {
    await using peers = await meet()
    const asking = peers.client.ask('?', { timeoutMs: 1_000 })
    const { stream } = await hear(peers.daemon, BOTH)
    const closed = new Promise((resolve) => stream.socket.once('close', resolve))
    await peers.clock.timer((delayMs) => delayMs === 1_000)
    peers.clock.advance(1_000)

    expect(await asking).toMatchObject({ outcome: 'deadline', responses: [] })
    await closed
  })

  test('answers to other questions are not taken', async () => {
    await using peers = await meet()
    const asking = peers.client.ask('?')
    const { answer } = await hear(peers.daemon, BOTH)
    answer(2, 's1', '00000000-0000-4000-8000-000000000000')
    answer(3, 's2')

    expect((await asking).responses.map(({ eventId }) => eventId)).toEqual(['e1-3'])
  })

  test('an answer from nobody known names its handle', async () => {
    await using peers = await meet()
    const asking = peers.client.ask('?')
    const { answer } = await hear(peers.daemon, BOTH)
    answer(2, 'shell')

    expect((await asking).responses).toMatchObject([{ from: '~alice' }])
  })
})

describe('nobody there', () => {
  test('a question that reached nobody is answered so at once', async () => {
    await using peers = await meet()
    const asking = peers.client.ask('?')
    await hear(peers.daemon, { recipient_count: 0, queued_count: 0 })

    expect(await asking).toMatchObject({ outcome: 'no-listener', recipients: [], responses: [] })
    expect(peers.daemon.untaken).toBe(0)
  })

  test('the asker itself is nobody (ACQ-23)', async () => {
    await using peers = await meet()
    const session = await register(peers)
    const asking = session.ask('?')
    await hear(peers.daemon, { recipient_count: 1, queued_count: 0 }, ['~alice/cc-opus@s1'])

    expect(await asking).toMatchObject({ outcome: 'no-listener', recipientCount: 1, recipients: [] })
  })

  test('without receipts, all waits for as many answers as were counted', async () => {
    await using peers = await meet()
    const asking = peers.client.ask('?', { collect: 'all' })
    const { answer } = await hear(peers.daemon, BOTH, [])
    answer(2, 's1')

    // Both answers are from handle ~alice and cannot be told apart; the deadline tells. It is set anew when the question is put.
    await peers.clock.timer((delayMs) => delayMs === 60_000)
    await peers.clock.timer((delayMs) => delayMs === 60_000)
    peers.clock.advance(60_000)
    expect(await asking).toMatchObject({ outcome: 'deadline', recipients: [] })
  })
})

describe('ending early', () => {
  test('an abort rejects with its reason and ends the subscription', async () => {
    await using peers = await meet()
    const controller = new AbortController()
    const asking = peers.client.ask('?', { signal: controller.signal })
    asking.catch(() => {})
    const { stream } = await hear(peers.daemon, BOTH)
    const closed = new Promise((resolve) => stream.socket.once('close', resolve))
    const reason = new Error('never mind')
    controller.abort(reason)

    await expect(asking).rejects.toBe(reason)
    await closed
  })

  test('a refused question rejects with the daemon\u2019s error', async () => {
    await using peers = await meet()
    const asking = peers.client.ask('?', { scope: 'org:acme/members/*' })
    asking.catch(() => {})
    await openReplies(peers.daemon)
    const pipe = await takePipe(peers.daemon)
    await pipe.line()
    pipe.write(`{"code":"scope-unimplemented","field":"recipient_scope","message":"Not here.","line":1}\n`)

    await expect(asking).rejects.toMatchObject({ code: 'scope-unimplemented', field: 'recipient_scope' })
  })

  test('who waits for answers but shortly has asked all the same: the time begins when the daemon has the question', async () => {
    await using peers = await meet()
    const asking = peers.client.ask('?', { timeoutMs: 10 })
    const arrivals = [
      await peers.daemon.next('GET /v1/handles/~alice/stream'),
      await peers.daemon.next('GET /v1/handles/~alice/stream'),
    ]
    peers.clock.advance(4_999)
    for (const stream of arrivals) stream.beginStream(encodePreamble('e1-0'))
    const pipe = await takePipe(peers.daemon)
    const line = await pipe.line()
    const { frame } = readSubmission(line)
    pipe.write(resultLine(line, BOTH))
    const receipts = await peers.daemon.next(`GET /v1/frames/${frame.frame_id}`)
    if (frame.kind !== 'agent_query') throw new Error('no query')
    receipts.answer(200, receiptsOf(frame, ADDRESSES))
    await peers.clock.timer((delayMs) => delayMs === 10)
    peers.clock.advance(10)

    expect(await asking).toMatchObject({ outcome: 'deadline', isTaken: true, recipients: ADDRESSES })
  })

  test('a question that the daemon did not take in time is told apart from one that nobody answered', async () => {
    await using peers = await meet()
    const asking = peers.client.ask('?', { timeoutMs: 10 })
    await peers.daemon.next('GET /v1/handles/~alice/stream')
    peers.clock.advance(5_000)

    expect(await asking).toMatchObject({ outcome: 'deadline', isTaken: false, recipientCount: 0 })
  })
})
