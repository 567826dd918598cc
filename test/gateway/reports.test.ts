/**
 * When reports leave: the first at once, and those behind it together, or with whatever else leaves (FED-52, L-01, L-03).
 */
import { expect, test } from 'vitest'
import { REPORTS_GATHER_MS } from '../../src/gateway/out/feed.ts'
import { LinkedNode, type FeedLine } from './linked-node.ts'
import { RealmOfAlice } from './realm-of-alice.ts'

const say = (node: LinkedNode) => node.anybody('/v1/verbs/agent_advise', { json: { text: 'hello' } })

/** Something to report: that a frame is to be forgotten. */
const report = (node: LinkedNode, id: string) =>
  node.anybody(`/v1/frames?frame_id=${id}&everywhere=true`, { method: 'DELETE' })

const having = (lines: readonly FeedLine[], member: string): number =>
  lines.filter((line) => member in line).length

test('reports gather behind the last ones, and go together after a while (FED-52)', async () => {
  await using laptop = await LinkedNode.start(new RealmOfAlice('laptop', 'devbox'), 'laptop')
  const ids = [await say(laptop), await say(laptop), await say(laptop)].map(({ body }) => body.frame_id)
  using feed = await laptop.feed()
  await feed.having('e', 3)
  await report(laptop, ids[0])
  await feed.having('r', 1)

  for (const id of ids.slice(1)) await report(laptop, id)
  await laptop.ask('/v1/link/state')
  const before = having(feed.lines(), 'r')
  laptop.clock.advance(REPORTS_GATHER_MS)
  const lines = await feed.having('r', 2)

  expect(before).toBe(1)
  expect(JSON.parse(String(lines[1]?.['line']))).toEqual({ t: 'forget', ids: ids.slice(1) })
})

test('reports that gather go with the next frame that leaves (FED-52)', async () => {
  await using laptop = await LinkedNode.start(new RealmOfAlice('laptop', 'devbox'), 'laptop')
  const ids = [await say(laptop), await say(laptop)].map(({ body }) => body.frame_id)
  using feed = await laptop.feed()
  await feed.having('e', 2)
  await report(laptop, ids[0])
  await feed.having('r', 1)

  await report(laptop, ids[1])
  await say(laptop)
  await feed.having('r', 2)

  expect(having(feed.lines(), 'e')).toBe(3)
})
