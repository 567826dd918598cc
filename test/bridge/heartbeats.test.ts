/**
 * What is news goes to the daemon at once; what is as it was goes together (FED-51, L-06).
 */
import { expect, test } from 'vitest'
import { DaemonAway } from '../../src/bridge/daemon/faults.ts'
import {
  HEARTBEAT_GATHER_MS,
  Heartbeats,
  MAX_GATHERED,
  MAX_GATHERED_LENGTH,
} from '../../src/bridge/heartbeats.ts'
import { FakeClock } from '../support/fake-clock.ts'

/** A daemon that takes everything, or nothing while it is away. */
function recordingDoor() {
  const posts: object[] = []
  const door = {
    isAway: false,
    post: (_path: string, body: object) => {
      if (door.isAway) return Promise.reject(new DaemonAway('The daemon does not answer.'))
      posts.push(body)
      return Promise.resolve({})
    },
  }
  return { door, posts }
}

function startHeartbeats() {
  const clock = new FakeClock()
  const { door, posts } = recordingDoor()
  let handed = 0
  const heartbeats = new Heartbeats({ door, clock, onHanded: () => (handed += 1) })
  const say = (node: string, sentAtMs: number, sessions = '[]') =>
    heartbeats.take(`kv.${node}`, said(node, sentAtMs, sessions))
  return { clock, door, posts, heartbeats, say, handed: () => handed }
}

function said(node: string, sentAtMs: number, sessions = '[]') {
  const text = `{"sent_at":${sentAtMs},"state":"here","speaks":[1],"sessions":${sessions}}`
  return { node, engine_at_ms: sentAtMs, signature: 'k s', text }
}

test('news is handed over at once, and what is as it was after a while, in one request (FED-51)', async () => {
  const { clock, posts, say, handed } = startHeartbeats()
  await say('a', 1)
  await say('b', 1)

  await say('a', 2)
  await say('b', 2)
  const before = posts.length
  clock.advance(HEARTBEAT_GATHER_MS)
  await new Promise((resolve) => setImmediate(resolve))

  expect(before).toBe(2)
  expect(posts.slice(2)).toEqual([{ ...said('a', 2), others: [said('b', 2)] }])
  expect(handed()).toBe(3)
})

test('what waits goes with the next news, in front of it, and of one node only the newest waits (FED-51)', async () => {
  const { clock, posts, say } = startHeartbeats()
  await say('a', 1)
  await say('b', 1)
  await say('a', 2)
  await say('a', 3)

  await say('b', 4, '[1]')
  clock.advance(HEARTBEAT_GATHER_MS)

  expect(posts.slice(2)).toEqual([{ ...said('b', 4, '[1]'), others: [said('a', 3)] }])
})

test('what a daemon did not hear is news again, and a refusal is told to who brought it (FED-25)', async () => {
  const { clock, door, posts, say } = startHeartbeats()
  await say('a', 1)
  await say('a', 2)
  door.isAway = true
  clock.advance(HEARTBEAT_GATHER_MS)
  // Its failure is heard by then.
  await new Promise((resolve) => setImmediate(resolve))

  const refused = say('a', 3)
  await expect(refused).rejects.toThrow(DaemonAway)
  door.isAway = false
  await say('a', 4)

  expect(posts.slice(1)).toEqual([said('a', 4)])
})

test(`of ${MAX_GATHERED} nodes it is known what they said, and of none beyond; nor of a word over ${MAX_GATHERED_LENGTH} characters`, async () => {
  const { posts, say } = startHeartbeats()
  const nodes = Array.from({ length: MAX_GATHERED + 1 }, (_, i) => `n${i}`)
  const large = JSON.stringify(['x'.repeat(MAX_GATHERED_LENGTH)])
  await say('large', 1, large)
  for (const node of nodes) await say(node, 1)

  await say('large', 2, large)
  for (const node of nodes) await say(node, 2)

  expect(posts.slice(nodes.length + 1)).toEqual([
    said('large', 2, large),
    { ...said(nodes.at(-1) ?? '', 2), others: nodes.slice(0, -1).map((node) => said(node, 2)) },
  ])
})

test('after its end nothing is handed over', async () => {
  const { clock, posts, say, heartbeats } = startHeartbeats()
  await say('a', 1)
  await say('a', 2)

  heartbeats.close()
  clock.advance(10 * HEARTBEAT_GATHER_MS)

  expect(posts).toHaveLength(1)
})
