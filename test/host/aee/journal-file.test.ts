/**
 * A file that lines are only ever added to, on real disks and full ones.
 */
import { spawnSync } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readlinkSync,
  readdirSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { expect, test } from 'vitest'
import { JournalFile } from '../../../src/host/aee/journal-file.ts'
import { HostRefusal } from '../../../src/host/files/refusal.ts'
import { createTempDir, type TempDir } from '../../support/temp-dir.ts'
import { runsOnLinux, hasProgram } from '../../support/needs.ts'
import { bundleProgram } from '../child-program.ts'
import { ownUid } from '../surroundings.ts'

function openJournal(
  dir: TempDir,
  name = 'j.ndjson',
): { journal: JournalFile; path: string; faults: string[] } {
  const faults: string[] = []
  const path = dir.file(name)
  const journal = new JournalFile({ path, uid: ownUid, onFault: (sentence) => void faults.push(sentence) })
  return { journal, path, faults }
}

test('lines are added, counted, and the last one is there at the next opening; the file is private', async () => {
  await using dir = await createTempDir()
  const { journal, path } = openJournal(dir)
  expect([journal.bytes, journal.lastLine]).toEqual([0, undefined])

  journal.append('one\n')
  journal.append('')
  journal.append('zwei ü\nthree\n')

  expect(journal.bytes).toBe(18)
  expect(readFileSync(path, 'utf8')).toBe('one\nzwei ü\nthree\n')
  expect(lstatSync(path).mode & 0o777).toBe(0o600)
  journal.close()
  const again = openJournal(dir)
  expect([again.journal.bytes, again.journal.lastLine]).toEqual([18, 'three'])
  again.journal.close()
})

test.each([
  ['', '', undefined],
  ['torn', '', undefined],
  ['one\n', 'one\n', 'one'],
  ['one\ntorn', 'one\n', 'one'],
  ['one\ntwo\nto', 'one\ntwo\n', 'two'],
  ['\n', '\n', ''],
  ['\ntorn', '\n', ''],
  ['one\n\n', 'one\n\n', ''],
  [`${'x'.repeat(2_000_000)}\ntwo\nt`, `${'x'.repeat(2_000_000)}\ntwo\n`, 'two'],
])(
  'of a file that holds %j every whole line stays, and what was torn goes',
  async (before, after, lastLine) => {
    await using dir = await createTempDir()
    writeFileSync(dir.file('j.ndjson'), before, { mode: 0o600 })

    const { journal, path } = openJournal(dir)

    expect(journal.lastLine).toBe(lastLine)
    expect(journal.bytes).toBe(after.length)
    journal.append('next\n')
    expect(readFileSync(path, 'utf8')).toBe(`${after}next\n`)
    journal.close()
  },
)

test('a torn end longer than any line goes as well: what is added begins a line', async () => {
  await using dir = await createTempDir()
  writeFileSync(dir.file('j.ndjson'), `one\n${'x'.repeat(3_000_000)}`, { mode: 0o600 })

  const { journal, path } = openJournal(dir)
  journal.append('next\n')

  expect(readFileSync(path, 'utf8').split('\n')).toContain('next')
  journal.close()
})

test('set aside, the file keeps its lines under the other name, and the next lines begin a new one', async () => {
  await using dir = await createTempDir()
  const { journal, path, faults } = openJournal(dir)
  writeFileSync(`${path}.1`, 'oldest\n', { mode: 0o600 })
  journal.append('old\n')

  journal.moveTo(`${path}.1`)
  journal.append('new\n')

  expect([readFileSync(`${path}.1`, 'utf8'), readFileSync(path, 'utf8')]).toEqual(['old\n', 'new\n'])
  expect([journal.bytes, lstatSync(path).mode & 0o777, faults]).toEqual([4, 0o600, []])
  journal.close()
})

test('a file that cannot be set aside goes on, and that is told', async () => {
  await using dir = await createTempDir()
  const { journal, path, faults } = openJournal(dir)
  journal.append('old\n')

  journal.moveTo(dir.file('no', 'such', 'folder'))
  journal.append('new\n')

  expect(readFileSync(path, 'utf8')).toBe('old\nnew\n')
  expect(faults).toEqual([expect.stringMatching(/cannot be set aside: .*\.$/)])
  journal.close()
})

const FOREIGN: readonly [string, (path: string) => void][] = [
  ['is a link', (path) => symlinkSync('/dev/null', path)],
  ['is a link to nowhere', (path) => symlinkSync(`${path}.elsewhere`, path)],
  ['is a folder', (path) => mkdirSync(path)],
  [
    'may be read by others',
    (path) => {
      writeFileSync(path, 'x\n')
      chmodSync(path, 0o644)
    },
  ],
  [
    'may be written by a group',
    (path) => {
      writeFileSync(path, 'x\n')
      chmodSync(path, 0o620)
    },
  ],
  ['is a fifo', (path) => void spawnSync('mkfifo', ['-m', '600', path])],
]

