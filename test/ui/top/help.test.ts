/**
 * The keys are told in three places, which say the same: the tables, the help, and the documentation.
 */
import { expect, test } from 'vitest'
import { KEYS, speakKey } from '../../../src/ui/seat/text/keys.ts'
import { KEYS_ELSEWHERE, OWN_KEYS } from '../../../src/ui/top/state/own-keys.ts'
import { pageAt } from '../../support/pages.ts'
import { busyModel, sit } from './support.ts'

/** Of the page and the terminal, and of the terminal alone. */
const SHARED = KEYS.flatMap(({ keys }) => keys.map(speakKey))
const OWN = [...OWN_KEYS.map(({ key }) => key), ...KEYS_ELSEWHERE.map(({ keys }) => keys)]

/** The keys of a table in docs/ui.md, each once. @param head - its first cell */
function toldBelow(head: string): readonly string[] {
  const table = pageAt('docs/ui.md').text.split(`| ${head} | |\n`)[1]?.split('\n\n')[0] ?? ''
  const cells = table.split('\n').map((row) => row.split(' | ')[0] ?? '')
  return [...new Set(cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, key]) => key ?? '')))]
}

test('the help has every key of the tables (SEAT-30)', () => {
  const sat = sit(busyModel())
  sat.press('?')

  const screen = sat.screen(100, 60)
  for (const key of [...SHARED, ...OWN]) expect(screen).toContain(key)
})

test('the documentation has the keys of the tables, and no other (SEAT-30)', () => {
  expect(toldBelow('keys').toSorted()).toEqual([...new Set(SHARED)].toSorted())
  expect(toldBelow('keys of a terminal alone').toSorted()).toEqual([...new Set(OWN)].toSorted())
})

test('no key of a terminal alone means something else in the table of the seat (SEAT-30)', () => {
  expect(OWN_KEYS.filter(({ key }) => SHARED.includes(key))).toEqual([])
})
