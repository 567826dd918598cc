/**
 * The folders of links (FED-14): private, few, and gone with their keys.
 */
import { chmodSync, existsSync, lstatSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { UsageError } from '../../../src/core/errors.ts'
import { HostRefusal } from '../../../src/host/files/refusal.ts'
import {
  LINK_FILE,
  MAX_LINKS,
  addLink,
  hasLinks,
  linkFolder,
  linksDirectory,
  readLinks,
  removeLink,
} from '../../../src/host/links/link-folders.ts'
import { createTempDir } from '../../support/temp-dir.ts'
import { ownUid, surroundings } from '../surroundings.ts'

test('a link is added once, read by its name, and is for this user alone (FED-14)', async () => {
  await using dir = await createTempDir()
  const environment = surroundings(dir.path)
  const state = dir.file('state')

  const added = addLink(state, { name: 'home', text: 'first' }, environment)
  const again = addLink(state, { name: 'home', text: 'second' }, environment)

  expect([added, again]).toEqual(['added', 'taken'])
  expect(readLinks(state, ownUid)).toEqual([{ name: 'home', text: 'first' }])
  const folder = linkFolder(state, 'home').path
  const modes = [linksDirectory(state), folder, join(folder, LINK_FILE)].map(
    (path) => lstatSync(path).mode & 0o777,
  )
  expect(modes).toEqual([0o700, 0o700, 0o600])
})

test('no state directory, and one without links, hold no link (FED-01)', async () => {
  await using dir = await createTempDir()
  mkdirSync(linksDirectory(dir.file('state')), { recursive: true })

  expect([hasLinks(dir.file('nowhere')), hasLinks(dir.file('state'))]).toEqual([false, false])
  expect(readLinks(dir.file('nowhere'), ownUid)).toEqual([])
})

test('a link that others could read is refused and not repaired (FED-14)', async () => {
  await using dir = await createTempDir()
  const state = dir.file('state')
  addLink(state, { name: 'home', text: '{}' }, surroundings(dir.path))
  chmodSync(join(linkFolder(state, 'home').path, LINK_FILE), 0o644)

  expect(() => readLinks(state, ownUid)).toThrow(HostRefusal)
  expect(() => readLinks(state, ownUid)).toThrow(/link\.json is refused: its mode is 0644 and must be 0600/)
})

test('a link that is removed is gone with everything in its folder', async () => {
  await using dir = await createTempDir()
  const state = dir.file('state')
  addLink(state, { name: 'home', text: '{}' }, surroundings(dir.path))
  linkFolder(state, 'home').put({ name: 'estate.json', text: '{}' }, ownUid)

  const removed = [removeLink(state, 'home'), removeLink(state, 'home')]

  expect(removed).toEqual([true, false])
  expect(existsSync(linkFolder(state, 'home').path)).toBe(false)
  expect(hasLinks(state)).toBe(false)
})

test.each(['', '.', '..', 'a/b', 'Home', '-a', 'a-', 'a'.repeat(33)])(
  '"%s" is no name for a link',
  (name) => {
    expect(() => linkFolder('/nowhere', name)).toThrow(UsageError)
  },
)

test('there are no more links than the bound', async () => {
  await using dir = await createTempDir()
  const environment = surroundings(dir.path)
  const state = dir.file('state')
  for (let i = 0; i < MAX_LINKS; i += 1) addLink(state, { name: `l${i}`, text: '{}' }, environment)

  expect(() => addLink(state, { name: 'more', text: '{}' }, environment)).toThrow(
    /16 links, and that is the most/,
  )
  expect(addLink(state, { name: 'l0', text: '{}' }, environment)).toBe('taken')
  mkdirSync(linkFolder(state, 'more').path, { mode: 0o700 })
  expect(() => readLinks(state, ownUid)).toThrow(/more than 16 links/)
})
