/**
 * Ids in memory: learned when one is looked for, and only what came since.
 */
import { expect, test } from 'vitest'
import { FrameIds } from '../../../src/store/ring/frame-ids.ts'
import type { FrameId } from '../../../src/store/rows/row.ts'

/** Frames of one page. */
const PAGE = 4

/** Frames that are in memory. */
const NEWEST = 3

/** Ids as a ring would give them, and after which places they were read. */
function idsOf(frames: FrameId[]) {
  const asked: number[] = []
  const ids = new FrameIds({
    newest: () => frames.slice(-NEWEST),
    after(place) {
      asked.push(place)
      return frames.filter(({ seq }) => seq > place)
    },
    page(place) {
      asked.push(place)
      return frames.filter(({ seq }) => seq > place).slice(0, PAGE)
    },
  })
  const held = (firstSeq = 1) => ({
    firstSeq,
    lastSeq: frames.at(-1)?.seq ?? 0,
    count: frames.length - firstSeq + 1,
  })
  return { ids, asked, held }
}

function framesTo(lastSeq: number): FrameId[] {
  return Array.from({ length: lastSeq }, (_, i) => ({ seq: i + 1, key: `id-${i + 1}` }))
}

test('nothing is read for an id among the newest, and everything once, in pages, for another', () => {
  const { ids, asked, held } = idsOf(framesTo(10))

  expect([ids.find('id-10', held()), ids.find('id-8', held())]).toEqual([10, 8])
  expect([asked, ids.size]).toEqual([[], NEWEST])

  expect([ids.find('id-4', held()), ids.find('none', held())]).toEqual([4, undefined])
  expect([asked, ids.size]).toEqual([[0, 4, 8, 10], 10])
})

test('what came since is read when the next id is looked for', () => {
  const frames = framesTo(3)
  const { ids, asked, held } = idsOf(frames)
  ids.find('id-1', held())

  frames.push({ seq: 4, key: 'id-4' }, { seq: 5, key: 'id-5' })

  expect([ids.find('id-5', held()), ids.find('id-2', held())]).toEqual([5, 2])
  expect(asked).toEqual([3])
})

test('pages are learned one by one, and what comes meanwhile is known', () => {
  const frames = framesTo(10)
  const { ids, asked, held } = idsOf(frames)

  expect([ids.findKnown('id-2', held()), ids.learn(held())]).toEqual([undefined, false])
  expect([ids.findKnown('id-2', held()), ids.findKnown('id-6', held())]).toEqual([2, undefined])

  frames.push({ seq: 11, key: 'id-11' })
  expect(ids.findKnown('id-11', held())).toBe(11)
  expect([ids.learn(held()), ids.learn(held()), ids.learn(held())]).toEqual([false, false, true])
  expect([ids.findKnown('id-6', held()), ids.findKnown('none', held())]).toEqual([6, undefined])
  expect([asked.length, ids.learn(held())]).toEqual([5, true])
})

test('an id that was used again is found at its newest place', () => {
  const { ids, held } = idsOf([...framesTo(5), { seq: 6, key: 'id-1' }])

  expect([ids.find('id-1', held()), ids.find('id-2', held())]).toEqual([6, 2])
  expect(ids.find('id-1', held())).toBe(6)
})

test('the ids of frames that are gone do not stay: there are never many more than there are frames', () => {
  const frames: FrameId[] = []
  const { ids, held } = idsOf(frames)
  for (let i = 1; i <= 20_000; i += 1) {
    frames.push({ seq: i, key: `id-${i}` })
    ids.find('none', held(Math.max(1, i - 99)))
  }

  expect(ids.size).toBeLessThanOrEqual(100 + 1_025)
  expect(ids.find('id-19950', held(19_901))).toBe(19_950)
})

test('a store that begins anew has no ids, and gives the same places to others', () => {
  const frames = framesTo(5)
  const { ids, held } = idsOf(frames)
  ids.find('id-5', held())

  ids.clear()
  frames.splice(0, 5, { seq: 1, key: 'other' })

  expect([ids.find('id-1', held()), ids.find('other', held())]).toEqual([undefined, 1])
})

test('ids that could not all be read are read again', () => {
  let isRefusing = true
  const ids = new FrameIds({
    newest: () => [],
    after: () => [],
    page(place) {
      if (place === 1 && isRefusing) throw new Error('no')
      return place < 2 ? [{ seq: place + 1, key: `id-${place + 1}` }] : []
    },
  })
  const held = { firstSeq: 1, lastSeq: 2, count: 2 }
  expect(() => ids.find('id-2', held)).toThrow('no')
  isRefusing = false

  expect(ids.find('id-2', held)).toBe(2)
})
