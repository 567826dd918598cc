/**
 * What a realm has in the engine, and what a node may ask there (FED-11, FED-12, FED-13).
 */
import { describe, expect, test } from 'vitest'
import { bucketConfig, streamConfig } from '../../src/link/hub-streams.ts'
import { accordToken, grantToken, type Audience } from '../../src/link/audience.ts'
import { OWN_ACCESS, joinedPermissions, permissionsOf, permissionsOfHub } from '../../src/link/permissions.ts'
import {
  accordRealm,
  bucketName,
  charterKey,
  documentKey,
  filterOf,
  inboxPrefix,
  isNodeLabel,
  isRealm,
  kvSubject,
  laneFilter,
  laneOf,
  nodeId,
  nodeKey,
  nodeOfKey,
  orgRealm,
  ownLane,
  ownRealm,
  principalOf,
  readLane,
  realmForm,
  streamName,
} from '../../src/link/realm.ts'
import { REALM } from './samples.ts'

const LAPTOP = { handle: '~alice', node: 'laptop' }
const BOX = { handle: '~bob', node: 'box' }
const ORG = 'o.acme'
const ACCORD = accordRealm(accordToken('acme_globex'))
const GRANT: Audience = { of: 'grant', grant: grantToken('support'), from: '~acme' }

describe('names (FED-11)', () => {
  test('are made of the handle and the name of the machine, as they are', () => {
    expect(ownRealm('~alice')).toBe(REALM)
    expect(principalOf(REALM)).toBe('~alice')
    expect(ownLane(REALM, 'laptop')).toBe('agentd.v1.p.alice.f.laptop')
    expect(laneFilter(REALM)).toBe('agentd.v1.p.alice.f.>')
    expect([streamName(REALM), bucketName(REALM)]).toEqual(['AGENTD_P_alice', 'agentd_P_alice'])
    expect(kvSubject(REALM, nodeKey(REALM, LAPTOP))).toBe('$KV.agentd_P_alice.node.laptop')
    expect(kvSubject(REALM, documentKey(REALM))).toBe('$KV.agentd_P_alice.estate')
  })

  test('lead back to the node whose they are, and to nobody where they are another realm’s or none', () => {
    const lanes = [
      'agentd.v1.p.alice.f.laptop',
      'agentd.v1.p.bob.f.laptop',
      'agentd.v1.p.alice.f.a.b',
      'agentd.v1.p.alice.f.*',
      '',
    ]
    const keys = [
      kvSubject(REALM, 'node.laptop'),
      kvSubject(REALM, documentKey(REALM)),
      kvSubject('p.bob', 'node.laptop'),
      kvSubject(REALM, 'node.>'),
    ]

    expect(lanes.map((lane) => readLane(REALM, lane)?.node)).toEqual(['laptop', ...Array<undefined>(4)])
    expect(keys.map((key) => nodeOfKey(REALM, key)?.node)).toEqual(['laptop', ...Array<undefined>(3)])
  })

  test('of an organisation have the audience, then the member and their machine', () => {
    expect(orgRealm('~acme')).toBe(ORG)
    expect(realmForm(ORG)).toEqual({ form: 'org', org: '~acme' })
    expect([streamName(ORG), bucketName(ORG)]).toEqual(['AGENTD_O_acme', 'agentd_O_acme'])
    const audiences: Audience[] = [
      { of: 'all' },
      { of: 'role', role: 'on_call' },
      { of: 'member', handle: '~carol' },
    ]
    const lanes = audiences.map((audience) => laneOf(ORG, { ...BOX, audience }))
    expect(lanes).toEqual([
      'agentd.v1.o.acme.all.bob.box',
      'agentd.v1.o.acme.r-on_call.bob.box',
      'agentd.v1.o.acme.m-carol.bob.box',
    ])
    expect(lanes.map((lane) => readLane(ORG, lane))).toEqual(
      audiences.map((audience) => ({ audience, ...BOX })),
    )
    expect(audiences.map((audience) => filterOf(ORG, audience))[1]).toBe('agentd.v1.o.acme.r-on_call.>')
    expect(laneFilter(ORG)).toBe('agentd.v1.o.acme.>')
    expect([documentKey(ORG), nodeKey(ORG, BOX)]).toEqual(['charter', 'member.bob.box'])
    expect(nodeOfKey(ORG, kvSubject(ORG, nodeKey(ORG, BOX)))).toEqual(BOX)
    expect([nodeId(REALM, LAPTOP), nodeId(ORG, BOX)]).toEqual(['laptop', '~bob/box'])
    expect(inboxPrefix(ORG, BOX)).toBe('_INBOX_bob_box')
  })

  test('of an accord have digits for the accord and the grant, and the organisation that writes', () => {
    const lane = laneOf(ACCORD, { ...BOX, audience: GRANT })
    const at = { ...BOX, org: '~acme' }

    expect(ACCORD).toMatch(/^a\.[0-9a-f]{16}$/)
    expect(lane).toBe(`agentd.v1.${ACCORD}.${grantToken('support')}.acme.bob.box`)
    expect(readLane(ACCORD, lane)).toEqual({ audience: GRANT, ...at })
    expect(filterOf(ACCORD, GRANT)).toBe(`agentd.v1.${ACCORD}.${grantToken('support')}.acme.>`)
    expect([documentKey(ACCORD), charterKey('~acme'), nodeKey(ACCORD, at)]).toEqual([
      'accord',
      'charter.acme',
      'up.acme.bob.box',
    ])
    expect(nodeOfKey(ACCORD, kvSubject(ACCORD, 'up.acme.bob.box'))).toEqual(at)
    expect(inboxPrefix(ACCORD, at)).toBe('_INBOX_acme_bob_box')
    expect(() => nodeKey(ACCORD, BOX)).toThrow('one of its two organisations')
  })

  test('of one form are none of another: an audience that a realm has not is nobody’s lane', () => {
    const strange = [
      'agentd.v1.o.acme.bob.box',
      'agentd.v1.o.acme.everybody.bob.box',
      'agentd.v1.o.acme.r-.bob.box',
      'agentd.v1.o.acme.m-*.bob.box',
      'agentd.v1.o.acme.all.bob.*',
      'agentd.v1.o.acme.all.*.box',
      'agentd.v1.o.acme.all.x.bob.box',
      'agentd.v1.o.globex.all.bob.box',
    ]

    expect(strange.filter((subject) => readLane(ORG, subject) !== undefined)).toEqual([])
    expect(() => laneOf(ORG, { ...BOX, audience: { of: 'person' } })).toThrow('nobody writes')
    expect(() => filterOf(ORG, { of: 'member', handle: '~*' })).toThrow('nobody writes')
    expect(() => filterOf(REALM, { of: 'all' })).toThrow('nobody writes')
    expect(() => filterOf(ACCORD, { of: 'grant', grant: '>', from: '~acme' })).toThrow('nobody writes')
    expect(nodeOfKey(ORG, kvSubject(ORG, 'member.box'))).toBeUndefined()
    expect(nodeOfKey(ACCORD, kvSubject(ACCORD, 'up.bob.box'))).toBeUndefined()
  })

  test.each([
    'p.',
    'p.*',
    'p.>',
    'p.a.b',
    'q.acme',
    'o.Acme',
    'o.*',
    'a.acme',
    'a.0123456789ABCDEF',
    'p.Alice',
    'p.a b',
    '',
    'p.-a',
    `p.${'a'.repeat(33)}`,
  ])('of "%s" there are none: no wildcard and no dot gets into a subject', (realm) => {
    expect(isRealm(realm)).toBe(false)
    for (const name of [streamName, laneFilter, principalOf, bucketName])
      expect(() => name(realm)).toThrow('no realm')
  })

  test('a machine is called as an instrument is', () => {
    expect(['laptop', 'a', 'x'.repeat(32), 'dev-box-2'].every(isNodeLabel)).toBe(true)
    expect(['', '-a', 'a-', 'A', 'a.b', 'a*', 'x'.repeat(33)].some(isNodeLabel)).toBe(false)
  })
})

