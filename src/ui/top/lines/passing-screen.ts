/**
 * The screen "passing": everything that passes, through a filter, following or standing still.
 *
 * @see SEAT-36, SEAT-38
 */
import { isEveryRow } from '../../seat/passing/row-filter.ts'
import { HEADINGS, newRowsWords, STATES } from '../../seat/words.ts'
import type { RowsShown } from '../state/rows-shown.ts'
import type { Drawing } from './drawing.ts'
import { fitLine, own, spread, type Line } from './line.ts'
import { stateLine } from './now-screen.ts'
import { rowLines } from './passing-lines.ts'

/** The screen. @param shown - the rows that fit, as they are looked at */
export function passingLines({ model, view, columns, rows }: Drawing, shown: RowsShown): readonly Line[] {
  const { passing } = view
  const height = rows - 1
  const places = shown.placesFor(passing, height)
  const found = places.flatMap((place) => model.rows.get(place) ?? [])
  const lines = rowLines(found, { model, columns, chosen: passing.chosen })
  const empty = isEveryRow(passing.filter) ? STATES.nothingPassed : STATES.nothingFits
  return [
    barLine({ shown, places }, view.passing, columns),
    ...(lines.length === 0 ? [stateLine(empty, columns)] : lines),
  ]
}

interface Bar {
  readonly shown: RowsShown
  readonly places: readonly number[]
}

/** ` PASSING  words · only mine           ● following` */
function barLine({ shown, places }: Bar, passing: Drawing['view']['passing'], columns: number): Line {
  const { filter, isFollowing, pausedAt } = passing
  const behind = shown.countBehind(places.at(-1))
  const state = pausedAt !== undefined ? '‖ paused' : isFollowing ? '● following' : '○ standing still'
  return spread(
    [
      own(` ${HEADINGS.passing.toUpperCase()} `, 'bold'),
      ...(filter.words === '' ? [] : [own(' / '), own(filter.words, 'cyan')]),
      ...(filter.onlyMine ? [own('  only mine', 'cyan')] : []),
    ],
    fitLine(
      [...(behind > 0 ? [own(`${newRowsWords(behind)} ↓  `, 'yellow')] : []), own(`${state} `, 'dim')],
      columns,
    ),
    columns,
  )
}
