/** What the configuration says of links: nothing leaves over one that it does not name (FED-06, FED-61, FED-63). */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect, test } from 'vitest'
import { resolveConfig, rulesOfLink, type Config } from '../../../src/host/config/config.ts'
import { configPath } from '../../../src/host/config/paths.ts'
import { HostRefusal } from '../../../src/host/files/refusal.ts'
import { createTempDir } from '../../support/temp-dir.ts'
import { surroundings } from '../surroundings.ts'

async function configOf(links: unknown): Promise<Config> {
  await using dir = await createTempDir()
  const environment = surroundings(dir.path)
  const path = configPath(environment)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, JSON.stringify({ links }), { mode: 0o600 })
  return resolveConfig(environment, {})
}

const COMPUTE = ['server-active', 'server-aggregate', 'local-only']

test('a link that nobody wrote anything about lets nothing out and takes everything of the same person (FED-06, FED-63)', async () => {
  const config = await configOf({})

  for (const name of ['home', '__proto__', 'constructor'])
    expect(rulesOfLink(config, name)).toEqual({
      allow: { kinds: [], from: ['*'], redact: [], presence: 'none', bus: [], compute: COMPUTE },
      accept: { kinds: undefined, from: ['*'], perSecond: undefined },
    })
})

test('what is written of a link holds for that one, and the rest of it is as if nothing were (FED-61)', async () => {
  const config = await configOf({
    home: { allow: { kinds: ['agent_advisory'], presence: 'full' }, accept: { per_second: 5 } },
  })

  expect(rulesOfLink(config, 'home')).toEqual({
    allow: {
      kinds: ['agent_advisory'],
      from: ['*'],
      redact: [],
      presence: 'full',
      bus: [],
      compute: COMPUTE,
    },
    accept: { kinds: undefined, from: ['*'], perSecond: 5 },
  })
  expect(rulesOfLink(config, 'other').allow.kinds).toEqual([])
})

test.each([
  [{ home: { alow: {} } }, '"links.home.alow"'],
  [{ home: { allow: { presence: 'some' } } }, '"links.home.allow.presence"'],
  [{ home: { allow: { compute: ['elsewhere'] } } }, '"links.home.allow.compute.0"'],
  [{ home: { accept: { per_second: 0 } } }, '"links.home.accept.per_second"'],
  [{ 'Ho me': {} }, '"links.Ho me"'],
  [{ home: { allow: { kinds: Array.from({ length: 257 }, () => 'x') } } }, '"links.home.allow.kinds"'],
  [Object.fromEntries(Array.from({ length: 65 }, (_, i) => [`l${i}`, {}])), '"links"'],
])('a slip of the pen about links stops the start and is named: %j', async (links, key) => {
  const refused = configOf(links)

  await expect(refused).rejects.toThrow(HostRefusal)
  await expect(refused).rejects.toThrow(key)
})
