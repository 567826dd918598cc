/**
 * A workflow by who is in it: a numbered lane for each entity, and an arrow for each envelope, time downwards.
 *
 * @see SEAT-25, SEAT-39
 */
import { formatClock } from '../../../core/text/durations.ts'
import type { SequenceArrow } from '../../seat/threads/sequence.ts'
import type { ShownHop, ThreadView } from '../../seat/threads/thread-view.ts'
import { fitLine, own, sender, type Line } from './line.ts'

/** Columns from one lane to the next, at the least and at the most. */
const LEAST_LANE = 4
const MOST_LANE = 9

/** What stands before the lanes: ` 12:00:00  `. */
const TIME_COLUMNS = 11

/** Who each number is, and below it the arrows between them. */
export function sequenceLines({ hops, sequence }: ThreadView, columns: number): readonly Line[] {
  const { lanes, arrows } = sequence
  // Half of the room is for what was said.
  const room = Math.floor((columns / 2 - TIME_COLUMNS) / Math.max(1, lanes.length - 1))
  const step = Math.min(MOST_LANE, Math.max(LEAST_LANE, room))
  const numbers = lanes.map((_, lane) => String(lane + 1).padEnd(step)).join('')
  return [
    ...lanes.map((entity, lane) =>
      fitLine([own(` ${String(lane + 1).padStart(2)} `, 'dim'), sender(entity, 'cyan')], columns),
    ),
    fitLine([own(' '.repeat(TIME_COLUMNS)), own(numbers.trimEnd(), 'dim')], columns),
    ...arrows.flatMap((arrow) => {
      const hop = hops[arrow.hop]
      return hop === undefined ? [] : [arrowLine(hop, drawArrow(arrow, lanes.length, step), columns)]
    }),
  ]
}

function arrowLine({ at, type, intent, after, notes }: ShownHop, drawn: string, columns: number): Line {
  return fitLine(
    [
      own(` ${formatClock(at)}  `, 'dim'),
      own(drawn),
      own('  '),
      sender(type, 'green'),
      own(' '),
      sender(intent),
      own(after === '' ? '' : ` +${after}`, 'dim'),
      ...notes.flatMap(({ ours, theirs }) => [
        own(` · ${ours}`, theirs === '' ? 'dim' : 'red'),
        sender(theirs),
      ]),
    ],
    columns,
  )
}

/** Every lane as a line down, and the arrow across those between its ends. */
function drawArrow({ lane, lanes: width, goes }: SequenceArrow, lanes: number, step: number): string {
  const drawn = Array.from({ length: (lanes - 1) * step + 1 }, (_, column): string =>
    column % step === 0 ? '│' : ' ',
  )
  const [left, right] = [lane * step, (lane + width - 1) * step]
  if (goes === '↻') drawn[left] = '↻'
  else drawn.fill('─', left + 1, right)
  if (goes === '→') drawn.splice(right - 1, 1, '>')
  if (goes === '←') drawn.splice(left + 1, 1, '<')
  if (goes !== '↻') drawn[goes === '→' ? left : right] = goes === '→' ? '├' : '┤'
  return drawn.join('')
}
