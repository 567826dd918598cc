/**
 * What is forgotten here and is to be on the person's other machines: what leaves for them, and what is refused (FED-33).
 */
import { expect, test } from 'vitest'
import { MAX_FORGOTTEN_EVERYWHERE } from '../../src/broker/origins/origins.ts'
import { validFrame } from '../support/frames.ts'
import { LinkedNode, type NodeOptions } from './linked-node.ts'
import { RealmOfAlice } from './realm-of-alice.ts'

async function start(options: NodeOptions = {}): Promise<LinkedNode> {
  return LinkedNode.start(new RealmOfAlice('laptop', 'devbox', 'ci'), 'laptop', options)
}

const say = (node: LinkedNode, verb = 'agent_advise') =>
  node.anybody(`/v1/verbs/${verb}`, { json: { text: 'hello' } })

const forget = (node: LinkedNode, query: string) => node.anybody(`/v1/frames?${query}`, { method: 'DELETE' })

test('the others are told which frames to forget, in one line, until the hub has it (FED-33)', async () => {
  await using laptop = await start()
  const ids = [await say(laptop), await say(laptop)].map(({ body }) => body.frame_id)
  await say(laptop, 'agent_broadcast')

  const { body } = await forget(laptop, 'kind=agent_advisory&everywhere=true')
  using feed = await laptop.feed()
  const [fed] = await feed.having('r', 1)
  using again = await laptop.feed()
  const [once] = await again.having('r', 1)
  const reports = Number(fed?.['r'])
  const json = { last: null, reports, stream_created: 'x', stream_seq: 1 }
  await laptop.ask('/v1/link/acknowledged', { json })

  expect(body).toEqual({ forgotten: 2, elsewhere: { items: 2, nodes: ['ci', 'devbox'] } })
  expect(JSON.parse(String(fed?.['line']))).toEqual({ t: 'forget', ids })
  expect(once).toEqual(fed)
  expect(laptop.broker.origins.reportsAfter('p.alice', 0, 10)).toEqual([])
})

test('what never left and came from nowhere is nothing that others would have (FED-33)', async () => {
  await using laptop = await start({ allow: { kinds: ['agent_broadcast'] } })
  await say(laptop)
  await say(laptop, 'agent_broadcast')

  const { body: counted } = await forget(laptop, 'sender=~alice&dry_run=true')
  const { body } = await forget(laptop, 'sender=~alice&everywhere=true')

  expect(counted).toMatchObject({ would_forget: 2, elsewhere: { items: 1, nodes: ['ci', 'devbox'] } })
  expect(body).toMatchObject({ forgotten: 2, elsewhere: { items: 1 } })
})

test('without a word on others only this machine forgets, and nothing leaves (FED-33)', async () => {
  await using laptop = await start()
  await say(laptop)

  const { body } = await forget(laptop, 'sender=~alice')

  expect(body).toEqual({ forgotten: 1 })
  expect(laptop.broker.origins.reportsAfter('p.alice', 0, 10)).toEqual([])
})

test('more at once than others are told of is refused, and nothing is forgotten (FED-33)', async () => {
  await using laptop = await start({ retention: { maxFrames: 20_000 } })
  const frames = Array.from({ length: MAX_FORGOTTEN_EVERYWHERE + 1 }, () => validFrame())
  const headers = { 'content-type': 'application/x-ndjson' }
  const body = `${frames.map((frame) => JSON.stringify({ frame })).join('\n')}\n`
  await laptop.anybody('/v1/frames', { method: 'POST', headers, body })

  const over = await forget(laptop, 'sender=~alice&everywhere=true')
  await forget(laptop, `frame_id=${frames[0]?.frame_id}`)
  const whole = await forget(laptop, 'sender=~alice&everywhere=true')

  expect(over.body).toMatchObject({ code: 'field-invalid', field: 'everywhere' })
  expect(whole.body.forgotten).toBe(MAX_FORGOTTEN_EVERYWHERE)
}, 60_000)