test('a node may write its lane and its key, read its realm, and nothing else (FED-13)', () => {
  expect(permissionsOf(REALM, LAPTOP, OWN_ACCESS)).toEqual({
    publish: [
      'agentd.v1.p.alice.f.laptop',
      '$KV.agentd_P_alice.node.laptop',
      '$JS.API.DIRECT.GET.AGENTD_P_alice.agentd.v1.p.alice.f.laptop',
      '$JS.API.STREAM.INFO.AGENTD_P_alice',
      '$JS.API.CONSUMER.CREATE.AGENTD_P_alice.*.agentd.v1.p.alice.f.>',
      '$JS.API.CONSUMER.INFO.AGENTD_P_alice.*',
      '$JS.API.CONSUMER.DELETE.AGENTD_P_alice.*',
      '$JS.API.CONSUMER.MSG.NEXT.AGENTD_P_alice.*',
      '$JS.API.STREAM.INFO.KV_agentd_P_alice',
      '$JS.API.CONSUMER.CREATE.KV_agentd_P_alice.*.$KV.agentd_P_alice.>',
      '$JS.API.CONSUMER.INFO.KV_agentd_P_alice.*',
      '$JS.API.CONSUMER.DELETE.KV_agentd_P_alice.*',
      '$JS.API.CONSUMER.MSG.NEXT.KV_agentd_P_alice.*',
    ],
    subscribe: ['_INBOX_laptop.>'],
  })
  expect(inboxPrefix(REALM, LAPTOP)).toBe('_INBOX_laptop')
})

