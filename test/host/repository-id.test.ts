import { mkdirSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import {
  MAX_CONFIG_OCTETS,
  MAX_REPOSITORY_ID_CHARS,
  findRepositoryId,
  repositoryIdOf,
} from '../../src/host/repository-id.ts'
import { findCheckout } from '../../src/host/repository.ts'
import { createTempDir } from '../support/temp-dir.ts'

const ORIGIN = '[core]\n\tbare = false\n[remote "upstream"]\n\turl = https://example.org/other\n'

test.each([
  ['https://example.org/Alice/API.git', 'git:example.org/alice/api'],
  ['https://alice:secret@Example.org/alice/api/', 'git:example.org/alice/api'],
  ['git@example.org:alice/api.git', 'git:example.org/alice/api'],
  ['ssh://git@example.org:2222/alice/api.git', 'git:example.org/alice/api'],
  ['example.org:/alice/api', 'git:example.org/alice/api'],
  ['/srv/git/api.git', undefined],
  ['../api', undefined],
  ['file:///srv/git/api.git', undefined],
  ['C:\\work\\api', undefined],
  ['https://example.org/', undefined],
  ['https://example.org/a b', undefined],
])('a repository is called by host and path of its origin, without credentials: %s (FED-68)', (url, id) => {
  expect(repositoryIdOf(url)).toBe(id)
})

test('a name that is too long is none (FED-68)', () => {
  const url = 'https://e.org/'.padEnd(MAX_REPOSITORY_ID_CHARS + 'https://'.length - 'git:'.length, 'x')

  expect(repositoryIdOf(url)).toHaveLength(MAX_REPOSITORY_ID_CHARS)
  expect(repositoryIdOf(`${url}x`)).toBeUndefined()
})

test('origin is read from the configuration that all worktrees share, up to a bound (FED-68)', async () => {
  await using dir = await createTempDir()
  const url = '[Remote "origin"]\n  fetch = +refs/heads/*\n  URL = "git@example.org:alice/api.git" # ours\n'
  const read = (text: string): Promise<string | undefined> => {
    writeFileSync(dir.file('config'), text)
    return findRepositoryId(dir.path)
  }

  expect(await read(`${ORIGIN}${url}`)).toBe('git:example.org/alice/api')
  expect(await read(ORIGIN)).toBeUndefined()
  expect(await read(`${';'.repeat(MAX_CONFIG_OCTETS)}\n${url}`)).toBeUndefined()
  expect(await findRepositoryId(dir.file('nowhere'))).toBeUndefined()
})

test('a checkout says what its repository is called on every machine (FED-68)', async () => {
  await using dir = await createTempDir()
  mkdirSync(dir.file('api/.git'), { recursive: true })
  writeFileSync(dir.file('api/.git/HEAD'), 'ref: refs/heads/main\n')
  writeFileSync(dir.file('api/.git/config'), '[remote "origin"]\nurl = https://example.org/alice/api\n')

  expect(await findCheckout(dir.file('api/src/a.ts'))).toMatchObject({
    repositoryId: 'git:example.org/alice/api',
    branch: 'main',
  })
})
