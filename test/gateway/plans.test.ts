/**
 * For whom a machine writes over a link and what it reads, its feeds one by one, and where each is remembered (FED-11, FED-24).
 */
import { describe, expect, test } from 'vitest'
import { leavingKey, reportsKey } from '../../src/broker/origins/stream-key.ts'
import { OrgPlan } from '../../src/gateway/plan/org-plan.ts'
import { OWN_PLAN } from '../../src/gateway/plan/plan.ts'
import { MAX_LANES, audienceToken, grantToken, type Audience } from '../../src/link/audience.ts'
import { streamKey } from '../../src/link/realm.ts'
import { TestAuthority } from '../support/authority.ts'
import { LinkedNode } from './linked-node.ts'
import { RealmOfAlice } from './realm-of-alice.ts'

const LANE = 'agentd.v1.p.alice.f.laptop'
const FILTER = 'agentd.v1.p.alice.f.>'

const words = (audiences: readonly Audience[]): string[] => audiences.map(audienceToken)

describe('in an organisation', () => {
  test('a machine writes to all, to each role and each member, and reads what is for all, its roles and itself (FED-24)', () => {
    const authority = new TestAuthority('~alice')
    authority.charter('~acme', '~carol ops', '~alice dev,on_call', '~bob')

    const plan = new OrgPlan('~acme', '~alice', authority)

    expect(words(plan.lanes())).toEqual(['all', 'r-dev', 'r-on_call', 'r-ops', 'm-alice', 'm-bob', 'm-carol'])
    expect(words(plan.filters())).toEqual(['all', 'r-dev', 'r-on_call', 'm-alice'])
  })

  test('a new charter is told once, one that says the same of it is not, and nothing after the end', () => {
    const authority = new TestAuthority('~alice')
    authority.charter('~acme', '~alice dev')
    const plan = new OrgPlan('~acme', '~alice', authority)
    let told = 0
    const stop = plan.onChange(() => (told += 1))

    authority.charter('~globex', '~alice', '~dan')
    authority.charter('~acme', '~alice dev')
    expect(told).toBe(0)
    authority.charter('~acme', '~alice ops', '~bob')
    expect(told).toBe(1)
    expect(words(plan.filters())).toEqual(['all', 'r-ops', 'm-alice'])
    stop()
    authority.charter('~acme', '~alice')
    expect(told).toBe(1)
  })

  test('whoever no charter names has the one lane that a new charter is heard of by', () => {
    const authority = new TestAuthority('~alice')
    const plan = new OrgPlan('~acme', '~alice', authority)
    expect([words(plan.lanes()), words(plan.filters())]).toEqual([['all'], ['all']])

    authority.charter('~acme', '~bob dev')

    expect([words(plan.lanes()), words(plan.filters())]).toEqual([['all', 'r-dev', 'm-bob'], ['all']])
  })

  test('a charter of more members than a link has lanes for has as many, all and the roles first', () => {
    const authority = new TestAuthority('~alice')
    const members = Array.from({ length: MAX_LANES + 1 }, (_, i) => `~m${i}`)
    authority.charter('~acme', '~alice dev', ...members)

    const lanes = words(new OrgPlan('~acme', '~alice', authority).lanes())

    expect(lanes).toHaveLength(MAX_LANES)
    expect(lanes.slice(0, 3)).toEqual(['all', 'r-dev', 'm-alice'])
  })
})

test('in one’s own realm there is one of both, which never changes (FED-11)', () => {
  const plan = OWN_PLAN

  expect([words(plan.lanes()), words(plan.filters())]).toEqual([['f'], ['f']])
  expect(plan.onChange(() => {})()).toBeUndefined()
})

