/**
 * What is said of a setting's change, held against the daemon that takes it up.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect, test } from 'vitest'
import { settingsOf } from '../../../src/cli/config/setting-keys.ts'
import { Settings } from '../../../src/daemon/settings.ts'
import { configSchema } from '../../../src/host/config/config-keys.ts'
import { findConfigFaults, takesEffect } from '../../../src/host/config/config-schema.ts'
import { resolveConfig } from '../../../src/host/config/config.ts'
import { configPath } from '../../../src/host/config/paths.ts'
import { createTempDir } from '../../support/temp-dir.ts'
import { surroundings } from '../surroundings.ts'

/** Another value than the default, such as the schema takes. */
const OTHERS: readonly unknown[] = [
  true,
  false,
  2_000,
  3,
  'session',
  'conformance',
  'disk',
  'strict',
  'require',
]

function otherThan(path: readonly string[], standard: unknown): unknown {
  const wrap = (value: unknown): unknown =>
    path.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value)
  if (path[0] === 'socket') return wrap('/run/agentd-other.sock')
  if (path[0] === 'principal') return wrap('~zoe')
  const found = OTHERS.find((value) => value !== standard && findConfigFaults(wrap(value)).length === 0)
  return found === undefined ? undefined : wrap(found)
}

test('a setting takes a restart exactly where the running daemon says that it needs one', async () => {
  await using dir = await createTempDir()
  const environment = surroundings(dir.path)
  const file = configPath(environment)
  mkdirSync(dirname(file), { recursive: true })
  const before = resolveConfig(environment, {})
  const tried: string[] = []

  for (const { key, path, standard } of settingsOf(configSchema())) {
    const content = otherThan(path, standard)
    if (content === undefined) continue
    writeFileSync(file, JSON.stringify(content), { mode: 0o600 })
    const needRestart = new Settings(before).apply(resolveConfig(environment, {}))
    expect([key, needRestart.length > 0]).toEqual([key, takesEffect(key) === 'restart'])
    tried.push(key)
  }

  expect(tried).toEqual(
    expect.arrayContaining(['socket', 'principal', 'profile', 'ack', 'ring.enabled', 'aee.volt']),
  )
  expect(tried.length).toBeGreaterThan(30)
})
