import { getEventListeners, once } from 'node:events'
import { IncomingMessage } from 'node:http'
import { describe, expect, test, vi } from 'vitest'
import type { AgentdStream } from '../../../src/client/stream/stream.ts'
import type { FrameItem, InvalidFrame, StreamItem } from '../../../src/client/stream/options.ts'
import { STREAM_DEAD_MS } from '../../../src/core/limits.ts'
import {
  encodeBye,
  encodeCursor,
  encodeGap,
  encodeKeepAlive,
  encodePreamble,
} from '../../../src/protocol/sse/encoder.ts'
import { eventOf, makeFrame, meet, register, TOKEN } from '../peers.ts'

const STREAM = 'GET /v1/handles/~alice/stream'

/** The wait between two connections, among the timers that watch for silence. */
const isBackoff = (delayMs: number): boolean => delayMs !== STREAM_DEAD_MS

/** Says that another life of the daemon has begun. */
function gapTo(epoch: string): string {
  return encodeGap({ reason: 'epoch', requested: '', oldest: `${epoch}-1`, missed: null })
}

async function take(stream: AgentdStream, count: number): Promise<readonly StreamItem[]> {
  const items: StreamItem[] = []
  while (items.length < count) {
    const { value, done } = await stream.next()
    if (done === true) throw new Error(`the stream ended after ${items.length} items`)
    items.push(value)
  }
  return items
}

function eventIds(items: readonly StreamItem[]): readonly string[] {
  return items.map((item) => (item.type === 'gap' ? item.gap.reason : item.eventId))
}

