import { once } from 'node:events'
import { describe, expect, test } from 'vitest'
import { LINK_SILENCE_MS } from '../../../src/client/pipe/line-link.ts'
import { MAX_IN_FLIGHT } from '../../../src/client/pipe/in-flight.ts'
import { MAX_DROPS } from '../../../src/client/pipe/line-pipe.ts'
import type { Arrival } from '../../support/fake-daemon.ts'
import { makeFrame, meet, readSubmission, register, resultLine, takePipe, TOKEN } from '../peers.ts'

const PIPE = 'POST /v1/frames'

/** The next so many lines of a pipe. */
async function readLines(pipe: Arrival, count: number): Promise<readonly string[]> {
  const lines: string[] = []
  while (lines.length < count) lines.push(await pipe.line())
  return lines
}

/** The wait between two links, among the timers that watch for silence. */
const isBackoff = (delayMs: number): boolean => delayMs !== LINK_SILENCE_MS

describe('answers', () => {
  test('all frames go through one request, and each gets its own answer', async () => {
    await using peers = await meet()
    const { client, daemon } = peers
    const sent = Promise.all(['a', 'b', 'c'].map((text) => client.advise(text)))
    const pipe = await takePipe(daemon)
    const lines = await readLines(pipe, 3)

    for (const [index, line] of lines.entries()) pipe.write(resultLine(line, { event_id: `e1-${index + 1}` }))
    const results = await sent
    const later = client.advise('d')
    pipe.write(
      resultLine(await pipe.line(), { event_id: 'e1-4', recipient_count: 2, queued_count: 3, ack: 'disk' }),
    )

    const frames = lines.map((line) => readSubmission(line).frame)
    expect(frames.map(({ payload }) => payload)).toMatchObject(
      ['a', 'b', 'c'].map((text) => ({ advisory_text: text })),
    )
    expect(results.map(({ eventId }) => eventId)).toEqual(['e1-1', 'e1-2', 'e1-3'])
    expect(results.map(({ frameId }) => frameId)).toEqual(frames.map(({ frame_id }) => frame_id))
    expect(await later).toMatchObject({ eventId: 'e1-4', recipientCount: 2, queuedCount: 3, ack: 'disk' })
    expect(daemon.untaken).toBe(0)
  })

  test('answers cut at any byte are put together', async () => {
    await using peers = await meet()
    const sent = peers.client.advise('a')
    const pipe = await takePipe(peers.daemon)

    for (const byte of Buffer.from(resultLine(await pipe.line()))) {
      pipe.write(Buffer.from([byte]))
      await new Promise(setImmediate)
    }

    expect(await sent).toMatchObject({ eventId: 'e1-1', duplicate: false })
  })

  test('a refused line rejects its own frame and no other', async () => {
    await using peers = await meet()
    const { client, daemon } = peers
    const sent = Promise.allSettled(['a', 'b', 'c'].map((text) => client.advise(text)))
    const pipe = await takePipe(daemon)
    const [first = '', , third = ''] = await readLines(pipe, 3)
    const refusal = { code: 'scope-unauthorised', field: 'recipient_scope', message: 'Not yours.', line: 2 }
    pipe.write(`${resultLine(first)}${JSON.stringify(refusal)}\n${resultLine(third)}`)

    expect(await sent).toMatchObject([
      { status: 'fulfilled' },
      {
        reason: {
          name: 'AgentdError',
          code: 'scope-unauthorised',
          field: 'recipient_scope',
          message: 'Not yours.',
        },
      },
      { status: 'fulfilled' },
    ])
  })

  test('a code this version does not know keeps its text', async () => {
    await using peers = await meet()
    const sent = peers.client.advise('a')
    const pipe = await takePipe(peers.daemon)
    pipe.write(`{"code":"tea-time","message":"Wait.","retry_after_ms":250,"line":1}\n`)

    await expect(sent).rejects.toMatchObject({
      name: 'AgentdUnknownAnswer',
      code: 'tea-time',
      message: 'Wait.',
      retryAfterMs: 250,
    })
  })

  test('a line that is no answer ends the pipe, since nothing can be matched any more', async () => {
    await using peers = await meet()
    const sent = Promise.allSettled([peers.client.advise('a'), peers.client.advise('b')])
    const pipe = await takePipe(peers.daemon)
    pipe.write('{"hello":1}\n')

    const reason = { name: 'AgentdUnknownAnswer' }
    expect(await sent).toMatchObject([{ reason }, { reason }])
  })

  test('a frame over the size limit is refused here, before it can end the pipe for others', async () => {
    await using peers = await meet()
    const frame = makeFrame()
    const huge = { ...frame, provenance_basis: 'x'.repeat(65_536) }

    await expect(peers.client.submit(huge)).rejects.toMatchObject({ code: 'frame-too-large' })
    expect(peers.daemon.untaken).toBe(0)
  })
})

