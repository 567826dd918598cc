/**
 * How a link does, as its bridge tells it and as everybody may read it (FED-65).
 */
import { expect, test } from 'vitest'
import { LinkedNode } from './linked-node.ts'
import { RealmOfAlice } from './realm-of-alice.ts'

const realm = new RealmOfAlice('laptop', 'devbox')
const start = (): Promise<LinkedNode> => LinkedNode.start(realm, 'laptop')

test('what was not read yet is told in messages and by age, among the links and among the figures (FED-65)', async () => {
  await using laptop = await start()
  const { body: before } = await laptop.anybody('/v1/links')
  const json = { state: 'up', behind: 12, lag_ms: 3_000, reconnects: 2 }
  await laptop.ask('/v1/link/condition', { json })

  const { body: after } = await laptop.anybody('/v1/links')
  const { text } = await laptop.anybody('/v1/metrics')

  expect(before.links[0]).toMatchObject({ behind: 0, behind_ms: 0 })
  expect(after.links[0]).toMatchObject({ behind: 12, behind_ms: 3_000, figures: { reconnects: 2 } })
  expect(text).toContain('agentd_link_behind_messages{link="home"} 12')
  expect(text).toContain('agentd_link_behind_seconds{link="home"} 3')
})

test('how old what comes is, is by the clock of the hub and not by that of this machine (FED-32, FED-65)', async () => {
  await using laptop = await start()
  laptop.gateway.list()
  const link = laptop.gateway.linkOf(await laptop.token())
  link?.offsets.note('laptop', 600_000, 0)

  await laptop.ask('/v1/link/condition', { json: { state: 'up', behind: 1, lag_ms: 603_000 } })
  const { body } = await laptop.anybody('/v1/links')

  expect(body.links[0]).toMatchObject({ behind: 1, behind_ms: 3_000 })
})

test('a machine that no document names any more is told so, though its hub lets it in still, until one names it again (FED-43)', async () => {
  await using laptop = await start()
  const told = async () => {
    await laptop.ask('/v1/link/condition', { json: { state: 'up' } })
    const { state, why } = (await laptop.anybody('/v1/links')).body.links[0]
    return [state, why]
  }
  const named = await told()
  await laptop.ask('/v1/link/estate', { json: { text: realm.estate(2, { without: ['laptop'] }) } })
  const unnamed = await told()
  const { text } = await laptop.anybody('/v1/metrics')
  await laptop.ask('/v1/link/estate', { json: { text: realm.estate(3) } })

  expect(named).toEqual(['up', null])
  expect(unnamed).toEqual(['refused', 'this machine is none of the person any more'])
  expect(text).toContain('agentd_link_up{link="home"} 0')
  expect(await told()).toEqual(['up', null])
})
