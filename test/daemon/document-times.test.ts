/**
 * What a daemon goes by when a charter or an accord begins or ends and no file has changed (FED-40, FED-56, FED-57).
 */
import { mkdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { formatDocument } from '../../src/authority/document.ts'
import { LocalAuthority } from '../../src/daemon/local-authority.ts'
import { OrgPlan } from '../../src/gateway/plan/org-plan.ts'
import { authorityFolder } from '../../src/host/authority/authority-files.ts'
import { resolveConfig } from '../../src/host/config/config.ts'
import { audienceToken } from '../../src/link/audience.ts'
import { keyFor, signedCharter } from '../authority/documents.ts'
import { surroundings } from '../host/surroundings.ts'
import { FakeClock } from '../support/fake-clock.ts'
import { silentLog } from '../support/silent-log.ts'
import { createTempDir } from '../support/temp-dir.ts'

const HOUR_MS = 3_600_000

test('the lanes of an organisation follow a charter that begins and ends by the clock alone (FED-24, FED-56)', async () => {
  await using dir = await createTempDir()
  const clock = new FakeClock()
  const at = (hours: number): string => new Date(clock.nowMs() + hours * HOUR_MS).toISOString()
  const key = keyFor('~acme')
  const environment = surroundings(dir.path)
  const config = resolveConfig(environment, {})
  const wish = { notBefore: at(1), notAfter: at(2), members: [{ handle: '~alice', roles: ['dev'] }] }
  const folder = authorityFolder(config.stateDir)
  mkdirSync(folder.path, { recursive: true, mode: 0o700 })
  folder.put({ name: 'charter.acme.json', text: formatDocument(signedCharter(key, wish)) }, environment.uid)
  const keys = { find: (kid: string) => (kid === key.kid ? key : undefined) }
  const daemon = { clock, config, environment, log: silentLog }
  const authority = new LocalAuthority({ daemon, keys, keysStamp: () => '' })
  const plan = new OrgPlan('~acme', '~alice', authority)
  const lanes = () => plan.lanes().map(audienceToken)
  let told = 0
  plan.onChange(() => (told += 1))

  expect([lanes(), told]).toEqual([['all'], 0])
  clock.advance(HOUR_MS)
  expect([lanes(), told]).toEqual([['all', 'r-dev', 'm-alice'], 1])
  clock.advance(HOUR_MS + 1)
  expect([lanes(), told]).toEqual([['all'], 2])
  authority.close()
  expect(clock.pendingTimers).toBe(0)
})
