/** Repositories of every shape, held against what git says of them, and what is no repository (OB-01, OB-03). */
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findGitFolders } from '../../../src/host/observation/git-folders.ts'
import { listWorktrees, MAX_WORKTREES } from '../../../src/host/observation/worktrees.ts'
import { git } from '../../support/git.ts'
import { isSo } from '../../support/needs.ts'
import { createTempDir, type TempDir } from '../../support/temp-dir.ts'

let dir: TempDir
let root: string

beforeAll(async () => {
  dir = await createTempDir()
  root = realpathSync(dir.path)
})

afterAll(() => dir[Symbol.asyncDispose]())

function init(name: string, ...args: readonly string[]): string {
  const path = join(root, name)
  mkdirSync(path)
  git(path, 'init', '--quiet', '--initial-branch=main', ...args)
  if (!args.includes('--bare')) git(path, 'commit', '--quiet', '--allow-empty', '--message=begin')
  return path
}

async function look(path: string) {
  const { found: folders, unseen } = await findGitFolders(path)
  if (folders === undefined) return { folders, worktrees: [], unseen }
  const { found, unseen: more } = await listWorktrees(folders)
  return { folders, worktrees: found, unseen: [...unseen, ...more] }
}

describe('what git says', () => {
  test('of linked worktrees, one detached, one locked, one gone (OB-01)', async () => {
    const path = init('main')
    for (const name of ['fix', 'old']) git(path, 'worktree', 'add', '--quiet', join(root, name))
    git(path, 'worktree', 'add', '--quiet', '--detach', join(root, 'loose'))
    git(path, 'worktree', 'lock', '--reason', 'on a stick', join(root, 'fix'))
    rmSync(join(root, 'old'), { recursive: true })

    const { worktrees, unseen } = await look(join(root, 'fix'))

    const listed = git(path, 'worktree', 'list', '--porcelain')
    expect(new Set(worktrees.map((one) => one.path))).toEqual(
      new Set([...listed.matchAll(/^worktree (.+)$/gm)].map(([, name]) => name)),
    )
    expect(worktrees.find((one) => one.path === join(root, 'fix'))).toMatchObject({
      branch: 'fix',
      locked: 'on a stick',
    })
    expect(worktrees.find((one) => one.path === join(root, 'loose'))?.branch).toBeUndefined()
    expect(worktrees.filter(({ isGone }) => isGone).map((one) => one.path)).toEqual([join(root, 'old')])
    expect(unseen).toEqual([])
  })

  test('of a bare repository, from within it and from a worktree of it (OB-01)', async () => {
    const path = init('seed')
    git(root, 'clone', '--quiet', '--bare', path, 'bare.git')
    const bare = join(root, 'bare.git')
    git(bare, 'worktree', 'add', '--quiet', join(root, 'of-bare'), 'main')

    const within = await look(join(bare, 'refs'))
    const beside = await look(join(root, 'of-bare'))

    expect(within.folders).toEqual({ commonDir: bare, gitDir: bare, worktree: undefined })
    expect(within.worktrees).toMatchObject([
      { isBare: true, path: undefined },
      { path: join(root, 'of-bare'), branch: 'main' },
    ])
    expect(beside.worktrees).toEqual(within.worktrees)
  })

  test('of a submodule, whose folder of git is elsewhere (OB-01)', async () => {
    const inner = init('inner')
    const outer = init('outer')
    git(outer, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner, 'part')

    const { folders, worktrees } = await look(join(outer, 'part'))

    expect(folders?.commonDir).toBe(join(outer, '.git', 'modules', 'part'))
    expect(worktrees).toMatchObject([{ path: join(outer, 'part'), branch: 'main', isBare: false }])
  })

  test('of an index that is locked: since when, and whose it is (OB-01)', async () => {
    const path = init('locked')
    const beforeMs = Date.now()
    writeFileSync(join(path, '.git', 'index.lock'), '')

    const [worktree] = (await look(path)).worktrees

    expect(worktree?.indexLock).toMatchObject({
      path: join(path, '.git', 'index.lock'),
      uid: process.getuid?.(),
    })
    expect(Math.abs((worktree?.indexLock?.sinceMs ?? 0) - beforeMs)).toBeLessThan(60_000)
  })
})

describe('what is odd is named, and everything else is shown (OB-03)', () => {
  test.each([
    ['a FIFO', (path: string) => execFileSync('mkfifo', [join(path, '.git')]), 'is a FIFO'],
    [
      'a link',
      (path: string) => symlinkSync('/nowhere', join(path, '.git')),
      'is a link, which is not followed',
    ],
    ['an empty folder', (path: string) => mkdirSync(join(path, '.git')), 'has no HEAD'],
    [
      'a file that names nothing',
      (path: string) => writeFileSync(join(path, '.git'), 'hello\n'),
      'names no folder of git',
    ],
  ])('%s in the place of .git', async (what, make, why) => {
    const path = join(root, `odd ${what}`)
    mkdirSync(path)
    make(path)

    expect(await look(path)).toMatchObject({
      folders: undefined,
      unseen: [{ what: join(path, '.git'), why }],
    })
  })

  const obeysModes = isSo(process.getuid?.() !== 0, 'root may read everything')
  test.runIf(obeysModes)('a folder that may not be read, in the place of the worktrees', async () => {
    const path = init('closed')
    mkdirSync(join(path, '.git', 'worktrees'), { mode: 0o000 })

    const { worktrees, unseen } = await look(path)

    chmodSync(join(path, '.git', 'worktrees'), 0o700)
    expect(worktrees).toHaveLength(1)
    expect(unseen).toEqual([{ what: join(path, '.git', 'worktrees'), why: 'may not be read by you' }])
  })

  test('a worktree whose files do not say where it is', async () => {
    const path = init('lost')
    mkdirSync(join(path, '.git', 'worktrees', 'x'), { recursive: true })

    const { worktrees, unseen } = await look(path)

    expect(worktrees).toHaveLength(2)
    expect(unseen.map(({ what }) => what)).toEqual(
      ['gitdir', 'HEAD'].map((name) => join(path, '.git', 'worktrees', 'x', name)),
    )
  })

  test('more worktrees than are looked at', async () => {
    const path = init('crowded')
    for (let i = 0; i <= MAX_WORKTREES; i += 1)
      mkdirSync(join(path, '.git', 'worktrees', `w${i}`), { recursive: true })

    const { worktrees, unseen } = await look(path)

    expect(worktrees).toHaveLength(MAX_WORKTREES + 1)
    expect(unseen[0]).toEqual({
      what: join(path, '.git', 'worktrees'),
      why: `is looked at up to ${MAX_WORKTREES} worktrees`,
    })
  })
})
