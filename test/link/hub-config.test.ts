/**
 * The configuration of a hub (FED-12, FED-13, FED-14).
 */
import { spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import {
  HUB_MAX_PAYLOAD,
  HUB_SERVER_NAME,
  accountsBlock,
  natsConf,
  ownHubRealm,
  type HubSettings,
} from '../../src/link/hub-config.ts'
import { MAX_BATCH_OCTETS } from '../../src/link/batch.ts'
import { MAX_HUB_REALMS } from '../../src/cli/link/hub/kept/hub-file.ts'
import { bucketConfig, streamConfig } from '../../src/link/hub-streams.ts'
import { OWN_ACCESS, permissionsOf } from '../../src/link/permissions.ts'
import { MAX_PRESENCE_OCTETS } from '../../src/link/presence.ts'
import { hasProgram } from '../support/needs.ts'
import { createTempDir } from '../support/temp-dir.ts'
import { REALM } from './samples.ts'

/** Public halves of NKEYs that nobody has. */
const NKEYS = [
  'UADQOBYHA4DQOBYHA4DQOBYHA4DQOBYHA4DQOBYHA4DQOBYHA4DQPL3S',
  'UAEQSCIJBEEQSCIJBEEQSCIJBEEQSCIJBEEQSCIJBEEQSCIJBEEQTVLI',
] as const

const SETTINGS: HubSettings = {
  realms: [ownHubRealm(REALM, [{ node: 'laptop', nkeyPublic: NKEYS[0] }])],
  listen: '127.0.0.1:4222',
  name: 'home "hub" $NAME',
  storeDir: '/tmp/a b\\c',
  tls: undefined,
  adminNkey: NKEYS[1],
}

test('names each node once, with its permissions and no other, and no seed (FED-13, FED-14)', () => {
  const conf = natsConf(SETTINGS)
  const [, block = ''] = conf.split(`nkey: "${NKEYS[0]}"`)

  const { publish, subscribe } = permissionsOf(REALM, { handle: '~alice', node: 'laptop' }, OWN_ACCESS)
  const lists = [...block.matchAll(/allow: (\[.*\])/g)].map(([, list = '']): unknown => JSON.parse(list))
  expect(lists).toEqual([publish, subscribe])
  expect(conf).toContain(accountsBlock(SETTINGS).trimEnd())
  expect(conf).not.toMatch(/"S[A-Z2-7]{50,}/)
})

test('stores what all realms of a hub may keep, however little its disk has free, and reserves no more (FED-12)', () => {
  const each = [streamConfig(REALM), bucketConfig(REALM)].reduce((sum, { max_bytes }) => sum + max_bytes, 0)
  const [, stored] = /max_file_store: (\d+)/.exec(natsConf(SETTINGS)) ?? []

  expect(Number(stored)).toBe((1 + MAX_HUB_REALMS) * each)
  expect(accountsBlock(SETTINGS)).toContain(`reserve ${each} octets`)
})

test('lets a member into several realms by one key, which it names once (FED-13)', () => {
  const bob = { handle: '~bob', node: 'box', nkeyPublic: NKEYS[0] }
  const access = { writes: [{ of: 'all' }], reads: [{ of: 'all' }] } as const

  const text = accountsBlock({
    realms: [ownHubRealm('p.bob', [bob]), { realm: 'o.acme', nodes: [{ ...bob, ...access }] }],
    adminNkey: NKEYS[1],
  })

  expect(text.split(NKEYS[0])).toHaveLength(2)
  expect(text).toContain('# box, ~bob/box')
  const lists = [...text.matchAll(/publish: { allow: (\[.*\])/g)].map(([, list = '']): unknown =>
    JSON.parse(list),
  )
  expect(lists[1]).toEqual([
    ...permissionsOf('p.bob', bob, OWN_ACCESS).publish,
    ...permissionsOf('o.acme', bob, access).publish,
  ])
})

test('takes the largest batch and the largest presence, and more than doctor’s floor of 1.25 MiB (FED-18)', () => {
  expect(HUB_MAX_PAYLOAD).toBeGreaterThan(Math.max(MAX_BATCH_OCTETS, MAX_PRESENCE_OCTETS) + 4_096)
  expect(HUB_MAX_PAYLOAD).toBeGreaterThan(1.25 * 1024 ** 2)
})

test('speaks TLS where it has a certificate, and tells its process id where somebody wants to reload it', () => {
  const tls = { certPath: '/c.pem', keyPath: '/k.pem' }

  const conf = natsConf({ ...SETTINGS, tls, pidPath: '/run/x' })

  expect(conf).toContain('tls: { cert_file: "/c.pem", key_file: "/k.pem", timeout: 5 }')
  expect(HUB_SERVER_NAME).toBe('agentd-hub')
  expect(conf).toContain('pid_file: "/run/x"')
  expect(natsConf(SETTINGS)).not.toMatch(/tls|pid_file/)
})

test.runIf(hasProgram('nats-server'))('is one that nats-server itself takes, odd names and all', async () => {
  await using directory = await createTempDir()
  const path = directory.file('nats-server.conf')
  await writeFile(path, natsConf({ ...SETTINGS, pidPath: directory.file('pid') }))

  const { status, stderr } = spawnSync('nats-server', ['-c', path, '-t'], { encoding: 'utf8' })

  expect({ status, stderr }).toEqual({ status: 0, stderr: expect.stringContaining('is valid') })
})
