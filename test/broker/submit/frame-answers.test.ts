import { expect, test } from 'vitest'
import { FrameAnswers } from '../../../src/broker/submit/frame-answers.ts'
import { SubmissionReply } from '../../../src/protocol/http/frame-replies.ts'

const ID = '6f1f2a0e-6d1c-4c58-9b39-0b7d2b9a1c11'

const PLAIN = {
  frame_id: ID,
  event_id: 'abcdef12-41',
  recipient_count: 3,
  queued_count: 2,
  ack: 'process',
} as const satisfies SubmissionReply

/** One answer with each member that only some answers have. */
const ASIDE: Required<Omit<SubmissionReply, keyof typeof PLAIN>> = {
  people_count: 1,
  terminal_count: 2,
  org: { members: 4, reached: 3 },
  remote: { sessions: 1, nodes: ['desk'], away: [], as_of: null },
  duplicate: false,
  near: [{ name: 'one', address: '~alice/cc@s1' }],
  warnings: [{ code: 'x', message: 'y' }],
}

test('an answer says the same to whoever repeats a submission, whatever it says (R-14, ACQ-25)', () => {
  expect(Object.keys({ ...PLAIN, ...ASIDE }).toSorted()).toEqual(
    Object.keys(SubmissionReply.shape).toSorted(),
  )
  const replies = [
    PLAIN,
    ...Object.entries(ASIDE).map((member) => ({ ...PLAIN, ...Object.fromEntries([member]) })),
  ]
  const answers = new FrameAnswers()
  for (const [row, reply] of replies.entries()) answers.put(row, reply)

  expect(replies.map((_, row) => answers.at(row, ID))).toEqual(replies)
})

test('answers of another life of the ring, and of another durability, stay what they were', () => {
  const answers = new FrameAnswers()
  const replies: readonly SubmissionReply[] = [
    PLAIN,
    { ...PLAIN, event_id: 'abcdef13-1' },
    { ...PLAIN, ack: 'memory' },
    PLAIN,
  ]
  for (const [row, reply] of replies.entries()) answers.put(row, reply)

  expect(replies.map((_, row) => answers.at(row, ID))).toEqual(replies)
})

test('a row that is used again has no answer until it is given one', () => {
  const answers = new FrameAnswers()
  answers.put(0, PLAIN)
  answers.put(1, { ...PLAIN, warnings: ASIDE.warnings })
  for (const row of [0, 1]) answers.clear(row)

  expect([answers.at(0, ID), answers.at(1, ID)]).toEqual([undefined, undefined])
})
