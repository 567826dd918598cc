/**
 * The difference of two texts, as `diff -u` shows it.
 */
import { structuredPatch, type StructuredPatchHunk } from 'diff'

/** Lines shown around a change. */
const CONTEXT = 3

/** Lines that may differ before the whole is shown as replaced; the search takes their square in time. */
const MAX_DIFFERENCES = 400

const NO_EOL = String.raw`\ No newline at end of file`

/** What the two files are called in the head; undefined: `/dev/null`. */
export interface DiffNames {
  readonly before: string | undefined
  readonly after: string | undefined
}

/** @returns the empty string when nothing differs */
export function unifiedDiff(before: string, after: string, names: DiffNames): string {
  if (before === after) return ''
  const head = [`--- ${names.before ?? '/dev/null'}`, `+++ ${names.after ?? '/dev/null'}`]
  const found = structuredPatch('', '', before, after, '', '', {
    context: CONTEXT,
    maxEditLength: MAX_DIFFERENCES,
  })
  const hunks = found === undefined ? [replaced(before, after)] : found.hunks
  return [...head, ...hunks.flatMap(formatHunk)].join('\n')
}

type Hunk = Pick<StructuredPatchHunk, 'oldStart' | 'oldLines' | 'newStart' | 'newLines' | 'lines'>

function replaced(before: string, after: string): Hunk {
  const [removed, added] = [splitLines(before), splitLines(after)]
  const lines = [
    ...removed.flatMap((line) => signed('-', line)),
    ...added.flatMap((line) => signed('+', line)),
  ]
  return { oldStart: 1, oldLines: removed.length, newStart: 1, newLines: added.length, lines }
}

function splitLines(text: string): readonly string[] {
  return text === '' ? [] : text.split(/(?<=\n)/)
}

function signed(sign: '-' | '+', line: string): readonly string[] {
  return line.endsWith('\n') ? [sign + line.slice(0, -1)] : [sign + line, NO_EOL]
}

function formatHunk({ oldStart, oldLines, newStart, newLines, lines }: Hunk): readonly string[] {
  return [`@@ -${range(oldStart, oldLines)} +${range(newStart, newLines)} @@`, ...lines]
}

/** One line is not counted, and of none the line before it is named. */
function range(line: number, count: number): string {
  return count === 1 ? String(line) : `${count === 0 ? line - 1 : line},${count}`
}
