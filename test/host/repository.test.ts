/**
 * Finding the repository without git, held against what git itself says (PD-08).
 */
import { chmodSync, mkdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findCheckout, pathWithin, realPath } from '../../src/host/repository.ts'
import { git } from '../support/git.ts'
import { createTempDir, type TempDir } from '../support/temp-dir.ts'

let dir: TempDir
let root: string

beforeAll(async () => {
  dir = await createTempDir()
  root = realpathSync(dir.path)
})

afterAll(() => dir[Symbol.asyncDispose]())

function init(name: string): string {
  const path = join(root, name)
  mkdirSync(join(path, 'src', 'deep'), { recursive: true })
  git(path, 'init', '--quiet', '--initial-branch=main')
  git(path, 'commit', '--quiet', '--allow-empty', '--message=begin')
  return path
}

/** What git says. */
function asked(cwd: string): unknown {
  const branch = git(cwd, 'rev-parse', '--abbrev-ref', 'HEAD')
  return {
    commonDir: realpathSync(git(cwd, 'rev-parse', '--path-format=absolute', '--git-common-dir')),
    worktree: git(cwd, 'rev-parse', '--show-toplevel'),
    gitDir: git(cwd, 'rev-parse', '--path-format=absolute', '--git-dir'),
    branch: branch === 'HEAD' ? undefined : branch,
  }
}

describe('says what git says', () => {
  test('of a repository, from any depth, and of files that are not there yet', async () => {
    const path = init('plain')

    for (const place of [path, join(path, 'src'), join(path, 'src', 'deep')]) {
      expect(await findCheckout(place)).toEqual(asked(place))
    }
    expect(await findCheckout(join(path, 'src', 'new', 'file.ts'))).toEqual(asked(path))
  })

  test('of two worktrees, which share one common directory', async () => {
    const path = init('shared')
    git(path, 'worktree', 'add', '--quiet', '-b', 'topic/one', join(root, 'shared-two'))
    const two = join(root, 'shared-two')

    expect(await findCheckout(two)).toEqual(asked(two))
    expect((await findCheckout(two))?.commonDir).toBe((await findCheckout(path))?.commonDir)
    expect((await findCheckout(two))?.worktree).not.toBe((await findCheckout(path))?.worktree)
    expect((await findCheckout(two))?.branch).toBe('topic/one')
  })

  test('of a submodule, which is a repository of its own', async () => {
    const path = init('outer')
    const inner = init('inner')
    git(path, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner, 'vendor')

    expect(await findCheckout(join(path, 'vendor'))).toEqual(asked(join(path, 'vendor')))
    expect((await findCheckout(join(path, 'vendor')))?.commonDir).not.toBe(
      (await findCheckout(path))?.commonDir,
    )
  })

  test('of a detached head', async () => {
    const path = init('detached')
    git(path, 'checkout', '--quiet', '--detach')

    expect(await findCheckout(path)).toEqual(asked(path))
  })

  test('behind a link', async () => {
    const path = init('linked')
    symlinkSync(path, join(root, 'link'))

    expect(await findCheckout(join(root, 'link', 'src'))).toEqual(asked(path))
  })
})

describe('there is none', () => {
  test('outside of any', async () => {
    mkdirSync(join(root, 'outside'))

    expect(await findCheckout(join(root, 'outside'))).toBeUndefined()
    expect(await findCheckout('/')).toBeUndefined()
    expect(await findCheckout('/nonexistent/a/b')).toBeUndefined()
  })

  test.for([
    ['an empty directory', (path: string) => mkdirSync(join(path, '.git'))],
    ['a file that names nothing', (path: string) => writeFileSync(join(path, '.git'), 'hello')],
    ['a link to nowhere', (path: string) => symlinkSync('/nonexistent', join(path, '.git'))],
  ] as const)('where .git is %s', async ([what, make]) => {
    const path = join(root, what.replaceAll(' ', '-'))
    mkdirSync(path)
    make(path)

    expect(await findCheckout(path)).toBeUndefined()
  })

  test('that can be entered, and it is not an error', async () => {
    const path = init('closed')
    chmodSync(join(path, '.git'), 0)
    try {
      const found = await findCheckout(path)
      // Whoever is not kept out finds what is there.
      expect([undefined, path]).toContain(found?.worktree)
    } finally {
      chmodSync(join(path, '.git'), 0o755)
    }
  })
})

test('a file that names a huge line, or a loop, is read no further than a line may be', async () => {
  const path = join(root, 'huge')
  mkdirSync(path)
  writeFileSync(join(path, '.git'), `gitdir: ${'x'.repeat(1_000_000)}`)
  expect(await findCheckout(path)).toMatchObject({ worktree: path })
  rmSync(join(path, '.git'))
  writeFileSync(join(path, '.git'), 'gitdir: .')
  expect(await findCheckout(path)).toMatchObject({ worktree: path })
})

test("a path counts from its root, and neither climbs out of it nor names what is git's", () => {
  expect(pathWithin('/a', '/a/b/c')).toBe('b/c')
  for (const path of ['/a', '/', '/ab', '/a/../b', '/a/.git', '/a/.git/config', 'b']) {
    expect(pathWithin('/a', path), path).toBeUndefined()
  }
  expect(pathWithin('/a', '/a/.gitignore')).toBe('.gitignore')
  expect(pathWithin('/a', '/a/..b')).toBe('..b')
})

test('every path has a real one', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.string({ maxLength: 8 }).filter((name) => !name.includes('\0')),
        { maxLength: 8 },
      ),
      async (names) => {
        expect((await realPath(`/${names.join('/')}`)).startsWith('/')).toBe(true)
      },
    ),
  )
})
