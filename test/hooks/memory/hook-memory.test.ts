/**
 * What hooks remember of all sessions: within bounds, and written down behind it (OP-03).
 */
import { expect, test } from 'vitest'
import { formatHookState, parseHookState } from '../../../src/hooks/memory/hook-state-text.ts'
import { newHookState, stateKey, type HookState } from '../../../src/hooks/memory/hook-state.ts'
import { HookMemory, MAX_STATES } from '../../../src/hooks/memory/hook-memory.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { KeptRecords } from '../desk-in-process.ts'

function open(records = new KeptRecords(), clock = new FakeClock()) {
  return { records, clock, memory: new HookMemory(records, clock) }
}

/** Notes a session. */
function put(memory: HookMemory, id: string, more: Partial<HookState> = {}, isLasting = false): void {
  memory.update(
    stateKey('codex', id),
    (state) => ({ ...(state ?? newHookState('codex', id, 1)), ...more }),
    isLasting,
  )
}

function idsOf(memory: HookMemory): readonly string[] {
  return [...memory.list()].map(({ sessionId }) => sessionId)
}

test('who a session is is written down at once, the rest within a quarter of a second and once', () => {
  const { clock, memory, records } = open()
  const saved: string[][] = []
  const save = records.save.bind(records)
  records.save = (texts) => {
    saved.push([...texts].map(([key]) => key))
    save(texts)
  }
  put(memory, 'lasting', { token: 't' }, true)
  expect(saved).toEqual([['codex:lasting']])
  for (let i = 1; i <= 100; i += 1) put(memory, 'other', { atMs: i })
  put(memory, 'third')
  expect(saved).toHaveLength(1)
  clock.advance(250)
  expect(saved).toEqual([['codex:lasting'], ['codex:other', 'codex:third']])
  expect(parseHookState(records.texts.get('codex:other') ?? '')?.atMs).toBe(100)
  clock.advance(10_000)

  expect(saved).toHaveLength(2)
  const again = [...open(records).memory.list()]
  expect(again.map(({ sessionId, token, atMs }) => [sessionId, token, atMs])).toEqual([
    ['lasting', 't', 1],
    ['other', undefined, 100],
    ['third', undefined, 1],
  ])
})

test('a change that changes nothing is none', () => {
  const { memory, records } = open()
  put(memory, 's1', {}, true)
  records.texts.clear()
  memory.update('codex:s1', (state) => state, true)
  memory.update('codex:s1', () => undefined, true)

  expect(records.texts.size).toBe(0)
})

test('at most so many sessions are remembered, on disk too; those that ended are forgotten first, then the quietest', () => {
  const { memory, records } = open()
  for (let i = 0; i < MAX_STATES; i += 1)
    put(memory, `s${i}`, { atMs: 1_000 + i, endedMs: i >= MAX_STATES - 32 ? 1 : undefined })
  expect(idsOf(memory)).toHaveLength(MAX_STATES)
  put(memory, 'one more', { atMs: 9_999 })
  memory.flush()

  const left = idsOf(memory)
  expect(left).toHaveLength(MAX_STATES - MAX_STATES / 8 + 1)
  expect([...memory.list()].filter(({ endedMs }) => endedMs !== undefined)).toEqual([])
  expect([left[0], left.at(-1)]).toEqual(['s32', 'one more'])
  expect(records.texts.size).toBe(left.length)
  for (let i = 0; i < 10 * MAX_STATES; i += 1) put(memory, `t${i}`, { atMs: 20_000 + i })
  memory.flush()
  expect(idsOf(memory).length).toBeLessThanOrEqual(MAX_STATES)
  expect(records.texts.size).toBe(idsOf(memory).length)
})

test('what grew beyond its bounds is cut in memory as well', () => {
  const { memory } = open()
  put(memory, 's1', { wakes: Array.from({ length: 100 }, (_, i) => i) })

  expect(memory.read('codex:s1')?.wakes).toHaveLength(16)
})

test('a session of which nothing was heard for a week is forgotten, on disk too', () => {
  const { clock, memory, records } = open()
  put(memory, 'old', { atMs: clock.nowMs() })
  clock.advance(7 * 86_400_000)
  put(memory, 'new', { atMs: clock.nowMs() })
  memory.sweep()
  expect(idsOf(memory)).toEqual(['old', 'new'])
  clock.advance(1)
  memory.sweep()
  memory.flush()

  expect(idsOf(memory)).toEqual(['new'])
  expect([...records.texts.keys()]).toEqual(['codex:new'])
})

test('a session is found by the id of whoever it carries on, and never goes round in circles', () => {
  const { memory } = open()
  put(memory, 'a', { heir: 'b' })
  put(memory, 'b', { heir: 'c' })
  put(memory, 'c')
  put(memory, 'x', { heir: 'y' })
  put(memory, 'y', { heir: 'x' })
  put(memory, 'lost', { heir: 'nobody' })

  expect(memory.find('codex', 'a')?.sessionId).toBe('c')
  expect(memory.find('codex', 'none')).toBeUndefined()
  expect(memory.find('codex', 'lost')).toBeUndefined()
  expect(['x', 'y']).toContain(memory.find('codex', 'x')?.sessionId)
})

test('an id is that of the runtime it is said of, or else of the one that has it, and of none where two do', () => {
  const { memory } = open()
  put(memory, 'only')
  put(memory, 'both')
  put(memory, 'ended', { endedMs: 1 })
  memory.update('gemini:both', () => newHookState('gemini', 'both', 1))

  expect(memory.findLive('cursor', 'only')?.runtime).toBe('codex')
  expect(['both', 'ended', 'none'].map((id) => memory.findLive('cursor', id))).toEqual([
    undefined,
    undefined,
    undefined,
  ])
  expect(['codex', 'gemini'].map((id) => memory.findLive(id, 'both')?.runtime)).toEqual(['codex', 'gemini'])
  expect(memory.findLive('codex', 'ended')).toBeUndefined()
})

test('what was written of a session that is known already is not taken from an old file (OP-05)', () => {
  const { memory, records } = open()
  put(memory, 's1', { token: 'new' })
  memory.adopt([
    formatHookState({ ...newHookState('codex', 's1', 1), token: 'old' }),
    formatHookState({ ...newHookState('codex', 's2', 1), token: 'old' }),
    'damaged',
  ])

  expect([...memory.list()].map(({ token }) => token)).toEqual(['new', 'old'])
  expect(records.texts.size).toBe(2)
})

test('where the store was set aside, everything is written into the new one', () => {
  const { memory, records } = open()
  for (const id of ['s1', 's2', 's3']) put(memory, id, {}, true)
  records.texts.clear()
  records.epoch = 'e2'
  put(memory, 's2', { atMs: 2 }, true)

  expect([...records.texts.keys()].toSorted()).toEqual(['codex:s1', 'codex:s2', 'codex:s3'])
})

test('nothing is written down any more once it is closed, and what was not is', () => {
  const { clock, memory, records } = open()
  put(memory, 's1', { atMs: 7 })
  memory.close()
  put(memory, 's2', {}, true)
  put(memory, 's3')
  clock.advance(1_000)

  expect([...records.texts.keys()]).toEqual(['codex:s1'])
  expect(clock.pendingTimers).toBe(0)
})