describe('what a lane is remembered under', () => {
  const from = { realm: 'o.acme', node: '~bob/box' }

  test('is the realm alone among one’s own machines, and else names for whom the lane is (FED-21)', () => {
    const grant: Audience = { of: 'grant', grant: grantToken('support'), from: '~acme' }

    expect(streamKey('p.alice', { of: 'person' })).toBe('p.alice')
    expect(streamKey('o.acme', { of: 'role', role: 'dev' })).toBe('o.acme r-dev')
    expect(streamKey('a.0123456789abcdef', grant)).toBe(`a.0123456789abcdef ${grantToken('support')}.acme`)
  })

  test('of a report is the lane for whoever’s frame it is about (FED-52)', () => {
    const accord = { realm: 'a.0123456789abcdef', node: '~dan/box' }
    const back: Audience = { of: 'grant', grant: grantToken('support'), from: '~acme' }

    expect(reportsKey({ origin: { realm: 'p.alice', node: 'box' }, scopeText: '~alice/*' })).toBe('p.alice')
    expect(reportsKey({ origin: from, scopeText: 'org:~acme/members/*' })).toBe(
      streamKey('o.acme', { of: 'member', handle: '~bob' }),
    )
    expect(reportsKey({ origin: accord, scopeText: 'accord:~acme/grant:support' })).toBe(
      streamKey(accord.realm, back),
    )
  })

  test('of something that left is the lane it left in, which says whether the hub has it (FED-52)', () => {
    const keys = [
      leavingKey({ realm: 'p.alice', node: 'box' }, {}),
      leavingKey({ realm: 'o.acme', node: '~bob/box' }, { scope: { form: 'org', role: undefined } }),
      leavingKey({ realm: 'o.acme', node: '~bob/box' }, { scope: { form: 'org', role: 'dev' } }),
      leavingKey({ realm: 'o.acme', node: '~bob/box' }, { scope: { form: 'all' } }),
      leavingKey({ realm: 'o.acme', node: '~bob/box' }, {}),
    ]

    expect(keys).toEqual(['p.alice', 'o.acme all', 'o.acme r-dev', 'o.acme m-bob', 'o.acme m-bob'])
  })
})

describe('the paths of a link', () => {
  test('name what is written and read, and take each by its name as they take none (FED-21, FED-26)', async () => {
    await using laptop = await LinkedNode.start(new RealmOfAlice('laptop', 'devbox'), 'laptop')
    const place = { last: null, reports: 3, stream_created: 'x', stream_seq: 7 }
    const before = await laptop.ask('/v1/link/state')
    expect(before.body).toMatchObject({
      lanes: [{ lane: LANE, acked: null, since: before.body.since }],
      filters: [{ filter: FILTER, cursor: null }],
    })

    await laptop.ask('/v1/link/acknowledged', { method: 'POST', json: { lane: LANE, ...place } })
    using feed = await laptop.feed(`?lane=${LANE}`)
    await feed.having('presence', 1)

    const { body } = await laptop.ask('/v1/link/state')
    expect([body.acked, body.lanes[0].acked]).toEqual([place, place])
  })

  test('refuse a lane and a reading that are not this machine’s (FED-13)', async () => {
    await using laptop = await LinkedNode.start(new RealmOfAlice('laptop', 'devbox'), 'laptop')
    const place = { last: null, reports: 0, stream_created: 'x', stream_seq: 7 }
    const head = { subject: '', stream_seq: 0, engine_at_ms: 0, signature: '', joins: true, filter: 'x.>' }

    const replies = [
      await laptop.ask('/v1/link/feed?lane=agentd.v1.p.alice.f.devbox'),
      await laptop.ask('/v1/link/acknowledged', {
        method: 'POST',
        json: { lane: 'agentd.v1.p.alice.f.devbox', ...place },
      }),
      await laptop.ask('/v1/link/records', {
        method: 'POST',
        headers: { 'content-type': 'application/x-ndjson' },
        body: JSON.stringify(head),
      }),
    ]

    expect(replies.map(({ status, body }) => [status, body.code, body.field])).toEqual([
      [400, 'field-invalid', 'lane'],
      [400, 'field-invalid', 'lane'],
      [400, 'field-invalid', 'filter'],
    ])
  })
})
