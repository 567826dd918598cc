import { request } from 'node:http'
import { describe, expect, test } from 'vitest'
import { Backoff } from '../../../src/client/http/backoff.ts'
import { MAX_LINE_LENGTH } from '../../../src/client/stream/event-stream.ts'
import { exchange, type ExchangeOptions } from '../../../src/client/http/exchange.ts'
import { ItemQueue } from '../../../src/client/stream/item-queue.ts'
import { LongExchange } from '../../../src/client/http/long-exchange.ts'
import { SeenMarks } from '../../../src/client/service/seen-marks.ts'
import { MAX_SEEN_IDS } from '../../../src/core/limits.ts'
import { RecentIds } from '../../../src/client/stream/recent-ids.ts'
import { FakeDaemon } from '../../support/fake-daemon.ts'
import { gate } from '../envelope-peers.ts'
import { ManualClock } from '../manual-clock.ts'
import { meet, resultLine, takePipe } from '../peers.ts'

describe('waits', () => {
  test('a wait is spread from nothing to its ceiling', () => {
    const dice = [0, 0.999_9]
    const backoff = new Backoff({ baseMs: 1_000, capMs: 30_000 }, () => dice.shift() ?? 0)

    expect([backoff.nextMs(), backoff.nextMs()]).toEqual([0, 1_999])
  })

  test('a daemon may ask neither for no wait at all nor for more than the cap', () => {
    const bounds = { baseMs: 1_000, capMs: 30_000 }
    const eager = new Backoff(bounds, () => 1)
    const lazy = new Backoff(bounds, () => 1)
    eager.rebase(0)
    lazy.rebase(1_000_000)

    expect([eager.nextMs(), lazy.nextMs()]).toEqual([100, 30_000])
  })

  test('after ever so many failures the wait is the cap', () => {
    const backoff = new Backoff({ baseMs: 1, capMs: 30_000 }, () => 1)
    for (let failure = 0; failure < 2_000; failure += 1) backoff.nextMs()

    expect(backoff.nextMs()).toBe(30_000)
  })
})

describe('what is remembered', () => {
  test('the oldest id is forgotten, and seeing one again makes it young', () => {
    const recent = new RecentIds(2)

    expect(['a', 'b', 'a', 'c', 'a', 'b'].map((id) => recent.add(id))).toEqual([
      true,
      true,
      false,
      true,
      false,
      true,
    ])
  })

  test('ids compare exactly, and a long one is remembered as well', () => {
    const recent = new RecentIds(4)
    const long = 'x'.repeat(1_000_000)

    expect(['a', 'A', long, `${long}y`, long].map((id) => recent.add(id))).toEqual([
      true,
      true,
      true,
      true,
      false,
    ])
  })
})

describe('what is told of later', () => {
  test('marks gather behind a call, newest kept, and one that fails is not told again', async () => {
    const told: (readonly string[])[] = []
    const end = gate()
    const marks = new SeenMarks(async (eventIds) => {
      told.push(eventIds)
      if (told.length > 1) return
      await end.opened
      throw new Error('lost')
    })
    marks.add('first')
    for (let n = 0; n <= MAX_SEEN_IDS; n += 1) marks.add(String(n))
    end.open()
    await new Promise(setImmediate)

    expect(told.map(({ length }) => length)).toEqual([1, MAX_SEEN_IDS])
    expect([told[1]?.[0], told[1]?.at(-1)]).toEqual(['1', String(MAX_SEEN_IDS)])
  })
})

