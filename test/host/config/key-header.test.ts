import { chmodSync, existsSync, lstatSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { claimPersonKey } from '../../../src/host/config/claimed-key.ts'
import {
  KEY_HEADER_NAME,
  keyHeaderFault,
  keyHeaderPath,
  refreshKeyHeader,
  removeKeyHeader,
  writeKeyHeader,
} from '../../../src/host/config/key-header.ts'
import { personKeyPath, readPersonKey, type Environment } from '../../../src/host/config/paths.ts'
import { HostRefusal } from '../../../src/host/files/refusal.ts'
import { KEY_HEADER } from '../../../src/protocol/http/headers.ts'
import { createTempDir } from '../../support/temp-dir.ts'
import { surroundings } from '../surroundings.ts'

async function createUser(): Promise<AsyncDisposable & { readonly environment: Environment }> {
  const dir = await createTempDir()
  return { ...dir, environment: surroundings(dir.path) }
}

test('the file says the key as a header, for its owner alone, and the key is made for it (OP-04)', async () => {
  await using user = await createUser()
  const { environment } = user

  writeKeyHeader(environment)

  const path = keyHeaderPath(environment)
  expect(readFileSync(path, 'utf8')).toBe(`${KEY_HEADER}: ${readPersonKey(environment) ?? 'no key'}\n`)
  expect(lstatSync(path).mode & 0o777).toBe(0o600)
  expect(keyHeaderFault(environment)).toBeUndefined()
  expect(KEY_HEADER_NAME).toBe(KEY_HEADER)
})

test('another key, or a file that others could read, is put right; what is right stays as it is', async () => {
  await using user = await createUser()
  const { environment } = user
  writeKeyHeader(environment)
  const path = keyHeaderPath(environment)
  const { ino } = lstatSync(path)

  writeKeyHeader(environment)
  const again = lstatSync(path).ino
  chmodSync(path, 0o644)
  const open = keyHeaderFault(environment)
  writeKeyHeader(environment)
  const closed = lstatSync(path).mode & 0o777
  rmSync(personKeyPath(environment))
  claimPersonKey(environment)
  const stale = keyHeaderFault(environment)
  refreshKeyHeader(environment)

  expect(again).toBe(ino)
  expect([open, closed, stale]).toEqual([
    'others may read it; remove it and start again',
    0o600,
    'it says another key than yours',
  ])
  expect(keyHeaderFault(environment)).toBeUndefined()
})

test('a daemon makes none where no lines ask for one', async () => {
  await using user = await createUser()

  refreshKeyHeader(user.environment)

  expect(existsSync(keyHeaderPath(user.environment))).toBe(false)
  expect(keyHeaderFault(user.environment)).toBe('there is no key of yours')
})

test('it can be taken away, twice', async () => {
  await using user = await createUser()
  const { environment } = user
  writeKeyHeader(environment)

  removeKeyHeader(environment)
  removeKeyHeader(environment)

  expect(keyHeaderFault(environment)).toBe('it is not there')
})

test('where there can be no key it is refused in words; a daemon starts all the same', async () => {
  await using user = await createUser()
  const { environment } = user
  writeKeyHeader(environment)
  writeFileSync(personKeyPath(environment), 'no key', { mode: 0o600 })

  expect(() => writeKeyHeader(environment)).toThrow(HostRefusal)
  expect(() => refreshKeyHeader(environment)).not.toThrow()
})

test('a folder in its place is refused in words', async () => {
  await using user = await createUser()
  const { environment } = user
  claimPersonKey(environment)
  mkdirSync(keyHeaderPath(environment))

  expect(() => writeKeyHeader(environment)).toThrow(HostRefusal)
  expect(() => removeKeyHeader(environment)).toThrow(HostRefusal)
})
