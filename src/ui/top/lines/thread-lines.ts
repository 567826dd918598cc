/**
 * The screen "threads" and one workflow: a line for each, and each envelope below what it answers.
 *
 * @see SEAT-25, SEAT-38
 */
import { formatClock } from '../../../core/text/durations.ts'
import { threadLineWords } from '../../seat/threads/thread-list.ts'
import type { ShownHop, ThreadView } from '../../seat/threads/thread-view.ts'
import { THREAD_STATES, THREADS } from '../../seat/threads/thread-words.ts'
import { HEADINGS, STATES } from '../../seat/words.ts'
import type { Panel, ThreadShape } from '../state/view.ts'
import type { Drawing } from './drawing.ts'
import { fitLine, own, sender, senderLines, spread, wrapOwn, type Line } from './line.ts'
import { markOf } from './need-lines.ts'
import { stateLine } from './now-screen.ts'
import { headingLine, partAround } from './section.ts'
import { sequenceLines } from './sequence-lines.ts'

/** Levels of answers that are indented; deeper ones stand below the last. */
const MAX_INDENT = 8

/** The list, so much of it that the chosen one is there. */
export function threadsLines({ view, columns, rows, nowMs }: Drawing): readonly Line[] {
  const { lines, chosen } = view.threads
  if (lines === undefined)
    return [headingLine(HEADINGS.threads, columns), ...wrapOwn(STATES.connecting.says, columns)]
  if (lines.length === 0)
    return [headingLine(HEADINGS.threads, columns), stateLine(THREAD_STATES.none, columns)]
  const at = lines.findIndex(({ corr }) => corr === chosen)
  const { first, end } = partAround(at, lines.length, rows - 1)
  const shown = lines.slice(first, end).map((line): Line => {
    const { corr, intent, openTasks } = line
    const left = [
      markOf(corr === chosen),
      openTasks > 0 ? own('● ', 'green') : own('○ '),
      sender(corr, corr === chosen ? 'bold' : 'cyan'),
      own('  '),
      sender(intent),
    ]
    return spread(left, [own(`${threadLineWords(line, nowMs)} `, 'dim')], columns)
  })
  return [headingLine(HEADINGS.threads, columns, lines.length - shown.length), ...shown]
}

/** One workflow, from top to bottom. */
export function threadPanel(
  { corr, thread, shape }: Extract<Panel, { name: 'thread' }>,
  columns: number,
): readonly Line[] {
  const head = fitLine([own(' '), sender(corr, 'bold')], columns)
  if (thread === undefined) return [head, ...wrapOwn(STATES.connecting.says, columns)]
  return [
    head,
    ...wrapOwn(thread.says, columns, 'dim'),
    headingLine(THREADS[shape], columns),
    ...shapeLines(thread, shape, columns),
    ...(thread.more ? [stateLine(THREAD_STATES.isCut, columns)] : []),
  ]
}

function shapeLines(thread: ThreadView, shape: ThreadShape, columns: number): readonly Line[] {
  if (shape === 'sequence') return sequenceLines(thread, columns)
  if (shape === 'tree') return thread.hops.flatMap((hop) => hopLines(hop, columns))
  return [...wrapOwn(TO_COPY, columns, 'dim'), ...senderLines(thread.mermaid.trimEnd(), columns)]
}

/** What is drawn behind a rule is not what a program reads. */
const TO_COPY = 'To copy it: agentd envelope thread <corr> --mermaid'

/** Who wants what of whom, and below it what sets it apart: our words, and behind them somebody else's. */
function hopLines({ at, depth, from, to, type, intent, after, notes }: ShownHop, columns: number): Line[] {
  const indent = '  '.repeat(Math.min(depth, MAX_INDENT))
  const line: Line = [
    own(`   ${formatClock(at)} `, 'dim'),
    own(`${indent}${depth > 0 ? '└ ' : ''}`),
    sender(from, 'cyan'),
    own(' → '),
    sender(to, 'cyan'),
    own('  '),
    sender(type, 'green'),
    own(' '),
    sender(intent),
    own(after === '' ? '' : ` +${after}`, 'dim'),
  ]
  const below = notes.map(({ ours, theirs }) =>
    fitLine(
      [own(`            ${indent}  `), own(ours, theirs === '' ? 'dim' : 'red'), sender(theirs)],
      columns,
    ),
  )
  return [fitLine(line, columns), ...below]
}
