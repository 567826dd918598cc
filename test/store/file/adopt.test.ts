/**
 * The way back for a store that was set aside: it is looked over, gets the place, and what stood there is aside; or
 * it is refused, and nothing has changed (HD-14).
 */
import {
  chmodSync,
  copyFileSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { expect, test } from 'vitest'
import { adoptStore, type Adopted } from '../../../src/store/file/adopt.ts'
import { NotAdopted } from '../../../src/store/file/past-store.ts'
import { bundleProgram, runProgram } from '../../host/child-program.ts'
import { alterDatabase, WITHOUT_ORIGINS, copyStore, flipBit, offsetOf, zero } from '../../support/damage.ts'
import {
  openRing,
  requireDriver,
  retained,
  retainedEnvelope,
  retainedFrames,
  storePlace,
} from '../../support/rings.ts'
import { createTempDir, type TempDir } from '../../support/temp-dir.ts'

const UID = process.getuid?.() ?? -1

async function adopt(dir: TempDir, name = 'past', uid = UID): Promise<Adopted> {
  return adoptStore({
    driver: await requireDriver(),
    place: storePlace(dir),
    past: { path: dir.file(name), uid },
  })
}

/** `past` with three items, and at the place a store with one. */
async function twoStores(
  dir: TempDir,
): Promise<{ readonly epoch: string; readonly texts: readonly string[] }> {
  const past = await openRing(dir)
  const items = [...retainedFrames(2, { queuedTo: ['~alice/cc@b'] }), retainedEnvelope()]
  past.append(items)
  past.close()
  renameSync(dir.file('ring.db'), dir.file('past'))
  const present = await openRing(dir)
  present.append([retained({ text: '"present"' })])
  present.close()
  return { epoch: past.epoch, texts: items.map(({ text }) => text) }
}

/** What a directory holds: the octets of its files by name, and of the rest the names. */
function contentOf(dir: TempDir): ReadonlyMap<string, string> {
  return new Map(
    readdirSync(dir.path, { withFileTypes: true }).map((entry) => [
      entry.name,
      entry.isFile() ? readFileSync(dir.file(entry.name), 'latin1') : '',
    ]),
  )
}

/** The texts a store holds, by a ring on a copy of it in a place of its own. */
async function textsOf(dir: TempDir, name: string): Promise<readonly string[]> {
  await using other = await createTempDir()
  for (const suffix of ['', '-wal'].filter((end) => existsSync(dir.file(name + end))))
    copyFileSync(dir.file(name + suffix), other.file(`ring.db${suffix}`))
  const ring = await openRing(other)
  const texts = ring.read(0, 1_000).map(({ text }) => text)
  ring.close()
  return texts
}

function asideIn(dir: TempDir): readonly string[] {
  return readdirSync(dir.path).filter((name) => name.startsWith('ring.replaced-'))
}

test('a store takes its place again whole, in an epoch of its own, and what stood there is aside (HD-14)', async () => {
  await using dir = await createTempDir()
  const { epoch, texts } = await twoStores(dir)
  const before = contentOf(dir)

  const { frames, aside } = await adopt(dir)

  expect(frames).toBe(3)
  expect(asideIn(dir).map((name) => dir.file(name))).toEqual([aside])
  expect(await textsOf(dir, asideIn(dir)[0] ?? '')).toEqual(['"present"'])
  expect(readdirSync(dir.path).toSorted()).toEqual(
    ['past', 'ring.db', 'ring.mark', ...asideIn(dir)].toSorted(),
  )
  expect(contentOf(dir).get('past')).toBe(before.get('past'))
  expect(lstatSync(dir.file('ring.db')).mode & 0o777).toBe(0o600)
  const ring = await openRing(dir)
  expect(ring.read(0, 10).map(({ text }) => text)).toEqual(texts)
  expect(ring.get(1)?.delivery.queuedTo).toEqual(['~alice/cc@b'])
  // A number after its last may have named another frame, in what it has lost.
  expect([ring.epoch === epoch, ring.fateOf(epoch), ring.lastSeq]).toEqual([false, 'rollback', 3])
  ring.close()
})

test('a store that was set aside with its log is taken back with it (HD-14)', async () => {
  await using origin = await createTempDir()
  await using dir = await createTempDir()
  const killed = await openRing(origin)
  const items = retainedFrames(50)
  for (const item of items) killed.append([item])
  copyStore(origin, dir)
  killed.close()
  for (const suffix of ['', '-wal']) renameSync(dir.file(`ring.db${suffix}`), dir.file(`past${suffix}`))
  const before = contentOf(dir)

  const { frames, aside } = await adopt(dir)

  expect([frames, aside]).toEqual([50, undefined])
  expect(await textsOf(dir, 'ring.db')).toEqual(items.map(({ text }) => text))
  for (const name of ['past', 'past-wal']) expect(contentOf(dir).get(name)).toBe(before.get(name))
  expect(readdirSync(dir.path)).not.toContain('past-shm')
})

test('one of an earlier version is brought up to date, and the file stays what it is (HD-03, HD-14)', async () => {
  await using dir = await createTempDir()
  const { texts } = await twoStores(dir)
  await alterDatabase(
    dir.file('past'),
    `${WITHOUT_ORIGINS}
    DROP TABLE lanes; DROP TABLE mailboxes; DROP TABLE taken; DROP TABLE forgotten; DROP TABLE departed; DROP TABLE hooks;
    CREATE TABLE mailboxes (address TEXT NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (address, seq)) WITHOUT ROWID;
    CREATE TABLE losses (address TEXT PRIMARY KEY, lost INTEGER NOT NULL, before_seq INTEGER NOT NULL) WITHOUT ROWID;
    INSERT INTO mailboxes VALUES ('~alice/cc@b', 1), ('~alice/cc@b', 2);
    PRAGMA user_version = 2; PRAGMA wal_checkpoint(TRUNCATE)`,
  )
  const before = contentOf(dir).get('past')

  await adopt(dir)

  expect(contentOf(dir).get('past')).toBe(before)
  expect(await textsOf(dir, 'ring.db')).toEqual(texts)
  const driver = await requireDriver()
  const adopted = new driver(dir.file('ring.db'), { readonly: true })
  expect(adopted.prepare('SELECT lane, first_seq, last_seq FROM lanes').raw().all()).toEqual([
    ['@~alice/cc@b', 1, 2],
  ])
  adopted.close()
})

/** What is done to a file that must not be adopted, and what is said of it. */
const REFUSED: Readonly<
  Record<string, readonly [spoil: (path: string) => void | Promise<void>, says: RegExp]>
> = {
  'is not there': [(path) => rmSync(path), /^There is no .*past\.$/],
  'is empty': [(path) => writeFileSync(path, ''), /is no store of agentd/],
  'is no database': [
    (path) => writeFileSync(path, 'a letter to a friend\n'.repeat(400)),
    /is damaged or no store/,
  ],
  "has another program's tables": [(path) => alterDatabase(path, 'DROP TABLE frames'), /other tables/],
  'is a database without tables': [
    (path) => alterDatabase(path, 'PRAGMA user_version = 0'),
    /is no store of agentd/,
  ],
  'is of a newer version': [
    (path) => alterDatabase(path, 'PRAGMA user_version = 99'),
    /newer agentd \(version 99/,
  ],
  'has a row with other octets': [(path) => flipBit(path, offsetOf(path, 'nïcode')), /row \d is damaged/],
  'has a row that reached nobody knows whom': [
    (path) => alterDatabase(path, "UPDATE audiences SET queued_to = '{}'"),
    /is damaged/,
  ],
  'has lost a page': [(path) => zero(path, 4_096 * 3, 4_096), /is damaged/],
  'is a link': [(path) => (renameSync(path, `${path}.real`), symlinkSync(`${path}.real`, path)), /is a link/],
  'has another name': [(path) => linkSync(path, `${path}.second`), /has another name as well/],
  'is a folder': [(path) => (rmSync(path), mkdirSync(path)), /is no regular file/],
  'can be written by others': [(path) => chmodSync(path, 0o666), /can be written by others/],
  'has a log that is a link': [(path) => symlinkSync('/dev/null', `${path}-wal`), /past-wal is a link/],
}

test.each(Object.entries(REFUSED))(
  'a file that %s is refused, and nothing changes (HD-14)',
  async (_, [spoil, says]) => {
    await using dir = await createTempDir()
    await twoStores(dir)
    await spoil(dir.file('past'))
    const before = contentOf(dir)

    const refusal: unknown = await adopt(dir).catch((error: unknown) => error)

    expect(refusal).toBeInstanceOf(NotAdopted)
    expect(refusal).toMatchObject({ message: expect.stringMatching(says), mayPass: false })
    expect(contentOf(dir)).toEqual(before)
  },
)

test('a file of another user is refused, and so is what agentd works with already (HD-14)', async () => {
  await using dir = await createTempDir()
  await twoStores(dir)
  const before = contentOf(dir)

  await expect(adopt(dir, 'past', UID + 1)).rejects.toThrow(`belongs to uid ${UID}, not to uid ${UID + 1}`)
  await expect(adopt(dir, 'ring.db')).rejects.toThrow('works with already')

  expect(contentOf(dir)).toEqual(before)
})

test.each([
  ['past', 'is adopted'],
  ['ring.db', 'stands at the place'],
])('while another process holds %s, which %s, it is refused for now (HD-14)', async (name) => {
  await using dir = await createTempDir()
  await twoStores(dir)
  await using program = await bundleProgram(`
    import { loadDriver } from '#store/driver/driver.ts'
    const driver = await loadDriver()
    const database = new driver(process.argv[2])
    database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT')
    console.log('held')
    setInterval(() => database, 60_000)
  `)
  await using holder = runProgram(program, [dir.file(name)])
  expect(await holder.nextLine()).toBe('held')
  const before = readdirSync(dir.path)

  const refusal: unknown = await adopt(dir).catch((error: unknown) => error)

  const message = `Another process has ${dir.file(name)} open; end it and try again.`
  expect(refusal).toMatchObject({ message, mayPass: true })
  expect(readdirSync(dir.path)).toEqual(before)
})

test('a damaged store at the place makes room, and so does a log that is left of one (HD-14)', async () => {
  await using dir = await createTempDir()
  const { texts } = await twoStores(dir)
  writeFileSync(dir.file('ring.db'), 'no store')
  await adopt(dir)
  expect(readFileSync(dir.file(asideIn(dir)[0] ?? ''), 'utf8')).toBe('no store')
  rmSync(dir.file('ring.db'))
  writeFileSync(dir.file('ring.db-wal'), 'of another one')

  const { aside } = await adopt(dir)

  expect(aside).toBeUndefined()
  expect(asideIn(dir).filter((name) => name.endsWith('-wal'))).toHaveLength(1)
  expect(await textsOf(dir, 'ring.db')).toEqual(texts)
})

/** Adopts, and dies by kill -9 at a call of `node:fs`, before it or after it. */
const KILLED = `
  import fs from 'node:fs'
  import { syncBuiltinESMExports } from 'node:module'
  import { adoptStore } from '#store/file/adopt.ts'
  import { loadDriver } from '#store/driver/driver.ts'
  const [directory, name, when] = process.argv.slice(2)
  const call = fs[name]
  fs[name] = (...given) => {
    if (when === 'after') call(...given)
    process.kill(process.pid, 'SIGKILL')
  }
  syncBuiltinESMExports()
  const place = { path: directory + '/ring.db', ack: 'process', bootId: 'boot-1', nowMs: () => Date.now() }
  await adoptStore({ driver: await loadDriver(), place, past: { path: directory + '/past', uid: process.getuid() } })
  console.log('it went on')
`

test.each([
  ['before', 'linkSync', 'old'],
  ['after', 'linkSync', 'old'],
  ['before', 'renameSync', 'old'],
  ['after', 'renameSync', 'new'],
  ['before', 'fsyncSync', 'old'],
])('killed %s %s, the place has the %s store, whole (HD-14)', async (when, name, which) => {
  await using dir = await createTempDir()
  const { texts } = await twoStores(dir)
  await using program = await bundleProgram(KILLED)
  await using child = runProgram(program, [dir.path, name, when])

  expect(await child.nextLine()).toBeUndefined()

  const found = await textsOf(dir, 'ring.db')
  expect(found).toEqual(which === 'old' ? ['"present"'] : texts)
  expect((await adopt(dir)).frames).toBe(3)
  expect(await textsOf(dir, 'ring.db')).toEqual(texts)
})
