/** A session as an earlier version wrote it down (HD-02). */
import { expect, test } from 'vitest'
import { MAX_PREDECESSORS } from '../../src/broker/kinship/predecessors.ts'
import { readSessionRecord } from '../../src/store/session-record.ts'

const FACTS = {
  address: '~alice/cc@own',
  handle: '~alice',
  instrument: 'cc',
  sessionId: 'own',
  tool: 'cc',
  draftedWith: '~cc',
}

test('a list as long as a record may be is cut to the bound, without doubles and without itself (HD-02)', () => {
  const heirOf = Array.from({ length: 60_000 }, (_, i) => `~alice/cc@${['own', 'a', 'b'][i % 3]}`)
  const more = Array.from({ length: 100 }, (_, i) => `~alice/cc@s${i}`)

  const { predecessors } = readSessionRecord(
    JSON.stringify({ facts: FACTS, heirOf: [...heirOf, ...more] }),
    7,
  )

  expect(predecessors).toHaveLength(MAX_PREDECESSORS)
  expect(predecessors.slice(0, 3)).toEqual(
    ['a', 'b', 's0'].map((name) => ({ address: `~alice/cc@${name}`, upToSeq: 7 })),
  )
})

test('what is written today is read as it was written (HD-01)', () => {
  const predecessors = [{ address: '~alice/cc@a', upToSeq: 3 }]

  expect(readSessionRecord(JSON.stringify({ facts: FACTS, predecessors }), 7).predecessors).toEqual(
    predecessors,
  )
})
