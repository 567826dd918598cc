import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { MAX_ROW_CHARACTERS, readPassed, type PassedItem } from '../../../../src/ui/seat/passing/passed.ts'
import {
  EVERY_ROW,
  FilteredRows,
  fits,
  isEveryRow,
  isForSeat,
  isPersonal,
} from '../../../../src/ui/seat/passing/row-filter.ts'
import { Rows, type Row } from '../../../../src/ui/seat/passing/rows.ts'
import { advisory, decisionFrame, NOON_MS } from '../../support/wire.ts'

const item = (eventId: string, more: Partial<PassedItem> = {}): PassedItem => ({
  eventId,
  atMs: NOON_MS,
  from: '~alice/cc@s1',
  to: '~alice/*',
  kind: 'advisory',
  text: `text of ${eventId}`,
  recipients: 2,
  queued: 1,
  thread: '',
  isLate: false,
  ...more,
})

test('an item is read as its row shows it (SEAT-35)', () => {
  expect(readPassed(advisory('~alice/cc@s1', ['src/a.ts'], { text: 'rewriting' }), 'e1-7')).toEqual({
    eventId: 'e1-7',
    atMs: NOON_MS,
    from: '~alice/cc@s1',
    to: '~alice/*',
    kind: 'advisory',
    text: 'rewriting (src/a.ts)',
    recipients: 2,
    queued: 1,
    thread: '',
    isLate: false,
  })
})

test('an envelope is read with its entities, its thread and whether it came late (SEAT-25)', () => {
  const envelope = {
    id: 'id-00001',
    type: 'task',
    from: 'agent.a',
    to: 'agent.b',
    intent: 'ops.check',
    corr: 'corr-0001',
  }

  const found = readPassed(
    { event_id: 'e1-8', scope: 'agent.b', late: true, envelope: { ...envelope, payload: {} } },
    undefined,
  )

  expect(found).toMatchObject({
    eventId: 'e1-8',
    kind: 'task',
    from: 'agent.a',
    to: 'agent.b',
    thread: 'corr-0001',
    isLate: true,
  })
  expect(found?.text).toContain('ops.check: {}')
})

test('a kind that only a newer daemon knows, or a frame cut short, is shown by its payload (W-1)', () => {
  const newer = readPassed({ frame: { kind: 'agent_song', payload: { tune: 'la' } } }, 'e1-9')
  const cut = readPassed({ frame: { ...decisionFrame(), payload: { synopsis: 'short' } } }, 'e1-10')

  expect(newer).toMatchObject({ kind: 'song', text: '{"tune":"la"}' })
  expect(cut?.text).toBe('{"synopsis":"short"}')
  expect(readPassed({ frame: {} }, undefined)).toBeUndefined()
  expect(readPassed({}, 'e1-11')).toBeUndefined()
})

test('a row holds no more of a text than a screen shows (SEAT-35)', () => {
  const text = readPassed(advisory('~alice/cc@s1', [], { text: 'x'.repeat(2_000) }), 'e1-1')?.text

  expect(text).toBe(`${'x'.repeat(MAX_ROW_CHARACTERS)}…`)
})

test('rows come back as they went in, and a gap says what is missing (SEAT-35, SEAT-19)', () => {
  const rows = new Rows(4)
  rows.add(item('e1-1', { isLate: true, thread: 'q1' }))
  rows.addGap('23 frames missing here', NOON_MS)

  expect(rows.get(0)).toEqual({ ...item('e1-1', { isLate: true, thread: 'q1' }), place: 0, gap: undefined })
  expect(rows.get(1)).toMatchObject({ place: 1, gap: '23 frames missing here', atMs: NOON_MS })
  expect(rows.get(2)).toBeUndefined()
})

test('a full store drops its oldest rows and never gives a place again (SEAT-35, SEAT-36)', () => {
  const rows = new Rows(3)
  for (let i = 0; i < 8; i += 1) rows.add(item(`e1-${i}`))

  expect([rows.start, rows.end]).toEqual([5, 8])
  expect(rows.get(4)).toBeUndefined()
  expect([5, 6, 7].map((place) => rows.get(place)?.eventId)).toEqual(['e1-5', 'e1-6', 'e1-7'])
})

const row = (more: Partial<Row>): Row => ({ ...item('e1-1'), place: 0, gap: undefined, ...more })

test.for([
  [{}, {}, true],
  [{ words: 'TEXT e1' }, {}, true],
  [{ words: 'text absent' }, {}, false],
  [{ kind: 'query' }, {}, false],
  [{ kind: 'advisory' }, {}, true],
  [{ session: '~alice/cc@s1' }, {}, true],
  [{ session: '~alice/codex@k2' }, { to: '~alice/codex@k2' }, true],
  [{ session: '~alice/codex@k2' }, {}, false],
  [{ onlyMine: true }, {}, false],
  [{ onlyMine: true }, { from: '~alice/human@p1' }, true],
  [{ onlyMine: true }, { to: '~alice/human*' }, true],
  [{ onlyMine: true }, { to: 'human.alice' }, true],
  [{ onlyMine: true }, { to: '~alice' }, false],
  [{ onlyMine: true, words: 'absent' }, { gap: 'missing' }, true],
] as const)('the filter %j on a row with %j: %j (SEAT-20)', ([filter, more, isShown]) => {
  expect(fits(row(more), { ...EVERY_ROW, ...filter }, '~alice')).toBe(isShown)
})

