import { expect, test } from 'vitest'
import {
  awayWords,
  formatReached,
  formatSentFrame,
  type Addressees,
  type Elsewhere,
} from '../../../src/protocol/verb/sent-line.ts'

const HERE = { recipientCount: 2, queuedCount: 0 }
const NOBODY = { recipientCount: 0, queuedCount: 0 }

function elsewhere(sessions: number, nodes: readonly string[], away: readonly string[] = []): Elsewhere {
  return { sessions, nodes, away }
}

test.each<[string, Addressees, string]>([
  ['without a link', { ...HERE }, ' to 2 sessions'],
  ['nobody elsewhere', { ...HERE, remote: elsewhere(0, []) }, ' to 2 sessions'],
  ['on one node', { ...HERE, remote: elsewhere(1, ['devbox']) }, ' to 2 sessions here, 1 on devbox'],
  [
    'on two, and one is away',
    { ...HERE, remote: elsewhere(3, ['devbox', 'tower'], ['ci']) },
    ' to 2 sessions here, 3 on devbox and tower; ci is away',
  ],
  [
    'one of them the person, one waiting',
    { recipientCount: 1, queuedCount: 1, peopleCount: 1, remote: elsewhere(1, ['devbox']) },
    ' to 1 agent and you here (1 waiting in a mailbox), 1 on devbox',
  ],
  ['only elsewhere', { ...NOBODY, remote: elsewhere(1, ['devbox']) }, ' to 1 session on devbox'],
  [
    'nobody anywhere',
    { ...NOBODY, remote: elsewhere(0, [], ['ci', 'tower']) },
    '; nobody is listening just now; ci and tower are away',
  ],
  [
    'nobody who is known, and two do not say',
    { ...NOBODY, remote: { ...elsewhere(0, [], ['ci']), untold: ['devbox', 'tower'] } },
    '; nobody here is listening just now; devbox and tower do not say who is there; ci is away',
  ],
])('a count says what is here and what is on which node: %s (FED-50)', (_name, sent, words) => {
  expect(formatReached(sent)).toBe(words)
})

test('nobody who is away is a sentence without an end of its own (FED-50)', () => {
  expect(awayWords([])).toBe('')
  expect(awayWords(['ci', 'devbox', 'tower'])).toBe('; ci, devbox and tower are away')
})

test('a handover that another node is given is not said to be kept for the next session here (FED-50)', () => {
  const sent = { kind: 'agent_handover', ...NOBODY, near: [], warnings: [], newLease: undefined }

  expect(formatSentFrame(sent)).toContain('kept')
  expect(formatSentFrame({ ...sent, remote: elsewhere(1, ['devbox']) })).toBe(
    'sent agent_handover to 1 session on devbox\n',
  )
})

test('a handover that may be heard where nobody says who is there is shown here unless it was taken over there (FED-50, OP-25)', () => {
  const sent = { kind: 'agent_handover', ...NOBODY, near: [], warnings: [], newLease: undefined }
  const remote = { ...elsewhere(0, [], ['ci']), untold: ['devbox'] }

  expect(formatSentFrame({ ...sent, remote })).toBe(
    'sent agent_handover, kept; the next session that starts here is shown it, unless one on devbox or ci has taken it over\n',
  )
  expect(formatSentFrame({ ...sent, remote: elsewhere(0, []) })).toBe(
    'sent agent_handover, kept; the next session that starts here is shown it\n',
  )
})

test('a lock says which nodes have not been told of it, and no other frame does (FED-66)', () => {
  const sent = {
    ...HERE,
    near: [],
    warnings: [],
    newLease: undefined,
    remote: elsewhere(0, [], ['ci', 'tower']),
  }
  const sentence = 'to 2 sessions; ci and tower are away\n'

  expect(formatSentFrame({ ...sent, kind: 'agent_lock_request', newLease: 'l1' })).toBe(
    `sent agent_lock_request ${sentence}lease l1\nnot told yet: ci and tower\n`,
  )
  expect(formatSentFrame({ ...sent, kind: 'agent_advisory' })).toBe(`sent agent_advisory ${sentence}`)
})
