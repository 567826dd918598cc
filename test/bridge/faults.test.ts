/**
 * Everything between two nodes is lost at some moment, while both speak: nothing is lost, nothing comes twice, and each
 * sender's order holds (FED-05, FED-20 … FED-26). The marks of the test's daemon drop repeats, as a daemon's do; what is
 * asked of the bridge is that nothing is missing and nothing is overtaken.
 */
import { describe, expect, test } from 'vitest'
import { hasProgram } from '../support/needs.ts'
import type { LinkedNode } from './linked-node.ts'
import { numbers, startNode, startPair, type Pair } from './pair.ts'

/** Says the next few on both sides again and again while something happens, and a few after it. */
async function speakDuring({ laptop, devbox }: Pair, happening: () => Promise<void>): Promise<number> {
  let said = 0
  const sayTen = (): void => {
    const texts = numbers(said + 1, said + 10)
    said += 10
    for (const node of [laptop, devbox]) node.say(...texts)
  }
  const over = new AbortController()
  const speaking = (async () => {
    while (!over.signal.aborted) {
      sayTen()
      await new Promise((resolve) => setImmediate(resolve))
      await laptop.changes.next()
    }
  })()
  await happening()
  over.abort()
  laptop.changes.tell()
  await speaking
  sayTen()
  return said
}

/** Whether everything came, in order. */
async function expectAll(pair: Pair, said: number): Promise<void> {
  for (const node of [pair.laptop, pair.devbox]) expect(await node.received(said)).toEqual(numbers(1, said))
}

/** Waits until something more has come to it. */
async function someMore(node: LinkedNode): Promise<void> {
  await node.received(node.got.length + 20)
}