describe('resuming', () => {
  test('a stream cut at any byte yields every frame once and in order (AC-142, SSE-10, R-15)', async () => {
    await using peers = await meet()
    const { daemon, client } = peers
    const events = [1, 2].map((seq) => ({ seq, text: eventOf(`e1-${seq}`, makeFrame(`äß€😀 ${seq}`)) }))
    const head = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n'
    const bytes = Buffer.from(`${head}${encodePreamble('e1-0')}${events.map(({ text }) => text).join('')}`)

    for (let cut = 0; cut <= bytes.length; cut += 1) {
      const stream = client.stream()
      const first = await daemon.next(STREAM)
      first.raw(bytes.subarray(0, cut))
      first.hangUp()
      const second = await daemon.next(STREAM)
      const after = Number(second.header('last-event-id')?.slice('e1-'.length) ?? 0)
      const rest = events.filter(({ seq }) => seq > after).map(({ text }) => text)
      second.beginStream(encodePreamble('e1-2') + rest.join(''))

      expect(eventIds(await take(stream, 2)), `cut at ${cut}`).toEqual(['e1-1', 'e1-2'])
      await stream.return()
    }
  })

  test('a character cut in two chunks arrives whole', async () => {
    await using peers = await meet()
    const frame = makeFrame('äß€😀')
    const stream = peers.client.stream()
    const arrival = await peers.daemon.next(STREAM)
    arrival.beginStream()
    arrival.socket.setNoDelay()

    for (const byte of Buffer.from(eventOf('e1-1', frame))) {
      arrival.write(Buffer.from([byte]))
      await new Promise(setImmediate)
    }

    expect(await take(stream, 1)).toMatchObject([{ type: 'frame', eventId: 'e1-1', frame }])
  })

  test('bytes that are no UTF-8 end the connection and not the stream', async () => {
    await using peers = await meet()
    const stream = peers.client.stream()
    const first = await peers.daemon.next(STREAM)
    first.beginStream(encodePreamble('e1-0'))
    first.write(Buffer.from([0x64, 0xff, 0xfe]))

    const second = await peers.daemon.next(STREAM)
    second.beginStream(eventOf('e1-1', makeFrame()))

    expect(eventIds(await take(stream, 1))).toEqual(['e1-1'])
  })

  test('a stream dropped before its first frame comes back where it began', async () => {
    await using peers = await meet()
    const onOpen = vi.fn<(position: string | undefined) => void>()
    await using stream = peers.client.stream({ onOpen })
    const first = await peers.daemon.next(STREAM)
    first.beginStream(encodePreamble('e1-7'))
    expect(await stream.opened).toBe('e1-7')
    first.cut()

    const second = await peers.daemon.next(STREAM)
    second.beginStream(encodePreamble('e1-8') + eventOf('e1-8', makeFrame()))
    await take(stream, 1)

    expect(onOpen.mock.calls).toEqual([['e1-7'], ['e1-8']])
    expect(first.header('last-event-id')).toBeUndefined()
    expect(second.header('last-event-id')).toBe('e1-7')
  })

  test('a block of only an id moves the cursor (SSE-08)', async () => {
    await using peers = await meet()
    await using stream = peers.client.stream()
    const first = await peers.daemon.next(STREAM)
    first.beginStream(encodePreamble('e1-1') + encodeKeepAlive('e1-9'))
    first.hangUp()

    expect((await peers.daemon.next(STREAM)).header('last-event-id')).toBe('e1-9')
    await stream.return()
  })

  test('an id that is none of ours is not sent back', async () => {
    await using peers = await meet()
    await using stream = peers.client.stream()
    const first = await peers.daemon.next(STREAM)
    first.beginStream(`id: e1-4\ndata: x\n\nid: snow☃man\ndata: x\n\n`)
    first.hangUp()

    expect((await peers.daemon.next(STREAM)).header('last-event-id')).toBe('e1-4')
    await stream.return()
  })

  test('the caller\u2019s cursor goes as `after`, and only until the daemon has given one', async () => {
    await using peers = await meet()
    await using stream = peers.client.stream({ after: 'e1-3', filter: 'kind:agent_advisory' })
    const first = await peers.daemon.next(STREAM)
    first.beginStream(encodePreamble('e1-9') + eventOf('e1-4', makeFrame()))
    await take(stream, 1)
    first.hangUp()
    const second = await peers.daemon.next(STREAM)

    expect([first.query.get('after'), first.header('last-event-id')]).toEqual(['e1-3', undefined])
    expect([second.query.get('after'), second.header('last-event-id')]).toEqual([null, 'e1-4'])
    expect(second.query.get('filter')).toBe('kind:agent_advisory')
  })

  test('a replay is asked for again until there is a cursor', async () => {
    await using peers = await meet()
    await using stream = peers.client.stream({ replay: 5 })
    const first = await peers.daemon.next(STREAM)
    first.beginStream(encodePreamble('e1-9'))
    first.hangUp()
    const second = await peers.daemon.next(STREAM)
    second.beginStream(eventOf('e1-9', makeFrame()))
    second.hangUp()
    const third = await peers.daemon.next(STREAM)

    expect([first, second, third].map(({ query }) => query.get('replay'))).toEqual(['5', '5', null])
    expect(third.header('last-event-id')).toBe('e1-9')
    await stream.return()
  })

  test('a stream outlives a daemon that is stopped and started (ENOENT)', async () => {
    await using peers = await meet(() => 0.5)
    const { daemon, clock } = peers
    await using stream = peers.client.stream()
    const first = await daemon.next(STREAM)
    first.beginStream(encodePreamble('e1-1'))
    await stream.opened
    await daemon.stop()
    clock.advance(await clock.timer(isBackoff))
    await clock.timer(isBackoff)
    await daemon.listen()
    clock.advance(1_000)

    const second = await daemon.next(STREAM)
    second.beginStream(eventOf('e1-2', makeFrame()))

    expect(eventIds(await take(stream, 1))).toEqual(['e1-2'])
  })
})

