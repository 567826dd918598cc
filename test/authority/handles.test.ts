/**
 * Declared handles and their tiers (memo §§1, 2; ACQ-11, ACQ-13).
 */
import { expect, test } from 'vitest'
import { Handles, MAX_DECLARED_HANDLES, formatHandles, readHandles } from '../../src/authority/handles.ts'
import { AgentdError } from '../../src/core/errors.ts'
import { orRefusal } from '../../src/core/thrown.ts'

const WORK = { handle: '~alice-work', tier: 'sovereign' } as const
const OPUS = { handle: '~cc-opus', tier: 'instrument', of: '~alice-work' } as const

test('without a declaration there is the principal alone, and nothing is said of others (ACQ-11)', () => {
  const handles = new Handles('~alice')

  expect(handles.sovereign).toEqual(['~alice'])
  expect(handles.tierOf('~alice')).toBe('sovereign')
  expect(handles.tierOf('~cc-opus')).toBeUndefined()
  expect(handles.actorOf('~cc-opus')).toBe('~alice')
})

test('tiers are as declared, however a handle begins (ACQ-11)', () => {
  const handles = new Handles('~claude-dupont', [WORK, OPUS, { handle: '~robot', tier: 'instrument' }])

  expect(handles.sovereign).toEqual(['~claude-dupont', '~alice-work'])
  expect(['~claude-dupont', '~robot', '~cc-opus'].map((one) => handles.tierOf(one))).toEqual([
    'sovereign',
    'instrument',
    'instrument',
  ])
  expect(['~alice-work', '~robot', '~cc-opus'].map((one) => handles.actorOf(one))).toEqual([
    '~alice-work',
    '~claude-dupont',
    '~alice-work',
  ])
})

test('what is written down is read again', () => {
  const handles = new Handles('~alice', [WORK, OPUS])

  expect(readHandles('~alice', formatHandles(handles)).declared).toEqual([WORK, OPUS])
})

test.each([
  ['no JSON', '{', 'handles'],
  ['no list', '{"handles": {}}', 'handles'],
  ['the pronoun', '{"handles": [{"handle": "~org", "tier": "sovereign"}]}', 'handles[0].handle'],
  ['a third tier', '{"handles": [{"handle": "~a", "tier": "bot"}]}', 'handles[0].tier'],
  ['the principal', '{"handles": [{"handle": "~alice", "tier": "instrument"}]}', 'handles[0].handle'],
  [
    'a handle twice',
    '{"handles": [{"handle": "~a", "tier": "sovereign"}, {"handle": "~a", "tier": "sovereign"}]}',
    'handles[1].handle',
  ],
  [
    'a person of somebody',
    '{"handles": [{"handle": "~a", "tier": "sovereign", "of": "~alice"}]}',
    'handles[0].of',
  ],
  [
    'an instrument of nobody',
    '{"handles": [{"handle": "~a", "tier": "instrument", "of": "~b"}]}',
    'handles[0].of',
  ],
  ['more in a row', '{"handles": [{"handle": "~a", "tier": "sovereign", "key": 1}]}', 'handles[0]'],
])('%s is refused, and the member is named', (_, text, field) => {
  const found = orRefusal(() => readHandles('~alice', text))

  expect(found).toBeInstanceOf(AgentdError)
  expect(found).toMatchObject({ field })
})

test('as many handles as there may be are read, and one more is refused', () => {
  const rows = Array.from({ length: MAX_DECLARED_HANDLES }, (_, i) => ({
    handle: `~h${i}`,
    tier: 'sovereign',
  }))
  const more = [...rows, { handle: '~one-more', tier: 'sovereign' }]

  expect(readHandles('~alice', JSON.stringify({ handles: rows })).sovereign).toHaveLength(
    MAX_DECLARED_HANDLES + 1,
  )
  expect(orRefusal(() => readHandles('~alice', JSON.stringify({ handles: more })))).toMatchObject({
    field: 'handles',
  })
})
