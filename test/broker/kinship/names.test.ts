/** One name for each, and none for two (docs/http.md §4). */
import { expect, test } from 'vitest'
import { MAX_DEPARTED_NAMES, MAX_NAME_STEMS, Names, type Bearer } from '../../../src/broker/kinship/names.ts'

function bearer(instrument: string, sessionId = 's1', title?: string): Bearer {
  const facts = { tool: 'other', instrument, sessionId, title }
  return { address: `~alice/${instrument}@${sessionId}`, facts, name: '' }
}

/** Has some of them come, in this order. @returns what each is called */
function come(names: Names, ...bearers: readonly Bearer[]): readonly string[] {
  for (const one of bearers) names.give(one)
  return bearers.map(({ name }) => name)
}

test('who would be called the same gets a number, the least that is free', () => {
  const names = new Names()
  const crowd = ['a', 'b', 'c', 'd'].map((id) => bearer('reviewer', id))

  const called = come(names, ...crowd)
  for (const one of crowd.slice(1, 3)) names.leave(one, false)
  const again = come(names, bearer('reviewer', 'e'), bearer('reviewer', 'f'), bearer('reviewer', 'g'))

  expect(called).toEqual(['reviewer', 'reviewer-2', 'reviewer-3', 'reviewer-4'])
  expect(again).toEqual(['reviewer-2', 'reviewer-3', 'reviewer-5'])
})

test('a number that belongs to a title is passed over', () => {
  const names = new Names()

  expect(come(names, bearer('x', 's1', 'API 2'), bearer('x', 's2', 'api'), bearer('x', 's3', 'api'))).toEqual(
    ['api-2', 'api', 'api-3'],
  )
})

test('a thousand of one name are counted through once, and stems beyond the bound from the beginning', () => {
  const names = new Names()
  const many = Array.from({ length: 2_000 }, (_, i) => bearer('cli', `s${i}`))
  come(names, ...many)
  for (let i = 0; i <= MAX_NAME_STEMS; i += 1) come(names, bearer(`i${i}`, 'a'), bearer(`i${i}`, 'b'))

  expect(come(names, bearer('cli', 'last'))).toEqual(['cli-2001'])
  expect(new Set(many.map(({ name }) => name)).size).toBe(2_000)
})

test('who comes back under its address is called as before, unless somebody else is by now', () => {
  const names = new Names()
  const [first, second] = [bearer('x', 's1', 'api'), bearer('x', 's2', 'docs')]
  come(names, first, second)
  names.leave(first, true)
  names.leave(second, true)
  come(names, bearer('x', 's3', 'docs'))

  expect(come(names, bearer('x', 's1', 'another title'), bearer('x', 's2', 'third'))).toEqual([
    'api',
    'third',
  ])
})

test('of those who left so many are remembered and no more, the first one is forgotten first', () => {
  const names = new Names()
  for (let i = 0; i <= MAX_DEPARTED_NAMES; i += 1) names.remember(`~alice/x@s${i}`, `name-${i}`)

  expect(come(names, bearer('x', 's0'), bearer('x', 's1'))).toEqual(['x', 'name-1'])
})

test('an heir is called as its predecessor, who gets another name while it stands', () => {
  const names = new Names()
  const [predecessor, heir] = [bearer('x', 's1', 'api'), bearer('x', 's2', 'docs')]
  come(names, predecessor)

  names.give(heir, predecessor.address, predecessor)

  expect([heir.name, predecessor.name]).toEqual(['api', 'api-2'])
})

test('an heir is called as a predecessor that has left, and by its own name where it had one', () => {
  const names = new Names()
  const [gone, own] = [bearer('x', 's1', 'api'), bearer('x', 's2', 'docs')]
  come(names, gone, own)
  names.leave(gone, true)
  names.leave(own, true)
  const [heir, back] = [bearer('x', 's3', 'new'), bearer('x', 's2', 'new')]

  names.give(heir, gone.address)
  names.give(back, gone.address)

  expect([heir.name, back.name]).toEqual(['api', 'docs'])
})
