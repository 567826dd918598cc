import { expect, test } from 'vitest'
import { inOrder } from '../../../../src/protocol/need-order.ts'
import { readNeed } from '../../../../src/ui/seat/needs/need.ts'
import { settleOrder } from '../../../../src/ui/seat/needs/settle-order.ts'
import { iso, need, NOON_MS } from '../../support/wire.ts'

const needOf = (id: string, more: Parameters<typeof need>[1] = {}) => {
  const found = readNeed(need(id, more))
  if (found === undefined) throw new Error(`${id} was not read`)
  return found
}

const left = (ms: number): { until: string } => ({ until: iso(NOON_MS + ms) })
const asked = (ms: number): { asked_at: string } => ({ asked_at: iso(NOON_MS - ms) })

test('a need is read from the wire, and what is null there is not there (W-3)', () => {
  const found = readNeed(need('q1', { until: null, frame: { frame_id: 'f1' } }))

  expect(found).toEqual({
    needId: 'q1',
    type: 'question',
    addressed: 'you',
    eventId: 'e1-1',
    askedAtMs: NOON_MS - 60_000,
    untilMs: undefined,
    state: 'open',
    closedBy: undefined,
    from: {
      address: '~alice/cc@s1',
      name: undefined,
      title: 'api',
      repository: '/r/.git',
      branch: 'main',
      isPresent: true,
    },
    text: 'May I?',
    message: { frame_id: 'f1' },
  })
})

test('a need of a type that is not known, or without an id, is passed over (W-3)', () => {
  expect(readNeed(need('q1', { type: 'wish' }))).toBeUndefined()
  expect(readNeed(need(''))).toBeUndefined()
  expect(readNeed('q1')).toBeUndefined()
})

test('who asks by an envelope and holds no session is called by its entity (W-3)', () => {
  const { from } = needOf('t1', {
    type: 'approval',
    from: { address: null, present: false },
    envelope: { from: 'agent.auditor' },
  })

  expect(from).toMatchObject({ address: 'agent.auditor', isPresent: false })
})

test('you stands before anyone, then what ends within five minutes, soonest first, then the oldest (SEAT-09)', () => {
  const needs = [
    needOf('anyone-soon', { addressed: 'anyone', ...left(10_000) }),
    needOf('old', { ...asked(900_000), ...left(900_000) }),
    needOf('young', { ...asked(1_000), until: null }),
    needOf('soon', { ...asked(1_000), ...left(299_999) }),
    needOf('not-so-soon', { ...asked(2_000), ...left(300_000) }),
    needOf('sooner', { ...asked(1_000), ...left(1_000) }),
    needOf('late', { ...asked(950_000), ...left(-1_000), state: 'late' }),
  ]

  const order = inOrder(needs, NOON_MS).map(({ needId }) => needId)

  expect(order).toEqual(['sooner', 'soon', 'late', 'old', 'not-so-soon', 'young', 'anyone-soon'])
})

test('cards stay where they are while somebody is at one, and new ones come below (SEAT-22)', () => {
  const [first, second, urgent] = [
    needOf('first', asked(3_000)),
    needOf('second', asked(2_000)),
    needOf('urgent', left(1_000)),
  ]
  const ordered = inOrder([first, second, urgent], NOON_MS)

  const settle = (isHeld: boolean) =>
    settleOrder({ shown: ['first', 'gone', 'second'], ordered, nameOf: ({ needId }) => needId, isHeld })
  const held = settle(true).map(({ needId }) => needId)
  const free = settle(false).map(({ needId }) => needId)

  expect(held).toEqual(['first', 'second', 'urgent'])
  expect(free).toEqual(['urgent', 'first', 'second'])
})