test.each(FOREIGN)('a file that %s is refused and left as it is (R-02)', async (_says, make) => {
  await using dir = await createTempDir()
  make(dir.file('j.ndjson'))
  const before = lstatSync(dir.file('j.ndjson'))

  expect(() => openJournal(dir)).toThrow(HostRefusal)
  expect(lstatSync(dir.file('j.ndjson'))).toMatchObject({
    ino: before.ino,
    mode: before.mode,
    size: before.size,
  })
  expect(existsSync(dir.file('j.ndjson.elsewhere'))).toBe(false)
})

test('a file of somebody else is refused (R-02)', async () => {
  await using dir = await createTempDir()
  writeFileSync(dir.file('j.ndjson'), '', { mode: 0o600 })

  expect(() => new JournalFile({ path: dir.file('j.ndjson'), uid: ownUid + 1, onFault() {} })).toThrow(
    HostRefusal,
  )
})

test('a folder that is not there is refused', async () => {
  await using dir = await createTempDir()

  expect(() => openJournal(dir, 'no/j.ndjson')).toThrow(HostRefusal)
})

/** Closes the descriptor behind the journal's back: every write fails from then on. */
function breakFile(path: string): void {
  for (const name of readdirSync('/proc/self/fd')) {
    if (readTarget(name) === path) closeSync(Number(name))
  }
}

function readTarget(name: string): string | undefined {
  try {
    return readlinkSync(`/proc/self/fd/${name}`)
  } catch {
    return undefined
  }
}

test.runIf(runsOnLinux('/proc'))(
  'a disk that refuses costs lines, is told once, and never throws',
  async () => {
    await using dir = await createTempDir()
    const { journal, path, faults } = openJournal(dir)
    journal.append('one\n')
    breakFile(path)

    for (let i = 0; i < 5; i += 1) journal.append('lost\n')

    expect(faults).toEqual([expect.stringMatching(/cannot be written: .*\.$/)])
    expect(readFileSync(path, 'utf8')).toBe('one\n')
    // Its number may be somebody else's by now; it is not closed again.
    closeSync(openSync(path, 'r'))
  },
)

/** Adds lines until the bound on file size refuses, has the bound lifted, and goes on. */
const PROGRAM = `
import { spawnSync } from 'node:child_process'
import { JournalFile } from '#host/aee/journal-file.ts'
const faults: string[] = []
const journal = new JournalFile({ path: process.argv[2] ?? '', uid: process.getuid?.() ?? 0, onFault: (why) => void faults.push(why) })
for (let i = 0; i < 30; i += 1) journal.append('line ' + i + ' ' + 'x'.repeat(90) + '\\n')
const full = journal.bytes
spawnSync('prlimit', ['--pid', String(process.pid), '--fsize=unlimited:unlimited'])
journal.append('after\\n')
console.log(JSON.stringify({ faults, full, bytes: journal.bytes }))
`

test.runIf(hasProgram('prlimit'))(
  'on a full disk no part of a line stays, and with room again the next line is whole',
  async () => {
    await using dir = await createTempDir()
    await using program = await bundleProgram(PROGRAM)
    const path = dir.file('j.ndjson')

    const { stdout, stderr } = spawnSync(
      'prlimit',
      ['--fsize=1500:unlimited', process.execPath, program.path, path],
      { encoding: 'utf8' },
    )

    expect(stderr).toBe('')
    const { faults, full, bytes } = JSON.parse(stdout)
    const lines = readFileSync(path, 'utf8').split('\n')
    expect(lines.at(-1)).toBe('')
    expect(lines.at(-2)).toBe('after')
    expect(lines.slice(0, -2).every((line, i) => line === `line ${i} ${'x'.repeat(90)}`)).toBe(true)
    expect(lines.length).toBeGreaterThan(5)
    expect(faults).toEqual([expect.stringContaining('cannot be written')])
    expect([full <= 1_500, bytes]).toEqual([true, readFileSync(path).length])
  },
)

test('what was there before stays when lines are added by another hand meanwhile', async () => {
  await using dir = await createTempDir()
  const { journal, path } = openJournal(dir)
  journal.append('one\n')
  appendFileSync(path, 'other\n')
  journal.append('two\n')

  expect(readFileSync(path, 'utf8')).toBe('one\nother\ntwo\n')
  journal.close()
})