test('nothing that a node may ask is another node’s, of another realm, or the making of a stream (FED-13)', () => {
  const mine = permissionsOf(REALM, LAPTOP, OWN_ACCESS).publish
  const theirs = new Set([
    ...permissionsOf(REALM, { ...LAPTOP, node: 'devbox' }, OWN_ACCESS).publish,
    ...permissionsOf('p.bob', LAPTOP, OWN_ACCESS).publish,
  ])
  const shared = mine.filter((subject) => theirs.has(subject))

  expect(shared.filter((subject) => !/^\$JS\.API\.(?:STREAM\.INFO|CONSUMER)\./.test(subject))).toEqual([])
  expect(shared.every((subject) => /AGENTD_P_alice|KV_agentd_P_alice/.test(subject))).toBe(true)
  expect(mine.filter((subject) => /STREAM\.(?!INFO)|MSG\.GET|LIST|NAMES/.test(subject))).toEqual([])
  expect(permissionsOfHub([REALM]).publish).toEqual(['$JS.API.>', '$KV.agentd_P_alice.>'])
})

test('a member writes its own lanes whoever they are for, and reads what is for it and for nobody else (FED-13)', () => {
  const reads: Audience[] = [{ of: 'all' }, { of: 'role', role: 'dev' }, { of: 'member', handle: '~bob' }]

  const { publish, subscribe } = permissionsOf(ORG, BOX, { writes: [{ of: 'all' }], reads })

  expect(publish).toEqual([
    'agentd.v1.o.acme.*.bob.box',
    '$KV.agentd_O_acme.member.bob.box',
    '$JS.API.DIRECT.GET.AGENTD_O_acme.agentd.v1.o.acme.*.bob.box',
    '$JS.API.STREAM.INFO.AGENTD_O_acme',
    '$JS.API.CONSUMER.CREATE.AGENTD_O_acme.*.agentd.v1.o.acme.all.>',
    '$JS.API.CONSUMER.CREATE.AGENTD_O_acme.*.agentd.v1.o.acme.r-dev.>',
    '$JS.API.CONSUMER.CREATE.AGENTD_O_acme.*.agentd.v1.o.acme.m-bob.>',
    '$JS.API.CONSUMER.INFO.AGENTD_O_acme.*',
    '$JS.API.CONSUMER.DELETE.AGENTD_O_acme.*',
    '$JS.API.CONSUMER.MSG.NEXT.AGENTD_O_acme.*',
    '$JS.API.STREAM.INFO.KV_agentd_O_acme',
    '$JS.API.CONSUMER.CREATE.KV_agentd_O_acme.*.$KV.agentd_O_acme.>',
    '$JS.API.CONSUMER.INFO.KV_agentd_O_acme.*',
    '$JS.API.CONSUMER.DELETE.KV_agentd_O_acme.*',
    '$JS.API.CONSUMER.MSG.NEXT.KV_agentd_O_acme.*',
  ])
  expect(subscribe).toEqual(['_INBOX_bob_box.>'])
})

