/**
 * The bridge over a real hub: what is said on one node comes to the others, once, in order (FED-05, FED-07).
 */
import { describe, expect, test } from 'vitest'
import { verifyBatch } from '../../src/link/batch.ts'
import { TestHub } from '../support/hub.ts'
import { hasProgram } from '../support/needs.ts'
import { numbers, startNode, startPair } from './pair.ts'

describe.runIf(hasProgram('nats-server'))('a bridge', () => {
  test('carries what is said on one node to the other, in order and once (FED-05)', async () => {
    await using pair = await startPair()
    const { laptop, devbox } = pair

    laptop.say(...numbers(1, 500))
    devbox.say('a', 'b')

    expect(await devbox.received(500)).toEqual(numbers(1, 500))
    expect(await laptop.received(2)).toEqual(['a', 'b'])
    await laptop.sentAll()
    expect(laptop.acked).toMatchObject({ last: 'laptop1-500', reports: 0 })
  })

  test('tells how far each reading is, and what its own node said is not behind (FED-65)', async () => {
    await using pair = await startPair()
    const { laptop, devbox } = pair

    devbox.say(...numbers(1, 300))
    await laptop.received(300)
    laptop.say(...numbers(1, 300))
    await devbox.received(300)

    const filter = 'agentd.v1.p.alice.f.>'
    const caughtUp = {
      state: 'up',
      received: 300,
      behind: 0,
      lag_ms: 0,
      readings: [{ filter, behind: 0, lag_ms: 0 }],
    }
    const told = await laptop.changes.until(
      () =>
        laptop.conditions.findLast(({ readings, received }) => readings !== undefined && received === 300),
      'what was read at laptop',
    )
    expect(told).toMatchObject(caughtUp)
  })

  test('sends what gathered meanwhile together, within the bounds of a batch (FED-18, FED-20)', async () => {
    await using pair = await startPair()
    const { laptop, devbox } = pair

    laptop.say(...numbers(1, 2_000))
    await devbox.received(2_000)

    const sizes = devbox.batches.map(({ records }) => records)
    expect(Math.max(...sizes)).toBeGreaterThan(10)
    expect(Math.max(...sizes)).toBeLessThanOrEqual(256)
    expect(Math.max(...devbox.batches.map(({ octets }) => octets))).toBeLessThan(257 * 1_024)
  })

  test('carries reports and what is to be forgotten, and says how far the reports go (FED-21)', async () => {
    await using pair = await startPair()
    const { laptop, devbox } = pair
    const line = '{"t":"report","node":"devbox","items":[["f1","~alice/cc@s1","seen",1]]}'

    laptop.feed({ r: 7, line })
    laptop.feed({ forget: '{"t":"forget","ids":["f1"]}' })
    await laptop.changes.until(() => (laptop.acked?.['reports'] === 7 ? true : undefined), 'the report')
    laptop.say('after it')

    expect(await devbox.received(1)).toEqual(['after it'])
    expect(devbox.batches.reduce((sum, { records }) => sum + records, 0)).toBe(3)
  })

  test('tells who is here and hands over who is elsewhere, signed, its own word too (FED-32, FED-51)', async () => {
    await using pair = await startPair()
    const { hub, laptop, devbox } = pair

    laptop.feed({ presence: '{"sent_at":5,"state":"here","speaks":[1],"sessions":[]}' })
    const told = (node: typeof devbox): Promise<(typeof devbox.presences)[number]> =>
      node.changes.until(
        () =>
          node.presences.find(
            (one) => one['node'] === 'laptop' && String(one['text']).includes('"sent_at":5,'),
          ),
        `the presence of laptop at ${node.name}`,
      )

    const there = await told(devbox)
    expect(await told(laptop)).toEqual(there)
    expect(Math.abs(Number(there['engine_at_ms']) - Date.now())).toBeLessThan(60_000)
    const subject = '$KV.agentd_P_alice.node.laptop'
    expect(
      verifyBatch(String(there['signature']), hub.publicKeyOf('laptop'), subject, String(there['text'])),
    ).toBe(true)
  })

  test('hands the estate over, and every later one (FED-43)', async () => {
    await using pair = await startPair()
    const { hub, devbox } = pair
    await devbox.changes.until(() => devbox.estates[0], 'the estate')

    await hub.publishEstate()

    const estate = await devbox.changes.until(() => devbox.estates[1], 'the next estate')
    expect(estate).toContain('authority_epoch')
    expect(estate).not.toBe(devbox.estates[0])
  })

  test('ends with its stdin, and says before that its node has left (FED-07, FED-51)', async () => {
    await using pair = await startPair()
    const { laptop, devbox } = pair

    expect(await laptop.endBridge()).toBe(0)

    const last = await devbox.changes.until(
      () => devbox.presences.find((one) => String(one['text']).includes('"state":"left"')),
      'the last word of laptop',
    )
    expect(last['node']).toBe('laptop')
  })

  test('ends when the daemon does not know its token any more (FED-07)', async () => {
    await using pair = await startPair()
    const { laptop } = pair

    laptop.token = 'another'
    laptop.dropFeed()

    await laptop.changes.until(() => laptop.bridge.exitCode ?? undefined, 'the bridge to end').catch(() => {})
    expect(laptop.bridge.exitCode).toBe(0)
  })

  test('begins where each lane was when the node joined: nothing older comes (FED-26)', async () => {
    await using hub = await TestHub.start()
    await using laptop = await startNode(hub, 'laptop')
    laptop.startBridge(hub.linkOf('laptop'))
    laptop.say(...numbers(1, 50))
    await laptop.sentAll()

    await using devbox = await startNode(hub, 'devbox')
    devbox.startBridge(hub.linkOf('devbox'))
    await devbox.condition('up')
    laptop.say('51')

    expect(await devbox.received(1)).toEqual(['51'])
    expect(devbox.batches[0]?.flags).toEqual({ joins: true })
  })

  test('remembers that it joined an empty stream, so that the first message is not taken for its mark (FED-26)', async () => {
    await using hub = await TestHub.start()
    await using devbox = await startNode(hub, 'devbox')
    devbox.startBridge(hub.linkOf('devbox'))
    await devbox.condition('up')
    await devbox.killBridge()

    await using laptop = await startNode(hub, 'laptop')
    laptop.startBridge(hub.linkOf('laptop'))
    laptop.say('1', '2')
    await laptop.sentAll()
    devbox.startBridge(hub.linkOf('devbox'))

    expect(await devbox.received(2)).toEqual(['1', '2'])
  })
})
