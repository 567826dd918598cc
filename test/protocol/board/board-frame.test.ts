/** How much of one frame stands on the board, whatever it names (ACQ-14; decision 022). */
import { expect, test } from 'vitest'
import {
  MAX_FRAME_ENTRIES,
  MAX_RESOURCE_LENGTH,
  readBoardFrame,
} from '../../../src/protocol/board/board-frame.ts'
import { START_MS, advises, passing } from './said.ts'

function resourcesOf(files: readonly string[]): readonly string[] {
  const news = readBoardFrame(passing(advises('~alice/cc@s1', files), 1))
  return news?.kind === 'announced' ? news.entries.map(({ resource }) => resource) : []
}

test('of a frame that names thousands of files the first stand on the board (ACQ-14)', () => {
  const files = Array.from({ length: 15_000 }, (_, i) => `f${i}`)

  expect(resourcesOf(files)).toEqual(files.slice(0, MAX_FRAME_ENTRIES))
  expect(resourcesOf(files.slice(0, MAX_FRAME_ENTRIES))).toHaveLength(MAX_FRAME_ENTRIES)
})

test('a name that no path is as long as stands on no board, and hides none beside it (ACQ-14)', () => {
  const longest = 'x'.repeat(MAX_RESOURCE_LENGTH)

  expect(resourcesOf([`${longest}x`, longest, 'src/a.ts'])).toEqual([longest, 'src/a.ts'])
})

test('a lease that is asked for without end, and one that is over at once, have an end (AC-063, ACQ-15)', () => {
  const endless = { ...advises('~alice/cc@s1', ['a']), ttlMs: Number.MAX_SAFE_INTEGER }
  const over = { ...advises('~alice/cc@s1', ['a']), ttlMs: 0 }
  const ends = [endless, over].map((said) => {
    const news = readBoardFrame(passing(said, 1))
    return news?.kind === 'announced' ? news.entries[0]?.untilMs : undefined
  })

  expect(ends).toEqual([START_MS + Number.MAX_SAFE_INTEGER, START_MS])
})