describe('gaps', () => {
  test('a gap is yielded before the frames behind it (AC-145, R-16)', async () => {
    await using peers = await meet()
    await using stream = peers.client.stream({ after: 'e1-7' })
    const gap = { reason: 'trimmed', requested: 'e1-7', oldest: 'e1-30', missed: 22 } as const
    const arrival = await peers.daemon.next(STREAM)
    arrival.beginStream(encodePreamble('e1-30') + encodeGap(gap) + eventOf('e1-30', makeFrame()))

    const items = await take(stream, 2)

    expect(items[0]).toEqual({ type: 'gap', gap })
    expect(eventIds(items)).toEqual(['trimmed', 'e1-30'])
  })

  test('a resumption across epochs goes on at the beginning of the new one (ACQ-21)', async () => {
    await using peers = await meet()
    await using stream = peers.client.stream({ after: 'e1-7' })
    const gap = { reason: 'epoch', requested: 'e1-7', oldest: 'e2-1', missed: null } as const
    const late = eventOf('e2-3', makeFrame())
    const first = await peers.daemon.next(STREAM)
    first.beginStream(encodePreamble('e2-2') + encodeGap(gap) + encodeCursor('e2-2') + late)

    const second = await peers.daemon.next(STREAM)
    const frames = [1, 2].map((seq) => eventOf(`e2-${seq}`, makeFrame()))
    second.beginStream(encodePreamble('e2-2') + frames.join('') + late)

    expect([second.query.get('after'), second.header('last-event-id')]).toEqual(['e2-0', undefined])
    expect(eventIds(await take(stream, 4))).toEqual(['epoch', 'e2-1', 'e2-2', 'e2-3'])
  })

  test('an epoch gap over an empty ring goes on where the daemon says', async () => {
    await using peers = await meet()
    await using stream = peers.client.stream({ after: 'e1-7' })
    const gap = { reason: 'epoch', requested: 'e1-7', oldest: null, missed: null } as const
    const first = await peers.daemon.next(STREAM)
    first.beginStream(encodePreamble('e2-0') + encodeGap(gap) + encodeCursor('e2-0'))
    first.hangUp()

    const second = await peers.daemon.next(STREAM)

    expect(eventIds(await take(stream, 1))).toEqual(['epoch'])
    expect([second.query.get('after'), second.header('last-event-id')]).toEqual([null, 'e2-0'])
    await stream.return()
  })

  test('a daemon that changes its epoch at every connection is treated as dropping', async () => {
    await using peers = await meet(() => 0.5)
    const { daemon, clock } = peers
    await using stream = peers.client.stream({ after: 'e1-7' })
    const first = await daemon.next(STREAM)
    first.beginStream(gapTo('e2'))
    const second = await daemon.next(STREAM)
    second.beginStream(gapTo('e3'))

    clock.advance(await clock.timer(isBackoff))

    expect((await daemon.next(STREAM)).query.get('after')).toBe('e3-0')
    await stream.return()
  })

  test('a gap in words this version does not know is still a gap', async () => {
    await using peers = await meet()
    await using stream = peers.client.stream()
    const arrival = await peers.daemon.next(STREAM)
    arrival.beginStream(`id: e1-4\n\nevent: agentd_gap\ndata: {"reason":"moonshine"}\n\n`)

    const gap = { reason: 'corrupt', requested: 'e1-4', oldest: null, missed: null }
    expect(await take(stream, 1)).toEqual([{ type: 'gap', gap }])
  })
})