test('who is called as the word for everybody, in an organisation called so too, writes its own lanes alone (FED-13)', () => {
  const [lane] = permissionsOf(
    'o.all',
    { handle: '~all', node: 'all' },
    { writes: [{ of: 'all' }], reads: [] },
  ).publish

  expect(lane).toBe('agentd.v1.o.all.*.all.all')
})

test('a guest writes for the grants that are named, and reads what the other side writes for them (FED-13, FED-57)', () => {
  const at = { ...BOX, org: '~acme' }
  const theirs: Audience = { ...GRANT, from: '~globex' }

  const { publish } = permissionsOf(ACCORD, at, { writes: [GRANT], reads: [theirs] })

  const lanes = publish.filter((subject) => subject.includes('agentd.v1.'))
  expect(lanes).toEqual([
    laneOf(ACCORD, { ...at, audience: GRANT }),
    `$JS.API.DIRECT.GET.${streamName(ACCORD)}.${laneOf(ACCORD, { ...at, audience: GRANT })}`,
    `$JS.API.CONSUMER.CREATE.${streamName(ACCORD)}.*.${filterOf(ACCORD, theirs)}`,
  ])
})

test('who is let in twice by one key may do what either says, each thing once', () => {
  const [a, b] = [
    { publish: ['x', 'y'], subscribe: ['i'] },
    { publish: ['y', 'z'], subscribe: ['i'] },
  ]

  expect(joinedPermissions(a, b)).toEqual({ publish: ['x', 'y', 'z'], subscribe: ['i'] })
  expect(permissionsOfHub([REALM, ORG]).publish).toEqual([
    '$JS.API.>',
    '$KV.agentd_P_alice.>',
    '$KV.agentd_O_acme.>',
  ])
})

test('streams are on disk and bounded, nobody deletes, and no header of a message empties one (FED-12)', () => {
  const shared = {
    storage: 'file',
    retention: 'limits',
    allow_rollup_hdrs: false,
    deny_delete: true,
    deny_purge: true,
    num_replicas: 1,
  }

  expect(streamConfig(REALM)).toEqual({
    ...shared,
    name: 'AGENTD_P_alice',
    subjects: ['agentd.v1.p.alice.f.>'],
    discard: 'old',
    max_age: 7 * 24 * 3_600 * 1_000_000_000,
    max_bytes: 1024 ** 3,
    max_msgs_per_subject: -1,
    allow_direct: true,
  })
  expect(bucketConfig(REALM)).toEqual({
    ...shared,
    name: 'KV_agentd_P_alice',
    subjects: ['$KV.agentd_P_alice.>'],
    discard: 'new',
    max_age: 0,
    max_bytes: 64 * 1024 ** 2,
    max_msgs_per_subject: 1,
    allow_direct: false,
  })
  expect(streamConfig(REALM, 3).num_replicas).toBe(3)
})
