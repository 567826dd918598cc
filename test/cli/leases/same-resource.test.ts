/** Whether two announcements are about the same. */
import { expect, test } from 'vitest'
import { whereSame, type NamedResource } from '../../../src/cli/leases/same-resource.ts'

const HERE: NamedResource = {
  plain: 'a.ts',
  absolute: '/repo/src/a.ts',
  path: 'src/a.ts',
  worktree: '/repo',
  repository: '/repo/.git',
}

const at = (resource: string, place: Partial<Parameters<typeof whereSame>[0]> = {}) =>
  whereSame(
    { resource, path: resource, worktree: undefined, repository: undefined, node: undefined, ...place },
    HERE,
  )

test('a file is the same by where it is, however it was named', () => {
  expect(at('/repo/src/a.ts')).toBe('here')
  expect(at('src/a.ts', { worktree: '/repo', repository: '/repo/.git' })).toBe('here')
  expect(at('src/a.ts', { worktree: '/other', repository: '/repo/.git' })).toBe('other-worktree')
})

test('the same name is another file in another folder or another repository', () => {
  expect(at('a.ts', { worktree: '/repo', repository: '/repo/.git' })).toBeUndefined()
  expect(at('src/a.ts', { worktree: '/b', repository: '/b/.git' })).toBeUndefined()
  expect(at('src/a.ts')).toBeUndefined()
})

test('a name of which it was not said where it is may be the same, and a plain one wherever it is', () => {
  expect(at('./a.ts')).toBe('unknown')
  expect(at('a.ts', { worktree: '/b', repository: '/b/.git' })).toBe('other-repository')
})

test('on another machine it is the same by its name or its path, and never here (FED-67)', () => {
  expect(at('src/a.ts', { node: 'devbox' })).toBe('other-machine')
  expect(at('/repo/src/a.ts', { node: 'devbox' })).toBeUndefined()
})
