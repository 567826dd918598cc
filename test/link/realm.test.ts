/**
 * What a realm has in the engine, and what a node may ask there (FED-11, FED-12, FED-13).
 */
import { describe, expect, test } from 'vitest'
import { bucketConfig, streamConfig } from '../../src/link/hub-streams.ts'
import { inboxPrefix, permissionsOf, permissionsOfHub } from '../../src/link/permissions.ts'
import {
  ESTATE_KEY,
  bucketName,
  isNodeLabel,
  isRealm,
  kvSubject,
  laneFilter,
  laneOf,
  nodeKey,
  nodeOfKey,
  nodeOfLane,
  ownRealm,
  principalOf,
  streamName,
} from '../../src/link/realm.ts'
import { REALM } from './samples.ts'

describe('names (FED-11)', () => {
  test('are made of the handle and the name of the machine, as they are', () => {
    expect(ownRealm('~alice')).toBe(REALM)
    expect(principalOf(REALM)).toBe('~alice')
    expect(laneOf(REALM, 'laptop')).toBe('agentd.v1.p.alice.f.laptop')
    expect(laneFilter(REALM)).toBe('agentd.v1.p.alice.f.>')
    expect([streamName(REALM), bucketName(REALM)]).toEqual(['AGENTD_P_alice', 'agentd_P_alice'])
    expect(kvSubject(REALM, nodeKey('laptop'))).toBe('$KV.agentd_P_alice.node.laptop')
    expect(kvSubject(REALM, ESTATE_KEY)).toBe('$KV.agentd_P_alice.estate')
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
      kvSubject(REALM, ESTATE_KEY),
      kvSubject('p.bob', 'node.laptop'),
      kvSubject(REALM, 'node.>'),
    ]

    expect(lanes.map((lane) => nodeOfLane(REALM, lane))).toEqual(['laptop', ...Array<undefined>(4)])
    expect(keys.map((key) => nodeOfKey(REALM, key))).toEqual(['laptop', ...Array<undefined>(3)])
  })

  test.each(['p.', 'p.*', 'p.>', 'p.a.b', 'o.acme', 'p.Alice', 'p.a b', '', 'p.-a', `p.${'a'.repeat(33)}`])(
    'of "%s" there are none: no wildcard and no dot gets into a subject',
    (realm) => {
      expect(isRealm(realm)).toBe(false)
      for (const name of [streamName, laneFilter, principalOf, bucketName])
        expect(() => name(realm)).toThrow('no realm')
    },
  )

  test('a machine is called as an instrument is', () => {
    expect(['laptop', 'a', 'x'.repeat(32), 'dev-box-2'].every(isNodeLabel)).toBe(true)
    expect(['', '-a', 'a-', 'A', 'a.b', 'a*', 'x'.repeat(33)].some(isNodeLabel)).toBe(false)
  })
})

test('a node may write its lane and its key, read its realm, and nothing else (FED-13)', () => {
  expect(permissionsOf(REALM, 'laptop')).toEqual({
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
  expect(inboxPrefix('laptop')).toBe('_INBOX_laptop')
})

test('nothing that a node may ask is another node’s, of another realm, or the making of a stream (FED-13)', () => {
  const mine = permissionsOf(REALM, 'laptop').publish
  const theirs = new Set([
    ...permissionsOf(REALM, 'devbox').publish,
    ...permissionsOf('p.bob', 'laptop').publish,
  ])
  const shared = mine.filter((subject) => theirs.has(subject))

  expect(shared.filter((subject) => !/^\$JS\.API\.(?:STREAM\.INFO|CONSUMER)\./.test(subject))).toEqual([])
  expect(shared.every((subject) => /AGENTD_P_alice|KV_agentd_P_alice/.test(subject))).toBe(true)
  expect(mine.filter((subject) => /STREAM\.(?!INFO)|MSG\.GET|LIST|NAMES/.test(subject))).toEqual([])
  expect(permissionsOfHub(REALM).publish).toEqual(['$JS.API.>', '$KV.agentd_P_alice.>'])
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
