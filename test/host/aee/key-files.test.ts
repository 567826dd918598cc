/**
 * The folder of keys (AEE-086, R-02).
 */
import { UsageError } from '../../../src/core/errors.ts'
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import {
  addKeyFile,
  keysDirectory,
  keysStamp,
  readKeyFiles,
  replaceKeyFile,
} from '../../../src/host/aee/key-files.ts'
import { HostRefusal } from '../../../src/host/files/refusal.ts'
import { createTempDir, type TempDir } from '../../support/temp-dir.ts'
import { FOREIGN_UID, ownUid, surroundings } from '../surroundings.ts'
import { bundleProgram, runPrograms } from '../child-program.ts'
import { runsAsRoot } from '../../support/needs.ts'

const FILE = { name: 'key-1.json', text: '{"kid":"key-1"}\n' }

const MAX_BYTES = 16_384

/** A folder with one key file in it. */
async function createKeys(): Promise<TempDir & { readonly keys: string; readonly key: string }> {
  const dir = await createTempDir()
  const keys = keysDirectory(dir.path)
  addKeyFile(keys, FILE, surroundings(dir.path))
  return { ...dir, keys, key: dir.file('keys', FILE.name) }
}

test('a file that is added is read again, in a folder 0700 and as a file 0600, whatever the umask', async () => {
  const before = process.umask(0)
  try {
    await using dir = await createKeys()

    expect(readKeyFiles(dir.keys, ownUid)).toEqual([FILE])
    expect(lstatSync(dir.keys).mode & 0o777).toBe(0o700)
    expect(lstatSync(dir.key).mode & 0o777).toBe(0o600)
    expect(readdirSync(dir.keys)).toEqual([FILE.name])
  } finally {
    process.umask(before)
  }
})

test('where there is no folder there are no keys, and reading makes none', async () => {
  await using dir = await createTempDir()

  expect(readKeyFiles(keysDirectory(dir.path), ownUid)).toEqual([])
  expect(readdirSync(dir.path)).toEqual([])
})

test('a name that is taken stays with the file that has it', async () => {
  await using dir = await createKeys()

  expect(addKeyFile(dir.keys, { ...FILE, text: 'other' }, surroundings(dir.path))).toBe('taken')
  expect(readKeyFiles(dir.keys, ownUid)).toEqual([FILE])
  expect(readdirSync(dir.keys)).toEqual([FILE.name])
})

test('of several processes that add one name at once, one does', async () => {
  await using dir = await createTempDir()
  await using program = await bundleProgram(`
    import { addKeyFile } from '#host/aee/key-files.ts'
    import { readEnvironment } from '#host/config/paths.ts'
    const text = String(process.pid).repeat(1_000)
    console.log(addKeyFile(process.argv[2], { name: 'key-1.json', text }, readEnvironment()))
    setInterval(() => {}, 60_000)
  `)
  await using starters = runPrograms(4, program, [keysDirectory(dir.path)])

  const added = await starters.nextLines()

  expect(added.filter((outcome) => outcome === 'added')).toHaveLength(1)
  expect(added.filter((outcome) => outcome === 'taken')).toHaveLength(3)
  expect(readKeyFiles(keysDirectory(dir.path), ownUid)[0]?.text).toMatch(/^(\d+)(?:\1){999}$/)
})

test('a file is replaced at once, and stays private', async () => {
  await using dir = await createKeys()
  const inode = lstatSync(dir.key).ino

  replaceKeyFile(dir.keys, { ...FILE, text: 'revoked' }, surroundings(dir.path))

  expect(readKeyFiles(dir.keys, ownUid)).toEqual([{ ...FILE, text: 'revoked' }])
  expect(lstatSync(dir.key).ino).not.toBe(inode)
  expect(lstatSync(dir.key).mode & 0o777).toBe(0o600)
  expect(readdirSync(dir.keys)).toEqual([FILE.name])
})

test('what is not there is not replaced', async () => {
  await using dir = await createKeys()

  expect(() => replaceKeyFile(dir.keys, { name: 'key-2.json', text: '' }, surroundings(dir.path))).toThrow(
    HostRefusal,
  )
  expect(readdirSync(dir.keys)).toEqual([FILE.name])
})

test('only names of key files are read and written', async () => {
  await using dir = await createKeys()
  for (const name of ['.key-2.json', 'key-2.json~', 'key-2.txt', 'key 2.json', `${'a'.repeat(65)}.json`])
    writeFileSync(dir.file('keys', name), '{}')

  expect(readKeyFiles(dir.keys, ownUid)).toEqual([FILE])
  for (const name of ['../key-2.json', '.key-2.json', 'key-2', 'a/b.json', ''])
    expect(() => addKeyFile(dir.keys, { name, text: '' }, surroundings(dir.path)), name).toThrow(UsageError)
})

test.each([0o640, 0o604, 0o620, 0o660, 0o644])('a file of mode %o is refused, not repaired', async (mode) => {
  await using dir = await createKeys()
  chmodSync(dir.key, mode)

  expect(() => readKeyFiles(dir.keys, ownUid)).toThrow(/its mode is 0\d{3} and must be 0600/)
  expect(() => replaceKeyFile(dir.keys, FILE, surroundings(dir.path))).toThrow(HostRefusal)
  expect(lstatSync(dir.key).mode & 0o777).toBe(mode)
})

test.each([0o750, 0o701, 0o755])('a folder of mode %o is refused, not repaired', async (mode) => {
  await using dir = await createKeys()
  chmodSync(dir.keys, mode)

  expect(() => readKeyFiles(dir.keys, ownUid)).toThrow(/must be 0700/)
  expect(() => addKeyFile(dir.keys, { ...FILE, name: 'key-2.json' }, surroundings(dir.path))).toThrow(
    HostRefusal,
  )
  expect(lstatSync(dir.keys).mode & 0o777).toBe(mode)
})