describe('coming back', () => {
  test('silence over the bound reopens; a keep-alive is no silence (AC-140, ACQ-33)', async () => {
    await using peers = await meet()
    const { daemon, clock } = peers
    await using stream = peers.client.stream()
    const first = await daemon.next(STREAM)
    first.beginStream(encodePreamble('e1-1'))
    await stream.opened
    clock.advance(STREAM_DEAD_MS - 1)
    first.write(encodeKeepAlive('e1-2') + eventOf('e1-3', makeFrame()))
    await take(stream, 1)
    clock.advance(STREAM_DEAD_MS - 1)
    expect([daemon.untaken, daemon.openConnections > 0]).toEqual([0, true])

    const closed = once(first.socket, 'close')

    clock.advance(1)

    const second = await daemon.next(STREAM)
    expect(second.header('last-event-id')).toBe('e1-3')
    await closed
    await stream.return()
  })

  test.each(['shutdown', 'slow-consumer'] as const)('agentd_bye %s comes back', async (reason) => {
    await using peers = await meet()
    await using stream = peers.client.stream()
    const first = await peers.daemon.next(STREAM)
    first.beginStream(eventOf('e1-1', makeFrame()) + encodeBye(reason))

    expect((await peers.daemon.next(STREAM)).header('last-event-id')).toBe('e1-1')
    await stream.return()
  })

  test.each(['replaced', 'expired'] as const)('agentd_bye %s ends the stream', async (reason) => {
    await using peers = await meet()
    const stream = peers.client.stream()
    const arrival = await peers.daemon.next(STREAM)
    arrival.beginStream(eventOf('e1-1', makeFrame()) + encodeBye(reason))

    expect(eventIds(await take(stream, 1))).toEqual(['e1-1'])
    await expect(stream.next()).rejects.toMatchObject({ name: 'AgentdError', code: 'unauthenticated' })
    expect(await stream.next()).toEqual({ done: true, value: undefined })
  })

  test('waits double from one second to thirty, jittered over their whole length', async () => {
    await using peers = await meet(() => 0.5)
    const { daemon, clock } = peers
    await using stream = peers.client.stream()
    const waits: number[] = []

    for (let drop = 0; drop < 7; drop += 1) {
      ;(await daemon.next(STREAM)).cut()
      waits.push(await clock.timer(isBackoff))
      clock.advance(waits.at(-1) ?? 0)
    }

    expect(waits).toEqual([500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000])
    await stream.return()
  })

  test('the daemon\u2019s `retry:` is the base, and a connection of thirty seconds starts the waits anew', async () => {
    await using peers = await meet(() => 0.5)
    const { daemon, clock } = peers
    await using stream = peers.client.stream()
    ;(await daemon.next(STREAM)).cut()
    clock.advance(await clock.timer(isBackoff))
    const second = await daemon.next(STREAM)
    second.beginStream('retry: 4000\n: agentd e1-1\n\n')
    await stream.opened
    clock.advance(30_000)
    second.cut()

    expect(await clock.timer(isBackoff)).toBe(2_000)
    await stream.return()
  })

  test('a daemon without room is asked again, not before it said', async () => {
    await using peers = await meet()
    const { daemon, clock } = peers
    await using stream = peers.client.stream()
    const busy = { code: 'busy', message: 'Come back later.' }
    ;(await daemon.next(STREAM)).answer(503, busy, { 'retry-after': '7' })

    expect(await clock.timer((delayMs) => delayMs === 7_000)).toBe(7_000)
    clock.advance(7_000)
    ;(await daemon.next(STREAM)).beginStream(eventOf('e1-1', makeFrame()))
    expect(eventIds(await take(stream, 1))).toEqual(['e1-1'])
  })

  test('a refused stream ends with the daemon\u2019s error (AC-159, ACQ-36)', async () => {
    await using peers = await meet()
    const stream = peers.client.stream({ filter: 'colour:red' })
    const refusal = { code: 'filter-axis-unknown', field: 'filter', message: 'No such axis.' }
    ;(await peers.daemon.next(STREAM)).answer(400, refusal)

    await expect(stream.opened).rejects.toMatchObject({ code: 'filter-axis-unknown', field: 'filter' })
    await expect(stream.next()).rejects.toMatchObject({ code: 'filter-axis-unknown', field: 'filter' })
  })

  test('an answer that is no event stream ends the stream (SSE-01)', async () => {
    await using peers = await meet()
    const stream = peers.client.stream()
    ;(await peers.daemon.next(STREAM)).answer(200, {})

    await expect(stream.next()).rejects.toMatchObject({ name: 'AgentdUnknownAnswer', status: 200 })
  })

  test('204 ends the stream without an error (SSE-01)', async () => {
    await using peers = await meet()
    const stream = peers.client.stream()
    const arrival = await peers.daemon.next(STREAM)
    arrival.response.writeHead(204).end()

    expect(await stream.next()).toEqual({ done: true, value: undefined })
  })
})

