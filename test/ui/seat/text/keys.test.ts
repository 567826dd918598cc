import { expect, test } from 'vitest'
import { helpLines, KEYS, readKey, speakKey } from '../../../../src/ui/seat/text/keys.ts'

const actionOf = (...[pressed, pending, place]: Parameters<typeof readKey>): string | undefined =>
  readKey(pressed, pending, place).row?.action

test('g waits for the key behind it, and alone does nothing (SEAT-30)', () => {
  expect(readKey('g', undefined, 'list')).toEqual({ row: undefined, pending: 'g' })
  expect(actionOf('n', 'g', 'list')).toBe('now')
  expect(actionOf('p', 'g', 'list')).toBe('passing')
})

test('a key that does not fit behind g is read for itself, and nothing waits any more (SEAT-30)', () => {
  expect(readKey('s', 'g', 'list')).toMatchObject({ row: { action: 'send' }, pending: undefined })
  expect(readKey('x', 'g', 'list')).toEqual({ row: undefined, pending: undefined })
})

test('options and verdicts are keys only where there is something to choose (SEAT-30)', () => {
  expect(actionOf('1', undefined, 'decision')).toBe('option-1')
  expect(actionOf('1', undefined, 'list')).toBeUndefined()
  expect(actionOf('y', undefined, 'approval')).toBe('approve')
  expect(actionOf('y', undefined, 'decision')).toBeUndefined()
  expect(actionOf('n', undefined, 'approval')).toBe('reject')
})

test('in a field only Escape is ours of them (SEAT-30)', () => {
  const taken = KEYS.flatMap(({ keys }) => keys).filter(
    (key) =>
      readKey(key.split(' ').at(-1) ?? '', key.includes(' ') ? 'g' : undefined, 'field').row !== undefined,
  )

  expect(taken).toEqual(['Escape'])
})

test('choosing an option and giving a verdict take a second key, and nothing else does (SEAT-30)', () => {
  const confirmed = KEYS.filter(({ says }) => says.endsWith(', then Enter')).map(({ action }) => action)

  expect(confirmed).toEqual(['option-1', 'option-2', 'option-3', 'option-4', 'approve', 'reject'])
})

test('no key means two things in one place (SEAT-30)', () => {
  for (const place of ['list', 'decision', 'approval', 'field'] as const) {
    const keys = KEYS.filter(({ places }) => places.includes(place)).flatMap(({ keys }) => keys)

    expect(new Set(keys).size, place).toBe(keys.length)
  }
})

test('the help is the table, each key once (SEAT-30)', () => {
  const told = helpLines().flatMap(({ keys }) => keys.split('  '))

  expect(told).toEqual(expect.arrayContaining(KEYS.flatMap(({ keys }) => keys.map(speakKey))))
  expect(told).toHaveLength(KEYS.flatMap(({ keys }) => keys).length)
  expect(helpLines().find(({ says }) => says === 'choose')?.keys).toBe('↑  k  ↓  j')
})
