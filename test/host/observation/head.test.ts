/** What is checked out and how it came to be, held against what git says of the same repository (OB-01, OB-03). */
import { appendFileSync, mkdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  MAX_HEAD_LOG_BYTES,
  MAX_PACKED_REFS_BYTES,
  readHead,
  readHeadMoves,
} from '../../../src/host/observation/head.ts'
import { git } from '../../support/git.ts'
import { createTempDir, type TempDir } from '../../support/temp-dir.ts'

let dir: TempDir

beforeAll(async () => {
  dir = await createTempDir()
})

afterAll(() => dir[Symbol.asyncDispose]())

let count = 0

function init(): { path: string; gitDir: string; commonDir: string } {
  const path = join(realpathSync(dir.path), `r${(count += 1)}`)
  mkdirSync(path)
  git(path, 'init', '--quiet', '--initial-branch=main')
  const gitDir = join(path, '.git')
  return { path, gitDir, commonDir: gitDir }
}

describe('what git says', () => {
  test('of a branch without a commit, with one, and packed (OB-01)', async () => {
    const place = init()
    const unborn = await readHead(place)
    git(place.path, 'commit', '--quiet', '--allow-empty', '--message=begin')
    const loose = await readHead(place)
    git(place.path, 'pack-refs', '--all')
    const packed = await readHead(place)

    const commit = git(place.path, 'rev-parse', 'HEAD')
    expect(unborn).toEqual({ found: { branch: 'main', commit: undefined, moved: undefined }, unseen: [] })
    expect(loose.found).toMatchObject({
      branch: 'main',
      commit,
      moved: { to: commit, what: 'commit (initial): begin' },
    })
    expect(packed).toEqual(loose)
  })

  test('of a detached head, and when it came to be (OB-01)', async () => {
    const place = init()
    git(place.path, 'commit', '--quiet', '--allow-empty', '--message=begin')
    git(place.path, 'checkout', '--quiet', '--detach')

    const { found } = await readHead(place)

    const seconds = git(place.path, 'log', '-g', '-1', '--format=%gd', '--date=unix')
    expect(found).toMatchObject({ branch: undefined, commit: git(place.path, 'rev-parse', 'HEAD') })
    expect(seconds).toBe(`HEAD@{${(found.moved?.atMs ?? 0) / 1_000}}`)
  })
})

describe('what cannot be read is named (OB-03)', () => {
  test('a FIFO in the place of HEAD, a folder in that of its log', async () => {
    const { path, gitDir, commonDir } = init()
    git(path, 'commit', '--quiet', '--allow-empty', '--message=begin')
    rmSync(join(gitDir, 'HEAD'))
    execFileSync('mkfifo', [join(gitDir, 'HEAD')])
    rmSync(join(gitDir, 'logs', 'HEAD'))
    mkdirSync(join(gitDir, 'logs', 'HEAD'))

    const { found, unseen } = await readHead({ gitDir, commonDir })

    expect(found).toEqual({ branch: undefined, commit: undefined, moved: undefined })
    expect(unseen).toEqual([
      { what: join(gitDir, 'HEAD'), why: 'is a FIFO' },
      { what: join(gitDir, 'logs', 'HEAD'), why: 'is a folder' },
    ])
  })

  test('packed refs beyond their bound, and refs in another form', async () => {
    const place = init()
    const line = `${'0'.repeat(40)} refs/tags/${'x'.repeat(200)}\n`
    writeFileSync(
      join(place.gitDir, 'packed-refs'),
      line.repeat(Math.ceil(MAX_PACKED_REFS_BYTES / line.length) + 1),
    )
    const packed = await readHead(place)
    writeFileSync(join(place.gitDir, 'HEAD'), 'ref: refs/heads/.invalid\n')
    const other = await readHead(place)

    expect(packed.unseen[0]?.why).toBe(`is looked at up to ${MAX_PACKED_REFS_BYTES} octets`)
    expect(other.unseen[0]?.what).toBe(join(place.commonDir, 'reftable'))
  })
})

test('of a long log the end is read, and of that whole lines; from a place on, what follows (OB-03)', async () => {
  const { path, gitDir } = init()
  git(path, 'commit', '--quiet', '--allow-empty', '--message=begin')
  const log = join(gitDir, 'logs', 'HEAD')
  const ids = '1'.repeat(40)
  const line = (i: number): string =>
    `${ids} ${'2'.repeat(40)} a <a@b> ${1_700_000_000 + i} +0000\tcommit: ${i}\n`
  appendFileSync(log, Array.from({ length: 400 }, (_, i) => line(i)).join(''))
  const size = Buffer.byteLength(line(0)) * 3

  const all = await readHeadMoves(gitDir)
  appendFileSync(log, line(400) + line(401))
  const since = await readHeadMoves(gitDir, (await readSize(log)) - Buffer.byteLength(line(400) + line(401)))

  expect(all.found.at(-1)).toMatchObject({ what: 'commit: 399', atMs: 1_700_000_399_000 })
  expect(all.found.length).toBeLessThan(MAX_HEAD_LOG_BYTES / (size / 3) + 1)
  expect(all.found.every(({ from }) => from === ids)).toBe(true)
  expect(since.found.map(({ what }) => what)).toEqual(['commit: 400', 'commit: 401'])
})

async function readSize(path: string): Promise<number> {
  const { stat } = await import('node:fs/promises')
  return (await stat(path)).size
}