describe.runIf(hasProgram('nats-server'))('a bridge, with nothing lost, doubled or overtaken,', () => {
  test('outlives a hub that is killed under load, again and again (FT-02)', async () => {
    await using pair = await startPair()

    const said = await speakDuring(pair, async () => {
      for (let i = 0; i < 4; i += 1) {
        await someMore(pair.devbox)
        await pair.hub.kill()
        await pair.hub.run()
      }
      await someMore(pair.devbox)
    })

    await expectAll(pair, said)
  })

  test('outlives a hub that loses its disk, and one that comes back with an older one (FT-03)', async () => {
    await using pair = await startPair()
    let copy = ''

    const said = await speakDuring(pair, async () => {
      await someMore(pair.devbox)
      await pair.hub.kill()
      copy = pair.hub.copyDisk()
      await pair.hub.run()
      await someMore(pair.laptop)
      await pair.hub.kill()
      pair.hub.replaceDisk(copy)
      await pair.hub.run()
      await someMore(pair.laptop)
      await pair.hub.kill()
      pair.hub.replaceDisk()
      await pair.hub.run()
      await pair.hub.makeStreams()
      await someMore(pair.laptop)
    })

    await expectAll(pair, said)
  })

  test('is killed itself in a loop (FT-04)', async () => {
    await using pair = await startPair()

    const said = await speakDuring(pair, async () => {
      for (let i = 0; i < 6; i += 1) {
        const node = i % 2 === 0 ? pair.laptop : pair.devbox
        await someMore(pair.devbox)
        await node.killBridge()
        node.startBridge(pair.linkOf(node))
      }
      await someMore(pair.devbox)
    })

    await expectAll(pair, said)
  })

  test('is killed after the daemon took a batch and before it was answered (FT-04)', async () => {
    await using pair = await startPair()
    const { laptop, devbox } = pair
    const isTaken = new Promise<void>((resolve) => {
      devbox.afterTaking = async () => {
        devbox.afterTaking = undefined
        await devbox.killBridge()
        resolve()
      }
    })

    laptop.say('1', '2')
    await isTaken
    devbox.startBridge(pair.linkOf(devbox))
    laptop.say('3')

    expect(await devbox.received(3)).toEqual(['1', '2', '3'])
  })

  test('finds connections that broke, and ones that were cut without a word (FT-01)', async () => {
    await using pair = await startPair()
    const { way } = pair

    const said = await speakDuring(pair, async () => {
      await someMore(pair.devbox)
      way.drop()
      await someMore(pair.devbox)
      way.cut()
      for (const node of [pair.laptop, pair.devbox]) node.say('while it was cut')
      way.heal()
      await someMore(pair.devbox)
    })

    for (const node of [pair.laptop, pair.devbox]) {
      const got = await node.received(said + 1)
      expect(got.filter((text) => text !== 'while it was cut')).toEqual(numbers(1, said))
    }
  })

  test('waits for a daemon that is away, and takes up where that was (FED-25)', async () => {
    await using pair = await startPair()
    const { laptop, devbox } = pair
    laptop.say('1')
    await devbox.received(1)

    await devbox.goAway()
    laptop.say('2', '3')
    await laptop.sentAll()
    await devbox.listen()

    expect(await devbox.received(3)).toEqual(['1', '2', '3'])
    expect(devbox.bridge.exitCode).toBeNull()
  })

  test('starts without a hub, says so, and carries what gathered when there is one (FED-02)', async () => {
    await using pair = await startPair()
    const { hub, laptop, devbox } = pair
    await hub.kill()
    await laptop.killBridge()
    laptop.say(...numbers(1, 300))
    laptop.startBridge(hub.linkOf('laptop'))

    const { why } = await laptop.condition('away')
    await hub.run()

    expect(why).toMatch(/^The hub does not answer: /)
    expect(await devbox.received(300)).toEqual(numbers(1, 300))
  })

  test('reads on from the cursor, and hands over nothing that was answered (FED-25)', async () => {
    await using pair = await startPair()
    const { laptop, devbox } = pair
    laptop.say(...numbers(1, 20))
    await devbox.received(20)
    await devbox.killBridge()
    const before = devbox.batches.length

    devbox.startBridge(pair.linkOf(devbox))
    await devbox.condition('up')
    laptop.say('21')
    await devbox.received(21)

    expect(devbox.batches.slice(before).map(({ records }) => records)).toEqual([1])
  })

  test('reads from the beginning where the cursor is not as it was left (FED-26)', async () => {
    await using pair = await startPair()
    const { laptop, devbox } = pair
    laptop.say('1')
    await devbox.received(1)
    laptop.say('2')
    await devbox.received(2)
    await devbox.killBridge()
    devbox.cursor = { ...devbox.cursor, last: 'laptop1-77' }
    const before = devbox.batches.length

    devbox.startBridge(pair.linkOf(devbox))
    laptop.say('3')

    expect(await devbox.received(3)).toEqual(['1', '2', '3'])
    expect(devbox.batches.slice(before).map(({ seq }) => seq)).toEqual([1, 2, 3])
  })

  test('looks at the lane again when the engine refuses its place, and goes on behind it (FED-20)', async () => {
    await using pair = await startPair()
    const { hub, laptop, devbox } = pair
    laptop.say('1')
    await devbox.received(1)

    // What the engine had taken, and its answer was lost: the same message stands there already.
    await hub.repeatLast('laptop')
    laptop.say('2', '3')

    expect(await devbox.received(3)).toEqual(['1', '2', '3'])
    expect(laptop.conditions.map(({ state }) => state)).not.toContain('fenced')
  })

  test('tells the hole where its ring holds no more what follows (FED-22)', async () => {
    await using pair = await startPair()
    const { laptop, devbox } = pair
    laptop.say('1')
    await devbox.received(1)
    await laptop.killBridge()
    laptop.say(...numbers(2, 9))
    laptop.trim(5)

    laptop.startBridge(pair.linkOf(laptop))
    await devbox.received(5)

    expect(devbox.heads[1]).toMatchObject({ prev: 'laptop1-5' })
    expect(devbox.got.map(({ text }) => text)).toEqual(['1', '6', '7', '8', '9'])
  })

  test('stops where somebody else writes with its name, and says so (FED-22, FT-11)', async () => {
    await using pair = await startPair()
    const { hub, laptop, devbox } = pair
    laptop.say('1')
    await devbox.received(1)
    const disk = laptop.disk()
    await using twin = await startNode(hub, 'laptop', disk)

    twin.say('of the twin')
    laptop.say('of the first')
    twin.startBridge(hub.linkOf('laptop'))
    const fenced = await Promise.race([twin.condition('fenced'), laptop.condition('fenced')])

    expect(fenced['why']).toMatch(/\w/)
    await devbox.received(2)
    expect(devbox.got.map(({ text }) => text)).toHaveLength(2)
  })
})