describe('what is yielded', () => {
  test('a frame that came before is left out, whatever case its id is in (AC-184, ACQ-19)', async () => {
    await using peers = await meet()
    await using stream = peers.client.stream()
    const frame = makeFrame()
    const shouted = { ...frame, frame_id: frame.frame_id.toUpperCase() }
    const arrival = await peers.daemon.next(STREAM)
    arrival.beginStream(eventOf('e1-1', frame) + eventOf('e1-2', shouted) + eventOf('e1-3', makeFrame()))

    expect(eventIds(await take(stream, 2))).toEqual(['e1-1', 'e1-3'])
  })

  test('without dedupe a frame comes as often as it is sent', async () => {
    await using peers = await meet()
    await using stream = peers.client.stream({ dedupe: false })
    const frame = makeFrame()
    const arrival = await peers.daemon.next(STREAM)
    arrival.beginStream(eventOf('e1-1', frame) + eventOf('e1-2', frame))

    expect(eventIds(await take(stream, 2))).toEqual(['e1-1', 'e1-2'])
  })

  test('a stale frame is left out and reported, unless it is asked for (AC-183)', async () => {
    await using peers = await meet()
    peers.clock.advance(1_000)
    const onExpired = vi.fn<(item: FrameItem) => void>()
    await using stream = peers.client.stream({ onExpired })
    const [past, fresh] = [makeFrame('past', { ttlMs: 1_000 }), makeFrame('fresh', { ttlMs: 1_001 })]
    const arrival = await peers.daemon.next(STREAM)
    arrival.beginStream(eventOf('e1-1', past) + eventOf('e1-2', fresh))

    expect(eventIds(await take(stream, 1))).toEqual(['e1-2'])
    expect(onExpired.mock.calls.map(([{ eventId, frame }]) => [eventId, frame])).toEqual([['e1-1', past]])
    await using whole = peers.client.stream({ dropExpired: false })
    ;(await peers.daemon.next(STREAM)).beginStream(eventOf('e1-1', past))
    expect(eventIds(await take(whole, 1))).toEqual(['e1-1'])
  })

  test('an invalid frame is reported and left out (ACQ-37, AC-004)', async () => {
    await using peers = await meet()
    const onInvalid = vi.fn<(invalid: InvalidFrame) => void>()
    await using stream = peers.client.stream({ onInvalid })
    const { created_at: _, ...headless } = makeFrame()
    const arrival = await peers.daemon.next(STREAM)
    arrival.beginStream(
      `id: e1-1\nevent: agent_frame\ndata: ${JSON.stringify(headless)}\n\n` +
        `id: e1-2\nevent: agent_frame\ndata: {\n\n${eventOf('e1-3', makeFrame())}`,
    )

    expect(eventIds(await take(stream, 1))).toEqual(['e1-3'])
    expect(onInvalid.mock.calls).toMatchObject([
      [{ eventId: 'e1-1', error: { code: 'field-missing', field: 'created_at' } }],
      [{ eventId: 'e1-2', data: '{', error: { code: 'field-invalid', field: 'frame' } }],
    ])
  })

  test('events of other kinds are passed over', async () => {
    await using peers = await meet()
    await using stream = peers.client.stream()
    const arrival = await peers.daemon.next(STREAM)
    arrival.beginStream(`id: e1-1\nevent: aee_envelope\ndata: {"v":"1"}\n\n${eventOf('e1-2', makeFrame())}`)

    expect(eventIds(await take(stream, 1))).toEqual(['e1-2'])
  })

  test('a consumer that does not read makes the socket wait, and loses nothing (SSE-15)', async () => {
    const pause = vi.spyOn(IncomingMessage.prototype, 'pause')
    await using peers = await meet()
    await using stream = peers.client.stream({ dedupe: false })
    const frame = makeFrame('x'.repeat(2_000))
    const count = 4_000
    const arrival = await peers.daemon.next(STREAM)
    arrival.beginStream()
    let isWritten = false
    const text = Array.from({ length: count }, (_, seq) => eventOf(`e1-${seq + 1}`, frame)).join('')
    pause.mockClear()
    const paused = new Promise<void>((resolve) => {
      pause.mockImplementationOnce(function pauseOnce(this: IncomingMessage) {
        resolve()
        pause.mockRestore()
        return this.pause()
      })
    })
    arrival.response.write(text, () => {
      isWritten = true
    })
    await paused
    for (let call = 0; call < 20; call += 1) await peers.client.health()
    expect(isWritten).toBe(false)

    const ids = eventIds(await take(stream, count))

    expect(ids).toEqual(Array.from({ length: count }, (_, seq) => `e1-${seq + 1}`))
  })
})

