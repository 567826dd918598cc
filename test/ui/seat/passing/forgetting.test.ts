import { expect, test } from 'vitest'
import { forgetFailedWords } from '../../../../src/ui/seat/outcome.ts'
import {
  countPath,
  forgetChoices,
  forgetPath,
  forgetWords,
  isForgotten,
  readForgettable,
} from '../../../../src/ui/seat/passing/forgetting.ts'

const row = {
  place: 0,
  eventId: 'e1-7',
  atMs: 0,
  from: '~alice/cc@s1',
  to: '~alice',
  kind: 'query',
  text: 'Who?',
  recipients: 0,
  queued: 0,
  thread: 'q1',
  isLate: false,
  gap: undefined,
}

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

test.for([
  [{ event_id: 'e1-7' }, true],
  [{ event_id: 'e1-7', up_to: 'e1-6' }, false],
  [{ event_id: 'e1-8' }, false],
  [{ kind: 'agent_query', up_to: 'e1-9' }, true],
  [{ kind: 'agent_advisory', up_to: 'e1-9' }, false],
  [{ up_to: 'e1-7' }, true],
  // A question and a workflow may have one name; frames are of no workflow.
  [{ corr: 'q1' }, false],
] as const)('by %j a row of a question is forgotten: %s (W-8, SEAT-23)', ([criteria, isGone]) => {
  expect(isForgotten(row, criteria)).toBe(isGone)
})

test('an envelope goes with its workflow, and a line that says what is missing never does (W-8, SEAT-19)', () => {
  expect(isForgotten({ ...row, kind: 'task' }, { corr: 'q1' })).toBe(true)
  expect(isForgotten({ ...row, eventId: '', gap: '3 missed' }, { up_to: 'e1-9' })).toBe(false)
})