test('a filter that leaves nothing out is told from the others', () => {
  expect(isEveryRow({ ...EVERY_ROW, words: ' ' })).toBe(true)
  expect(isEveryRow({ ...EVERY_ROW, onlyMine: true })).toBe(false)
  expect(isPersonal('~alice', '~alice')).toBe(true)
  expect(isPersonal('~alice/cc@s1', '~alice')).toBe(false)
})

test('filtered rows are those a look at every row finds, however rows come and go (SEAT-35)', () => {
  fc.assert(
    fc.property(fc.array(fc.boolean(), { maxLength: 60 }), fc.integer({ min: 1, max: 9 }), (kinds, each) => {
      const rows = new Rows(20)
      const found = new FilteredRows(rows, { ...EVERY_ROW, kind: 'query' }, '~alice')
      for (const [i, isQuery] of kinds.entries()) {
        rows.add(item(`e1-${i}`, { kind: isQuery ? 'query' : 'advisory' }))
        if (i % each === 0) found.update()
      }
      found.update()
      const wanted = kinds.flatMap((isQuery, i) => (isQuery && i >= rows.start ? [i] : []))

      expect(Array.from({ length: found.length }, (_, i) => found.placeAt(i))).toEqual(wanted)
      for (const [i, place] of wanted.entries()) expect(found.indexOf(place)).toBe(i)
      expect(found.placeAt(-1)).toBeUndefined()
    }),
  )
})

test('places of rows that are gone are let go of in a full store (SEAT-35)', () => {
  const rows = new Rows(100)
  const found = new FilteredRows(rows, EVERY_ROW, '~alice')
  for (let i = 0; i < 5_000; i += 1) {
    rows.add(item(`e1-${i}`))
    found.update()
  }

  expect(found.length).toBe(100)
  expect(found.placeAt(0)).toBe(4_900)
  expect(found.indexOf(10)).toBe(0)
})

test('a row that was forgotten is on no list any more, and those around it stay where they are (SEAT-23)', () => {
  const rows = new Rows(10)
  const found = new FilteredRows(rows, EVERY_ROW, '~alice')
  for (let i = 0; i < 12; i += 1) rows.add(item(`e1-${i}`))
  found.update()
  rows.forget('e1', [
    { first: 0, last: 1 },
    { first: 5, last: 5 },
    { first: 40, last: 50 },
  ])
  rows.forget('e2', [{ first: 6, last: 9 }])
  found.update()
  rows.add(item('e1-12'))
  found.update()

  expect(Array.from({ length: found.length }, (_, i) => found.placeAt(i))).toEqual([
    3, 4, 6, 7, 8, 9, 10, 11, 12,
  ])
  expect(rows.get(5)).toBeUndefined()
  expect(found.indexOf(6)).toBe(2)
})

test('whole runs of rows go, and a line that says what is missing never does (SEAT-19, SEAT-23)', () => {
  const rows = new Rows(10)
  for (const id of ['e1-3', 'e1-4']) rows.add(item(id))
  rows.addGap('3 missed', 0)
  for (const id of ['e1-8', 'e1-9', 'e2-4']) rows.add(item(id))
  rows.forget('e1', [
    { first: 0, last: 3 },
    { first: 5, last: 8 },
  ])

  const left = Array.from({ length: 6 }, (_, place) => rows.get(place)).map((row) => row?.gap ?? row?.eventId)
  expect(left).toEqual([undefined, 'e1-4', '3 missed', undefined, 'e1-9', 'e2-4'])
})

test('a row keeps nothing of the stream that its event id was read from (SEAT-35)', () => {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  const heldBytes = (): number => {
    collect()
    return process.memoryUsage().heapUsed
  }
  const rows = new Rows(100)
  const before = heldBytes()
  for (let i = 1; i <= 100; i += 1) {
    const stream = `${'x'.repeat(100_000)}id: abcdefghijklmnop-${i}\n`
    rows.add(item(stream.slice(stream.indexOf('abc'), -1), { text: '' }))
  }

  expect(heldBytes() - before).toBeLessThan(2_000_000)
  expect(rows.get(99)?.eventId).toBe('abcdefghijklmnop-100')
})

test.for([
  ['~alice', true],
  ['~alice/*', true],
  ['~alice/hum*', true],
  ['~alice/human*', true],
  ['~alice/human@p1', true],
  ['human.alice', true],
  ['~alice/cc*', false],
  ['~alice/cc@s1', false],
  ['~bob/*', false],
  ['agent.api', false],
  ['', false],
] as const)('what went to "%s" came to the seat: %s (SEAT-04)', ([to, isOne]) => {
  expect(isForSeat(to, '~alice')).toBe(isOne)
})
