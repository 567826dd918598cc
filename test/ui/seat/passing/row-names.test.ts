import { expect, test } from 'vitest'
import { readSession } from '../../../../src/ui/seat/here/session.ts'
import { namesOf } from '../../../../src/ui/seat/passing/row-names.ts'
import { session } from '../../support/wire.ts'

const named = readSession(session('~alice/cc@s1', { name: 'api-refactor' }))
const sessions = new Map(named === undefined ? [] : [[named.address, named]])

test.each([
  [
    { from: '~alice/cc@s1', to: '~alice/*' },
    { from: 'api-refactor', to: 'all' },
  ],
  [
    { from: '~alice/cc@s1', to: '~alice' },
    { from: 'api-refactor', to: 'all' },
  ],
  [
    { from: '~alice/human@p1', to: '~alice/cc@s1' },
    { from: 'you', to: 'api-refactor' },
  ],
  [
    { from: '~alice', to: '~alice/gone@s2' },
    { from: 'you', to: 'gone@s2' },
  ],
  [
    { from: 'agent.auditor', to: 'human.alice' },
    { from: 'agent.auditor', to: 'you' },
  ],
])('%o is told by what people call its two ends (SEAT-20)', (row, names) => {
  expect(namesOf(row, '~alice', sessions)).toEqual(names)
})