test.runIf(runsAsRoot())('a file and a folder of somebody else are refused', async () => {
  await using dir = await createKeys()
  chownSync(dir.key, FOREIGN_UID, FOREIGN_UID)
  expect(() => readKeyFiles(dir.keys, ownUid)).toThrow(`it belongs to uid ${FOREIGN_UID}`)

  chownSync(dir.keys, FOREIGN_UID, FOREIGN_UID)
  expect(() => readKeyFiles(dir.keys, ownUid)).toThrow(`The key folder ${dir.keys} is refused`)
})

test('links are refused: a file’s and the folder’s', async () => {
  await using dir = await createKeys()
  symlinkSync(dir.key, dir.file('keys', 'link.json'))
  symlinkSync(dir.keys, dir.file('other'))

  expect(() => readKeyFiles(dir.keys, ownUid)).toThrow('it is a symbolic link')
  expect(() => readKeyFiles(dir.file('other'), ownUid)).toThrow('it is not a directory')
})

test('what is no file is refused, and never waited for', async () => {
  await using dir = await createKeys()
  spawnSync('mkfifo', ['-m', '600', dir.file('keys', 'pipe.json')])

  expect(() => readKeyFiles(dir.keys, ownUid)).toThrow('it is not a regular file')
})

test('a file that is in the place of the folder is refused', async () => {
  await using dir = await createTempDir()
  writeFileSync(dir.file('keys'), '', { mode: 0o600 })

  expect(() => readKeyFiles(dir.file('keys'), ownUid)).toThrow('it is not a directory')
  expect(() => addKeyFile(dir.file('keys'), FILE, surroundings(dir.path))).toThrow(HostRefusal)
})

test('a file may have 16 KiB and not a byte more', async () => {
  await using dir = await createKeys()
  truncateSync(dir.key, MAX_BYTES)
  expect(readKeyFiles(dir.keys, ownUid)[0]?.text).toHaveLength(MAX_BYTES)

  truncateSync(dir.key, MAX_BYTES + 1)
  expect(() => readKeyFiles(dir.keys, ownUid)).toThrow(`it is larger than ${MAX_BYTES} bytes`)
})

test('what could not be read again is not written', async () => {
  await using dir = await createKeys()
  const fits = { name: 'key-2.json', text: 'x'.repeat(MAX_BYTES) }

  expect(() => addKeyFile(dir.keys, { ...fits, text: `${fits.text}x` }, surroundings(dir.path))).toThrow(
    UsageError,
  )
  expect(addKeyFile(dir.keys, fits, surroundings(dir.path))).toBe('added')
  expect(readKeyFiles(dir.keys, ownUid)).toHaveLength(2)
})

test('a folder may hold 256 keys and not one more', async () => {
  await using dir = await createTempDir()
  const keys = keysDirectory(dir.path)
  mkdirSync(keys, { mode: 0o700 })
  for (let i = 1; i <= 255; i += 1) writeFileSync(dir.file('keys', `k${i}.json`), '', { mode: 0o600 })

  expect(addKeyFile(keys, FILE, surroundings(dir.path))).toBe('added')
  expect(readKeyFiles(keys, ownUid)).toHaveLength(256)
  expect(() => addKeyFile(keys, { ...FILE, name: 'key-2.json' }, surroundings(dir.path))).toThrow('the most')

  writeFileSync(dir.file('keys', 'more.json'), '', { mode: 0o600 })
  expect(() => readKeyFiles(keys, ownUid)).toThrow('more than 256')
})

test('what is no UTF-8 comes as nothing, which no key file is', async () => {
  await using dir = await createKeys()
  writeFileSync(dir.key, Buffer.from([0x7b, 0xff, 0x7d]))

  expect(readKeyFiles(dir.keys, ownUid)).toEqual([{ name: FILE.name, text: '' }])
})

test('the stamp changes with every key that comes or is replaced, however fast, and with nothing else', async () => {
  await using dir = await createTempDir()
  const keys = keysDirectory(dir.path)
  const environment = surroundings(dir.path)
  const stamps = [keysStamp(keys)]

  for (let i = 0; i < 20; i += 1) {
    const file = { name: `k${i}.json`, text: '' }
    addKeyFile(keys, file, environment)
    stamps.push(keysStamp(keys))
    replaceKeyFile(keys, file, environment)
    stamps.push(keysStamp(keys))
    readKeyFiles(keys, ownUid)
    expect(keysStamp(keys)).toBe(stamps.at(-1))
  }

  expect(new Set(stamps).size).toBe(41)
})

test('a folder that cannot be looked at is refused, and its stamp says why', async () => {
  await using dir = await createTempDir()
  const path = dir.file('x'.repeat(256))

  expect(keysStamp(path)).toBe('ENAMETOOLONG')
  expect(() => readKeyFiles(path, ownUid)).toThrow(HostRefusal)
})

test('a write that cannot be done says so and leaves nothing behind', async () => {
  await using dir = await createKeys()
  mkdirSync(dir.file('keys', 'dir.json'), { mode: 0o700 })

  expect(addKeyFile(dir.keys, { name: 'dir.json', text: '' }, surroundings(dir.path))).toBe('taken')
  expect(() => replaceKeyFile(dir.keys, { name: 'dir.json', text: '' }, surroundings(dir.path))).toThrow(
    HostRefusal,
  )
  expect(readdirSync(dir.keys).toSorted()).toEqual(['dir.json', FILE.name])
  expect(readFileSync(dir.key, 'utf8')).toBe(FILE.text)
})