describe('drops', () => {
  test('frames in flight are sent again, byte for byte, ahead of those that wait (ACQ-25, R-14)', async () => {
    await using peers = await meet()
    const { client, daemon } = peers
    const sent = Promise.all(['a', 'b', 'c'].map((text) => client.advise(text)))
    const first = await takePipe(daemon)
    const lines = await readLines(first, 3)
    first.write(resultLine(lines[0] ?? ''))
    first.hangUp()
    const second = await takePipe(daemon)
    const later = client.advise('d')
    const again = await readLines(second, 3)
    for (const line of again) second.write(resultLine(line, { duplicate: line === lines[1] }))

    expect(again.slice(0, 2)).toEqual(lines.slice(1))
    expect((await sent).map(({ duplicate }) => duplicate)).toEqual([false, true, false])
    expect(await later).toMatchObject({ duplicate: false })
  })

  test('a drop in the middle of an answer line counts as no answer', async () => {
    await using peers = await meet()
    const sent = peers.client.advise('a')
    const first = await takePipe(peers.daemon)
    const line = await first.line()
    first.write(resultLine(line).slice(0, -1))
    first.hangUp()
    const second = await takePipe(peers.daemon)
    second.write(resultLine(await second.line(), { duplicate: true }))

    expect(await sent).toMatchObject({ duplicate: true })
  })

  test('silence with an answer owed counts as a drop', async () => {
    await using peers = await meet()
    const sent = peers.client.advise('a')
    const first = await takePipe(peers.daemon)
    const line = await first.line()
    peers.clock.advance(LINK_SILENCE_MS)
    const second = await takePipe(peers.daemon)

    expect(await second.line()).toBe(line)
    second.write(resultLine(line))
    await sent
  })

  test('drops in a row are borne up to the bound, with doubling waits, and not beyond it', async () => {
    await using peers = await meet(() => 0.5)
    const { client, daemon, clock } = peers
    const sent = client.advise('a')
    sent.catch(() => {})
    const waits: number[] = []
    for (let drop = 0; drop < MAX_DROPS; drop += 1) {
      ;(await daemon.next(PIPE)).cut()
      waits.push(await clock.timer(isBackoff))
      clock.advance(waits.at(-1) ?? 0)
    }
    ;(await daemon.next(PIPE)).cut()

    await expect(sent).rejects.toMatchObject({ name: 'AgentdUnreachable', socketPath: daemon.socketPath })
    expect(waits).toEqual([25, 50, 100, 200, 400, 800, 1_000, 1_000])
  })

  test('an answer in between starts the count anew', async () => {
    await using peers = await meet()
    const { client, daemon } = peers
    const sent = Promise.all([client.advise('a'), client.advise('b')])
    for (let drop = 0; drop < MAX_DROPS; drop += 1) (await daemon.next(PIPE)).cut()
    const pipe = await takePipe(daemon)
    pipe.write(resultLine(await pipe.line()))
    pipe.hangUp()
    for (let drop = 0; drop < MAX_DROPS - 1; drop += 1) (await daemon.next(PIPE)).cut()
    const last = await takePipe(daemon)
    last.write(resultLine(await last.line()))

    expect(await sent).toHaveLength(2)
  })

  test('a daemon that is not there fails the first frame at once', async () => {
    await using peers = await meet(() => 0.5)
    await peers.daemon.stop()

    await expect(peers.client.advise('a')).rejects.toMatchObject({ name: 'AgentdUnreachable' })
  })

  test('a daemon that is restarted under frames in flight gets them again', async () => {
    await using peers = await meet(() => 0.5)
    const { client, daemon, clock } = peers
    const sent = client.advise('a')
    const line = await (await takePipe(daemon)).line()
    await daemon.stop()
    clock.advance(await clock.timer(isBackoff))
    await clock.timer(isBackoff)
    await daemon.listen()
    clock.advance(1_000)
    const pipe = await takePipe(daemon)

    expect(await pipe.line()).toBe(line)
    pipe.write(resultLine(line))
    await sent
  })
})

