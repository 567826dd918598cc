/** Workflows as the seat has them: the list, one of them as a view, and its sequence (W-5, SEAT-25). */
import { expect, test } from 'vitest'
import { MAX_SHOWN_HOPS, showThread } from '../../../../src/ui/seat/threads/show-thread.ts'
import {
  hasOlderThreads,
  readThreadList,
  threadLineWords,
  threadListPath,
} from '../../../../src/ui/seat/threads/thread-list.ts'
import { isThreadView, threadPath } from '../../../../src/ui/seat/threads/thread-view.ts'
import { threadAt, threadItem } from '../../../support/thread-items.ts'
import { NOON_MS, iso } from '../../support/wire.ts'

const BACK = { from: 'agent.doer', to: 'agent.asker' }

test('a list is read member by member, and what has no name is left out (W-5)', () => {
  const item = { corr: 'nightly', last_at: iso(NOON_MS), envelopes: 6, open_tasks: 1, intent: 'ops.check' }

  const lines = readThreadList({
    items: [{ ...item, participants: ['agent.a'] }, {}, null, { corr: 'bare' }],
  })

  expect(lines).toEqual([
    {
      corr: 'nightly',
      intent: 'ops.check',
      participants: ['agent.a'],
      lastAtMs: NOON_MS,
      envelopes: 6,
      openTasks: 1,
    },
    { corr: 'bare', intent: '', participants: [], lastAtMs: 0, envelopes: 0, openTasks: 0 },
  ])
  expect(lines.map((line) => threadLineWords(line, NOON_MS + 120_000)).at(0)).toBe(
    '6 envelopes · 1 task open · 2m',
  )
  expect([hasOlderThreads({ next: 'e1-4' }), hasOlderThreads({ next: null })]).toEqual([true, false])
  expect([threadListPath(50, false), threadListPath(100, true)]).toEqual([
    '/v1/threads?limit=50',
    '/v1/threads?limit=100&open=true',
  ])
  expect(threadPath('a&b=c')).toBe('/thread?corr=a%26b%3Dc')
  expect(threadPath('\ud800')).toBe('/thread?corr=%EF%BF%BD')
})

test('a view has each envelope in its place, ours and theirs apart, and comes through as it was sent on (SEAT-25, SEAT-28)', () => {
  const refuted = [{ by: 'agent.x', reason: 'no', at: threadAt(9), id: 'refute-01' }]
  const view = showThread('nightly', [
    threadItem(0, { id: 'task-0001' }),
    { ...threadItem(412, { id: 'result-01', type: 'result', replyTo: 'task-0001', ...BACK }), refuted },
    {
      ...threadItem(500, { type: 'error', replyTo: 'task-0001', payload: { code: 'open' }, ...BACK }),
      late: true,
    },
    threadItem(600, { id: 'task-0002' }),
  ])

  const sentOn = JSON.parse(JSON.stringify(view))
  expect([isThreadView(sentOn), sentOn]).toEqual([true, view])
  expect(isThreadView({ code: 'not-found' })).toBe(false)
  expect(view).toMatchObject({
    corr: 'nightly',
    says: '4 envelopes, 1 task open, 600ms from first to last',
    more: false,
  })
  expect(view.mermaid).toMatch(/^sequenceDiagram\n {2}participant p0 as agent\.asker\n/)
  expect(view.hops.map(({ depth, type, after }) => [depth, type, after])).toEqual([
    [0, 'task', ''],
    [1, 'result', '412ms'],
    [1, 'error', '500ms'],
    [0, 'task', ''],
  ])
  expect(view.hops.map(({ notes }) => notes)).toEqual([
    [],
    [{ ours: 'refuted by ', theirs: 'agent.x: no' }],
    [
      { ours: '', theirs: 'open' },
      { ours: '[late]', theirs: '' },
    ],
    [{ ours: 'open', theirs: '' }],
  ])
})

test('of a very long one the first hops are shown and the rest is told of, and no name fills a screen (SEAT-25, R-36)', () => {
  const items = Array.from({ length: MAX_SHOWN_HOPS }, (_, i) => threadItem(i, { type: 'event' }))
  const long = threadItem(MAX_SHOWN_HOPS, { type: 'event', from: 'x'.repeat(5_000) })

  expect(showThread('c', items).more).toBe(false)
  expect(showThread('c', items, true).more).toBe(true)
  expect(showThread('c', [...items, long])).toMatchObject({ more: true, hops: { length: MAX_SHOWN_HOPS } })
  expect(showThread('c', [long]).hops[0]?.from).toHaveLength(241)
})

test('a sequence has a lane for each entity in the order they came in, and arrows downwards in time (SEAT-25)', () => {
  const { hops, sequence } = showThread('c', [
    threadItem(0, { id: 'task-0001', from: 'a', to: 'b' }),
    threadItem(30, { id: 'result-01', type: 'result', replyTo: 'task-0001', from: 'b', to: 'a' }),
    threadItem(10, { type: 'event', from: 'c', to: 'c' }),
    threadItem(20, { type: 'event', from: 'a', to: 'c' }),
  ])

  expect(sequence.lanes).toEqual(['a', 'b', 'c'])
  expect(
    sequence.arrows.map(({ hop, lane, lanes: width, goes }) => [hops[hop]?.type, lane, width, goes]),
  ).toEqual([
    ['task', 0, 2, '→'],
    ['event', 2, 1, '↻'],
    ['event', 0, 3, '→'],
    ['result', 0, 2, '←'],
  ])
})
