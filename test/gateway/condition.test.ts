/**
 * How a link does, as its bridge tells it and as everybody may read it (FED-65).
 */
import { expect, test } from 'vitest'
import { LinkedNode } from './linked-node.ts'
import { ACME, RealmOfAcme } from './realm-of-acme.ts'
import { RealmOfAlice } from './realm-of-alice.ts'

const realm = new RealmOfAlice('laptop', 'devbox')
const start = (): Promise<LinkedNode> => LinkedNode.start(realm, 'laptop')

/** Members of ways, whom each is for first. */
const told = (ways: readonly { readonly for: string }[], ...names: readonly string[]) =>
  ways.map((way) => [way.for, ...names.map((name): unknown => Reflect.get(way, name))])

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

test('each lane and each reading tells how far it is by itself, among the links and among the figures (FED-65)', async () => {
  const acme = new RealmOfAcme()
  await using alice = await LinkedNode.start(acme, 'box', { authority: acme.authority, charters: acme })
  const advise = (recipient_scope: string) =>
    alice.anybody('/v1/verbs/agent_advise', { json: { text: 'x', recipient_scope } })
  await advise('org:~acme/members/dev/*')
  await advise('org:~acme/members/dev/*')
  await advise('~bob/*')
  alice.clock.advance(4_000)
  const readings = [
    { filter: `agentd.v1.${ACME}.r-dev.>`, behind: 7, lag_ms: 3_000 },
    { filter: `agentd.v1.${ACME}.m-alice.>`, behind: 2, lag_ms: 9_000 },
  ]
  const json = { state: 'up', behind: 9, lag_ms: 9_000, readings }
  await alice.ask('/v1/link/condition', { json })

  const { body } = await alice.anybody('/v1/links')
  const { text } = await alice.anybody('/v1/metrics')

  const [link] = body.links
  expect(link).toMatchObject({ waiting: 3, lag_ms: 4_000, behind: 9, behind_ms: 9_000 })
  expect(told(link.lanes, 'waiting', 'lag_ms')).toEqual([
    ['all', 0, 0],
    ['r-dev', 2, 4_000],
    ['r-ops', 0, 0],
    ['m-alice', 0, 0],
    ['m-bob', 1, 4_000],
    ['m-carol', 0, 0],
  ])
  expect(told(link.readings, 'behind', 'behind_ms')).toEqual([
    ['all', 0, 0],
    ['r-dev', 7, 3_000],
    ['m-alice', 2, 9_000],
  ])
  expect(text).toContain('agentd_link_lane_waiting_records{link="home",lane="r-dev"} 2')
  expect(text).toContain('agentd_link_lane_lag_seconds{link="home",lane="m-bob"} 4')
  expect(text).toContain('agentd_link_reading_behind_messages{link="home",reading="m-alice"} 2')
  expect(text).toContain('agentd_link_reading_behind_seconds{link="home",reading="r-dev"} 3')
})

test('how old what comes is, is by the clock of the hub and not by that of this machine (FED-32, FED-65)', async () => {
  await using laptop = await start()
  await laptop.gateway.list()
  const link = laptop.gateway.linkOf(await laptop.token())
  link?.offsets.note('laptop', 600_000, 0)

  await laptop.ask('/v1/link/condition', { json: { state: 'up', behind: 1, lag_ms: 603_000 } })
  const { body } = await laptop.anybody('/v1/links')

  expect(body.links[0]).toMatchObject({ behind: 1, behind_ms: 3_000 })
})

test('a machine that no document names any more is told so, though its hub lets it in still, until one names it again (FED-43)', async () => {
  await using laptop = await start()
  const stateNow = async () => {
    await laptop.ask('/v1/link/condition', { json: { state: 'up' } })
    const { state, why } = (await laptop.anybody('/v1/links')).body.links[0]
    return [state, why]
  }
  const named = await stateNow()
  await laptop.ask('/v1/link/estate', { json: { text: realm.estate(2, { without: ['laptop'] }) } })
  const unnamed = await stateNow()
  const { text } = await laptop.anybody('/v1/metrics')
  await laptop.ask('/v1/link/estate', { json: { text: realm.estate(3) } })

  expect(named).toEqual(['up', null])
  expect(unnamed).toEqual(['refused', 'this machine is none of the person any more'])
  expect(text).toContain('agentd_link_up{link="home"} 0')
  expect(await stateNow()).toEqual(['up', null])
})