describe('what waits for a consumer', () => {
  test('items of different weight fill the bound together', async () => {
    const told: string[] = []
    const queue = new ItemQueue<string>(4, {
      onFull: () => told.push('full'),
      onDrained: () => told.push('drained'),
    })
    queue.push('small')
    queue.push('large', 9)
    queue.push('more')
    expect(told).toEqual(['full'])

    await queue.next()
    expect(told).toEqual(['full'])
    await queue.next()
    expect(told).toEqual(['full', 'drained'])
  })

  test('the producer is stopped at the bound and let go on at half of it', async () => {
    const told: string[] = []
    const queue = new ItemQueue<number>(4, {
      onFull: () => told.push('full'),
      onDrained: () => told.push('drained'),
    })
    for (const item of [1, 2, 3]) queue.push(item)
    expect(told).toEqual([])
    queue.push(4)
    queue.push(5)
    expect(told).toEqual(['full'])

    const items = [await queue.next(), await queue.next()]
    expect(told).toEqual(['full'])
    items.push(await queue.next())

    expect(told).toEqual(['full', 'drained'])
    expect(items.map(({ value }) => value)).toEqual([1, 2, 3])
  })

  test('what was pushed before the end is handed over before its error', async () => {
    const queue = new ItemQueue<number>(4, { onFull() {}, onDrained() {} })
    queue.push(1)
    queue.end(new Error('over'))
    queue.push(2)

    expect(await queue.next()).toEqual({ done: false, value: 1 })
    await expect(queue.next()).rejects.toThrow('over')
    expect(await queue.next()).toEqual({ done: true, value: undefined })
  })

  test('every one of several waiting consumers is told of the end, one of them of its error', async () => {
    const queue = new ItemQueue<number>(4, { onFull() {}, onDrained() {} })
    const waiting = Promise.allSettled([queue.next(), queue.next()])
    queue.end(new Error('over'))

    expect((await waiting).map(({ status }) => status)).toEqual(['rejected', 'fulfilled'])
  })
})

function optionsFor(daemon: FakeDaemon, maxOctets: number): ExchangeOptions {
  const options = { socketPath: daemon.socketPath, path: '/', agent: false as const }
  return {
    request: options,
    body: undefined,
    signal: undefined,
    clock: new ManualClock(),
    deadlineMs: 1,
    maxOctets,
  }
}

describe('what is read', () => {
  test('an answer is read up to its bound and not one octet beyond it', async () => {
    await using daemon = await FakeDaemon.start()
    const fits = exchange(optionsFor(daemon, 4))
    ;(await daemon.next()).answer(200, '1234')
    const exceeds = exchange(optionsFor(daemon, 3))
    exceeds.catch(() => {})
    ;(await daemon.next()).answer(200, '1234')

    expect((await fits).body.toString()).toBe('1234')
    await expect(exceeds).rejects.toMatchObject({ name: 'BoundPassed' })
  })

  test('an answer that breaks off is no answer', async () => {
    await using daemon = await FakeDaemon.start()
    const broken = exchange(optionsFor(daemon, 100))
    broken.catch(() => {})
    const arrival = await daemon.next()
    arrival.raw(Buffer.from('HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\n12'))
    arrival.hangUp()

    await expect(broken).rejects.toMatchObject({ name: 'ExchangeFailed' })
  })

  test('an error body over its bound is a drop', async () => {
    await using daemon = await FakeDaemon.start()
    const sent = request({ socketPath: daemon.socketPath, path: '/', agent: false })
    const long = new LongExchange(sent, { media: 'text/plain', onChunk: () => undefined })
    sent.end()
    ;(await daemon.next()).answer(400, 'x'.repeat(65_537))

    expect(await long.ended).toEqual({ kind: 'lost' })
  })

  test('a line of a stream without an end is a drop', async () => {
    await using peers = await meet()
    await using stream = peers.client.stream()
    const arrival = await peers.daemon.next('GET /v1/handles')
    arrival.beginStream(`data: ${'x'.repeat(MAX_LINE_LENGTH)}`)

    await peers.daemon.next('GET /v1/handles')
    await stream.return()
  })

  test('an answer line without an end is a drop', async () => {
    await using peers = await meet()
    const sent = peers.client.advise('a')
    const first = await takePipe(peers.daemon)
    const line = await first.line()
    first.write('x'.repeat(65_537))
    const second = await takePipe(peers.daemon)
    second.write(resultLine(await second.line()))

    expect(line).toContain((await sent).frameId)
  })
})
