/**
 * A hub that lets a machine in and then answers nothing about its streams, as nats-server 2.9 does whose disk is full: the
 * person is told of that, and not of a connection that broke (FT-16).
 */
import { describe, expect, test } from 'vitest'
import { faultOf, HubFault } from '../../src/bridge/hub/faults.ts'
import { Hub } from '../../src/bridge/hub/hub.ts'
import { requireAnswering } from '../../src/bridge/round.ts'
import { createNodeKey } from '../../src/link/keys/node-key.ts'
import type { LinkFile } from '../../src/link/link-file.ts'
import { nkeys } from '@nats-io/transport-node'
import { FakeClock } from '../support/fake-clock.ts'
import { MuteHub } from '../support/mute-hub.ts'
import { startNode } from './pair.ts'

const STUCK =
  /^The hub lets this machine in and answers nothing about its streams: its disk may be full, .*"agentd doctor"/
/** What the engine is given here, which answers at once or never. */
const REQUEST_MS = 1_000
const LANE = 'agentd.v1.p.alice.f.laptop'

/** Of the stream, and of nothing in it. */
function answer(subject: string): object | undefined {
  return subject.includes('STREAM.INFO')
    ? { created: '2026-01-01T00:00:00Z', state: {}, config: {} }
    : undefined
}

describe('a hub that lets a machine in and answers nothing', () => {
  test('is told as one whose disk may be full, while the bridge still waits for it (FT-16)', async () => {
    await using hub = await MuteHub.start()
    await using laptop = await startNode({ nodes: [], publicKeyOf: () => '' }, 'laptop')

    laptop.startBridge(linkTo(hub))

    const { why } = await laptop.condition('away')
    expect(why).toMatch(STUCK)
  })

  test('is given up before its connection would be, and told of long before that (FT-16)', async () => {
    await using hub = await MuteHub.start()
    const connected = await Hub.connect(linkTo(hub))
    const clock = new FakeClock()
    const told: HubFault[] = []
    const ended = requireAnswering(connected, clock, (fault) => told.push(fault))
    ended.catch(() => undefined)

    clock.advance(1_999)
    expect(told).toEqual([])
    clock.advance(1)
    expect(told.map(({ message }) => message)).toEqual([expect.stringMatching(STUCK)])
    clock.advance(13_000)

    await expect(ended).rejects.toThrow(STUCK)
    expect(clock.pendingTimers).toBe(0)
    await connected.close()
  })

  test('of its lanes alone is told apart from one that is gone, by whether its server still answers (FT-16)', async () => {
    await using stuck = await MuteHub.start({ answer, answersPings: true })
    await using gone = await MuteHub.start({ answer })
    const [there, away] = [
      await Hub.connect(linkTo(stuck), REQUEST_MS),
      await Hub.connect(linkTo(gone), REQUEST_MS),
    ]

    await expect(requireAnswering(there, new FakeClock(), () => {})).resolves.toBeUndefined()
    await expect(there.lastOf(LANE)).rejects.toThrow(STUCK)
    await expect(away.lastOf(LANE)).rejects.toThrow(/^The hub does not answer: timeout\.$/)

    for (const one of [there, away]) await one.close()
  })
})

test.each([
  ['insufficient resources', 10_023],
  ['insufficient storage resources available', 10_047],
])('a hub that says "%s" has no room, and what to do is said (FT-16)', (description, code) => {
  const error = Object.assign(new Error(description), { name: 'JetStreamApiError', code })

  const fault = faultOf(error)

  expect(fault).toMatchObject({ state: 'away' })
  expect(fault.message).toBe(
    `The hub takes nothing more (${description}): its disk is full, or as good as full; look at "agentd doctor" on its machine, ` +
      'make room there, and start the hub anew: it may go on only then.',
  )
})

/** A link over loopback, without TLS. */
function linkTo({ port }: MuteHub): LinkFile {
  return {
    type: 'agentd.link',
    v: 1,
    realm: 'p.alice',
    node: 'laptop',
    urls: [`nats://127.0.0.1:${port}`],
    ca: null,
    domain: null,
    trust_network: false,
    credential: { nkey: Buffer.from(nkeys.createUser().getSeed()).toString() },
    node_key: createNodeKey().seed,
    estate_key: createNodeKey().publicX,
    estate: '{}',
    since_ms: 0,
    added_at_ms: 0,
  }
}