describe('ending', () => {
  test('a break leaves no socket, no timer and no listener behind (R-31)', async () => {
    await using peers = await meet()
    const { daemon, clock, client } = peers
    const controller = new AbortController()
    const stream = client.stream({ signal: controller.signal })
    const arrival = await daemon.next(STREAM)
    arrival.beginStream(eventOf('e1-1', makeFrame()) + eventOf('e1-2', makeFrame()))
    const closed = once(arrival.socket, 'close')

    for await (const item of stream) {
      expect(item.type).toBe('frame')
      break
    }

    await closed
    expect(clock.pendingTimers).toBe(0)
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0)
    expect(await stream.next()).toEqual({ done: true, value: undefined })
  })

  test('an abort ends the iteration with its reason, also between two connections', async () => {
    await using peers = await meet(() => 0.5)
    const { daemon, clock, client } = peers
    const controller = new AbortController()
    const stream = client.stream({ signal: controller.signal })
    ;(await daemon.next(STREAM)).cut()
    await clock.timer(isBackoff)
    const next = stream.next()
    const reason = new Error('enough')

    controller.abort(reason)

    await expect(next).rejects.toBe(reason)
    await expect(stream.opened).rejects.toBe(reason)
    await stream.return()
    expect(clock.pendingTimers).toBe(0)
  })

  test('a signal that has aborted already opens nothing', async () => {
    await using peers = await meet()
    const stream = peers.client.stream({ signal: AbortSignal.abort(new Error('never')) })

    await expect(stream.next()).rejects.toThrow('never')
    await stream.return()
    expect(peers.daemon.untaken).toBe(0)
  })

  test('closing the client ends its streams', async () => {
    await using peers = await meet()
    const stream = peers.client.stream()
    const arrival = await peers.daemon.next(STREAM)
    arrival.beginStream()
    const next = stream.next()

    await peers.client.close()

    expect(await next).toEqual({ done: true, value: undefined })
    await peers.daemon.quiet()
  })
})

describe('as whom', () => {
  test('a principal listens under one name for the life of the stream', async () => {
    await using peers = await meet()
    await using stream = peers.client.stream({ tool: 'human' })
    const first = await peers.daemon.next(STREAM)
    first.cut()
    const second = await peers.daemon.next(STREAM)

    expect(first.header('authorization')).toBeUndefined()
    expect([first.query.get('instrument'), first.query.get('tool')]).toEqual(['cli', 'human'])
    expect(first.query.get('session_id')).toMatch(/^[0-9A-Z]{26}$/)
    expect(second.query.get('session_id')).toBe(first.query.get('session_id'))
    await stream.return()
  })

  test('a session listens with its token and names nobody', async () => {
    await using peers = await meet()
    const session = await register(peers)
    await using stream = session.stream()
    const arrival = await peers.daemon.next(STREAM)

    expect(arrival.header('authorization')).toBe(`Bearer ${TOKEN}`)
    expect([...arrival.query.keys()]).toEqual([])
    await stream.return()
  })
})
