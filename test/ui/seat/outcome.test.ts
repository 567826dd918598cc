import { expect, test } from 'vitest'
import { outcomeWords } from '../../../src/ui/seat/outcome.ts'

test('an outcome is told in words and numbers, a refusal with its reason, and silence as silence (SEAT-23, SEAT-19)', () => {
  const body = { recipient_count: 2, queued_count: 1 }

  expect(outcomeWords({ kind: 'done', body, version: '1' })).toBe(
    'Sent to 3 sessions (1 waiting in a mailbox).',
  )
  expect(outcomeWords({ kind: 'done', body: { ...body, people_count: 1 }, version: '1' })).toContain(
    '2 agents and you',
  )
  expect(outcomeWords({ kind: 'refused', code: 'frame-too-large', message: 'It is too large.' })).toContain(
    'It is too large.',
  )
  expect(outcomeWords({ kind: 'unanswered' })).toContain('it may have been sent')
})
