/**
 * What a bridge holds at most: of what leaves, of what comes, of a line on its stdin (FED-18, FED-25).
 */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { MAX_ERRAND_OCTETS, readErrand } from '../../src/bridge/errand.ts'
import { Outbox, type Outgoing } from '../../src/bridge/outbox.ts'
import { hasProgram, runsOnLinux } from '../support/needs.ts'
import { numbers, startNode, startPair } from './pair.ts'

const item = (octets: number, prev?: string): Outgoing => ({
  line: 'x',
  octets,
  place: undefined,
  reports: undefined,
  prev,
})

/** Whether it is still waiting, once everything that was ready has run. */
async function isWaiting(promise: Promise<unknown>): Promise<boolean> {
  let isDone = false
  void promise.then(() => (isDone = true))
  await new Promise((resolve) => setImmediate(resolve))
  return !isDone
}

describe('what leaves', () => {
  test('is taken as far as it fits, and one record in any case (FED-18)', async () => {
    const outbox = new Outbox()
    for (const octets of [50, 40, 20, 500]) void outbox.put(item(octets), 100)

    expect((await outbox.take(100, 256)).map(({ octets }) => octets)).toEqual([50, 40])
    expect((await outbox.take(100, 256)).map(({ octets }) => octets)).toEqual([20])
    expect((await outbox.take(100, 256)).map(({ octets }) => octets)).toEqual([500])
  })

  test('is at most so many records, and a hole begins a batch of its own (FED-18, FED-22)', async () => {
    const outbox = new Outbox()
    for (const one of [item(1), item(1), item(1), item(1, 'e-3'), item(1)]) void outbox.put(one, 100)

    expect(await outbox.take(100, 2)).toHaveLength(2)
    expect(await outbox.take(100, 256)).toHaveLength(1)
    expect((await outbox.take(100, 256)).map(({ prev }) => prev)).toEqual(['e-3', undefined])
  })

  test('waits in the ring beyond two batches, by octets and by number (FED-02)', async () => {
    const outbox = new Outbox()

    expect(await isWaiting(outbox.put(item(200), 100))).toBe(false)
    const over = outbox.put(item(1), 100)
    expect(await isWaiting(over)).toBe(true)
    await outbox.take(100, 256)
    expect(await isWaiting(over)).toBe(false)

    await outbox.take(100, 256)
    for (let i = 0; i < 1_024; i += 1) expect(await isWaiting(outbox.put(item(1), 1_000_000))).toBe(false)
    expect(await isWaiting(outbox.put(item(1), 1_000_000))).toBe(true)
  })
})

describe('an errand', () => {
  test('is one line of a socket, a token and a link, or refused (FED-07)', () => {
    expect(MAX_ERRAND_OCTETS).toBe(524_288)
    for (const line of ['', '[]', '{"token":"t"}', '{"socket":"/s"}'])
      expect(() => readErrand(line)).toThrow(/started by the daemon/)
    expect(() => readErrand('{"socket":"/s","token":"t","link":{}}')).toThrow(/type/)
  })
})

describe.runIf(hasProgram('nats-server'))('what comes', () => {
  test('is not taken further ahead than a thousand records, however full the messages are (FED-25)', async () => {
    await using pair = await startPair()
    const { laptop, devbox } = pair
    await devbox.killBridge()
    for (let i = 0; i < 20; i += 1) {
      laptop.say(...numbers(i * 400 + 1, i * 400 + 400))
      await laptop.sentAll()
    }
    const held: (() => void)[] = []
    devbox.afterTaking = () => new Promise((resolve) => held.push(resolve))
    devbox.startBridge(pair.linkOf(devbox))
    await devbox.received(1)
    const ahead = await pair.hub.delivered()

    devbox.afterTaking = undefined
    for (const release of held) release()

    expect(ahead).toBeLessThanOrEqual(5)
    expect(await devbox.received(8_000)).toEqual(numbers(1, 8_000))
  })

  test.runIf(runsOnLinux('the memory of a process'))(
    'needs no memory of its own, however long the backlog is (FED-25, FT-06)',
    async () => {
      await using pair = await startPair()
      const { laptop, devbox } = pair
      await devbox.killBridge()
      const large = 'x'.repeat(8_000)
      const sayMany = async (count: number): Promise<void> => {
        for (let i = 0; i < count; i += 100) {
          laptop.say(...Array.from({ length: 100 }, () => large))
          await laptop.sentAll()
        }
      }
      await sayMany(1_000)
      devbox.startBridge(pair.linkOf(devbox))
      await devbox.received(1_000)
      const before = residentMiB(devbox.bridge.pid)
      await devbox.killBridge()

      await sayMany(9_000)
      devbox.startBridge(pair.linkOf(devbox))
      await devbox.received(10_000)

      // The same within what a collector leaves lying about, for nine times as much.
      expect(residentMiB(devbox.bridge.pid)).toBeLessThan(before + 40)
    },
    60_000,
  )
})

describe.runIf(hasProgram('nats-server'))('a lane', () => {
  test('in words of a later version is passed over, and its place is kept for after an upgrade (FED-17)', async () => {
    await using pair = await startPair({ nodes: ['laptop', 'devbox', 'ci'] })
    const { hub, laptop, devbox } = pair
    await using ci = await startNode(hub, 'ci')
    ci.startBridge(hub.linkOf('ci'))
    await ci.condition('up')
    laptop.say('1')
    await devbox.received(1)

    devbox.unreadable.add('agentd.v1.p.alice.f.laptop')
    laptop.say('2')
    await laptop.sentAll()
    ci.say('of ci')
    await devbox.received(2)
    laptop.say('3')
    await laptop.sentAll()
    const { seq } = devbox.cursor ?? {}
    devbox.unreadable.clear()
    await devbox.killBridge()
    devbox.startBridge(pair.linkOf(devbox))

    expect(await devbox.received(4)).toEqual(['1', 'of ci', '2', '3'])
    expect(seq).toBe(1)
  })

  test('that names an estate which has not come yet is handed over again when it has (FED-43)', async () => {
    await using pair = await startPair()
    const { hub, laptop, devbox } = pair
    laptop.authorityEpoch = 9
    await hub.publishEstate()
    for (const node of [laptop, devbox]) await node.changes.until(() => node.estates[1], 'the second estate')
    laptop.say('1')
    await devbox.received(1)
    devbox.knownEpoch = 8

    laptop.say('2')
    await devbox.changes.until(() => devbox.heads[1], 'a batch that waits')
    expect(devbox.got).toHaveLength(1)
    await hub.publishEstate()

    expect(await devbox.received(2)).toEqual(['1', '2'])
    expect(devbox.heads[1]?.authority_epoch).toBe(9)
  })
})

function residentMiB(pid = 0): number {
  const [, kib] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kib) / 1_024
}
