/** The answer to a decision as text (W-9): the words of both sides. */
import { describe, expect, test } from 'vitest'
import { formatDecision, readDecision, type Decision } from '../../src/protocol/decision.ts'

const OPTIONS = [{ label: 'Keep it one release' }, { label: 'Drop it\nnow' }]

const ANSWERS: readonly (readonly [string, Decision])[] = [
  [
    'option: Keep it one release',
    { kind: 'option', index: 0, label: 'Keep it one release', note: undefined },
  ],
  [
    'option: Drop it now\nafter noon\nplease',
    { kind: 'option', index: 1, label: 'Drop it\nnow', note: 'after noon\nplease' },
  ],
  ['other: make it a view', { kind: 'other', text: 'make it a view', note: undefined }],
  ['revise: who reads it?', { kind: 'revise', text: 'who reads it?', note: undefined }],
]

test.for(ANSWERS)('%j is written and read alike (W-9)', ([text, decision]) => {
  expect(formatDecision(decision)).toBe(text)
  expect(readDecision(text, OPTIONS)).toEqual(decision)
})

describe('what people write by hand', () => {
  test.for([
    ['  Option:   Keep  it one release  \r\n\r\n', 0],
    ['OPTION: Drop it now', 1],
  ] as const)('%j names an option all the same (W-9)', ([text, index]) => {
    expect(readDecision(text, OPTIONS)).toMatchObject({ kind: 'option', index, note: undefined })
  })

  test.for([
    '',
    'yes',
    'option: neither',
    'option:',
    'other:',
    'revise:  \nbecause',
    'keep it\noption: Drop it now',
  ])('%j is no answer (W-9)', (text) => {
    expect(readDecision(text, OPTIONS)).toBeUndefined()
  })
})
