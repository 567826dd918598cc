import { expect, test } from 'vitest'
import { forgetFailedWords } from '../../../../src/ui/seat/outcome.ts'
import {
  countPath,
  forgetChoices,
  forgetPath,
  forgetWords,
  readForgettable,
} from '../../../../src/ui/seat/passing/forgetting.ts'

const frame = { frame: { kind: 'agent_binding_moment' } }
const envelope = { envelope: { corr: 'nightly & more' } }

test.for([
  [{}, ['this item', 'this item and all before it']],
  [frame, ['this item', 'every binding moment', 'this item and all before it']],
  [envelope, ['this item', 'every envelope of its thread', 'this item and all before it']],
] as const)('of %j can be forgotten %j (W-8)', ([item, says]) => {
  expect(forgetChoices('e1-7', item).map((choice) => choice.says)).toEqual(says)
})

test('what is counted is what is forgotten, up to where it was counted (SEAT-23)', () => {
  const paths = forgetChoices('e1-7', { ...frame, ...envelope }).map((choice) => [
    countPath(choice),
    forgetPath(readForgettable(choice, { would_forget: 3, up_to: 'e1-9' })),
  ])

  expect(paths).toEqual([
    ['/v1/frames?event_id=e1-7&dry_run=true', '/v1/frames?event_id=e1-7&up_to=e1-9'],
    ['/v1/frames?corr=nightly+%26+more&dry_run=true', '/v1/frames?corr=nightly+%26+more&up_to=e1-9'],
    ['/v1/frames?kind=agent_binding_moment&dry_run=true', '/v1/frames?kind=agent_binding_moment&up_to=e1-9'],
    ['/v1/frames?up_to=e1-7&dry_run=true', '/v1/frames?up_to=e1-9'],
  ])
})

test('before it is done it says what and how much, and why it was not done (SEAT-23)', () => {
  const [choice = { says: '', query: {} }] = forgetChoices('e1-7', {})

  expect(forgetWords(readForgettable(choice, { would_forget: 1, up_to: null }))).toBe(
    'forget 1 item for good (this item)',
  )
  expect(forgetPath(readForgettable(choice, {}))).toBe('/v1/frames?event_id=e1-7')
  expect(forgetFailedWords({ kind: 'refused', code: 'busy', message: 'Later.' })).toBe(
    'Not forgotten. Later.',
  )
  expect(forgetFailedWords({ kind: 'unanswered' })).toContain('may or may not have been forgotten')
})