describe('refusals of the whole request', () => {
  test('401 rejects everything that is owed and that waits', async () => {
    await using peers = await meet()
    const session = await register(peers)
    const sent = Promise.allSettled([session.advise('a'), session.advise('b')])
    const arrival = await peers.daemon.next(PIPE)
    arrival.answer(401, { code: 'unauthenticated', message: 'Register again.' })

    expect(arrival.header('authorization')).toBe(`Bearer ${TOKEN}`)
    const reason = { name: 'AgentdError', code: 'unauthenticated' }
    expect(await sent).toMatchObject([{ reason }, { reason }])
  })

  test('503 is tried again when the daemon said', async () => {
    await using peers = await meet()
    const sent = peers.client.advise('a')
    const first = await peers.daemon.next(PIPE)
    first.answer(503, { code: 'closing', message: 'Shortly.' }, { 'retry-after': '1' })
    peers.clock.advance(await peers.clock.timer((delayMs) => delayMs === 1_000))
    const second = await takePipe(peers.daemon)
    second.write(resultLine(await second.line()))

    expect(await sent).toMatchObject({ eventId: 'e1-1' })
  })

  test('503 to the last is told in the daemon\u2019s own words', async () => {
    await using peers = await meet()
    const sent = peers.client.advise('a')
    sent.catch(() => {})
    for (let answer = 0; answer <= MAX_DROPS; answer += 1) {
      ;(await peers.daemon.next(PIPE)).answer(503, { code: 'busy', message: 'Full.' })
    }

    await expect(sent).rejects.toMatchObject({ name: 'AgentdError', code: 'busy', message: 'Full.' })
  })
})

describe('bounds', () => {
  test('beyond the bound of frames in flight, send waits for an answer', async () => {
    await using peers = await meet()
    const { client, daemon } = peers
    const sent = Promise.all(
      Array.from({ length: MAX_IN_FLIGHT + 1 }, (_, index) => client.advise(`${index}`)),
    )
    const pipe = await takePipe(daemon)
    const lines = await readLines(pipe, MAX_IN_FLIGHT)
    let hasMore = false
    const next = pipe.line().then((line) => {
      hasMore = true
      return line
    })
    for (let call = 0; call < 5; call += 1) await client.health()
    expect(hasMore).toBe(false)

    pipe.write(resultLine(lines[0] ?? ''))
    const last = await next
    for (const line of [...lines.slice(1), last]) pipe.write(resultLine(line))

    expect(await sent).toHaveLength(MAX_IN_FLIGHT + 1)
  })

  test('an idle pipe is closed, and opened again by the next frame', async () => {
    await using peers = await meet()
    const { client, daemon, clock } = peers
    const sent = client.advise('a')
    const first = await takePipe(daemon)
    first.write(resultLine(await first.line()))
    await sent
    const closed = once(first.socket, 'close')
    clock.advance(LINK_SILENCE_MS)
    const later = client.advise('b')
    await closed
    const second = await takePipe(daemon)
    second.write(resultLine(await second.line()))

    expect(await later).toMatchObject({ eventId: 'e1-1' })
  })

  test('close waits for the answers that are owed', async () => {
    await using peers = await meet()
    const sent = peers.client.advise('a')
    const pipe = await takePipe(peers.daemon)
    const line = await pipe.line()
    const closed = peers.client.close()
    pipe.write(resultLine(line))

    expect(await sent).toMatchObject({ eventId: 'e1-1' })
    await closed
    await peers.daemon.quiet()
    await expect(peers.client.advise('b')).rejects.toMatchObject({ code: 'closing' })
  })

  test('close waits no longer than its bound', async () => {
    await using peers = await meet()
    const sent = peers.client.advise('a')
    sent.catch(() => {})
    const pipe = await takePipe(peers.daemon)
    await pipe.line()
    const closed = peers.client.close()
    peers.clock.advance(5_000)
    await closed

    await expect(sent).rejects.toMatchObject({ code: 'closing' })
    await peers.daemon.quiet()
    expect(peers.clock.pendingTimers).toBe(0)
  })
})
