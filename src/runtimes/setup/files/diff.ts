/**
 * The difference of two texts, as `diff -u` shows it.
 *
 * @see Myers, "An O(ND) Difference Algorithm and Its Variations", 1986
 */

/** One line, and what becomes of it. */
interface Step {
  readonly sign: ' ' | '-' | '+'
  readonly line: string
}

/** Lines shown around a change. */
const CONTEXT = 3

/** Lines that may differ before the whole is shown as replaced; the search takes their square in memory. */
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
  const steps = findSteps(splitLines(before), splitLines(after))
  const head = [`--- ${names.before ?? '/dev/null'}`, `+++ ${names.after ?? '/dev/null'}`]
  return [...head, ...hunks(steps)].join('\n')
}

/** With their line ends, so that a changed line end is a changed line. */
function splitLines(text: string): readonly string[] {
  return text === '' ? [] : text.split(/(?<=\n)/)
}

function findSteps(before: readonly string[], after: readonly string[]): readonly Step[] {
  let head = 0
  while (head < before.length && head < after.length && before[head] === after[head]) head += 1
  let tail = 0
  const most = Math.min(before.length, after.length) - head
  while (tail < most && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1
  const middle = diffMiddle(before.slice(head, before.length - tail), after.slice(head, after.length - tail))
  return [...keep(before.slice(0, head)), ...middle, ...keep(before.slice(before.length - tail))]
}

function diffMiddle(before: readonly string[], after: readonly string[]): readonly Step[] {
  const trace = findTrace(before, after)
  if (trace === undefined) {
    return [...before.map((line) => step('-', line)), ...after.map((line) => step('+', line))]
  }
  return walkBack(before, after, trace)
}

/** Diagonal → how far it was reached, after each number of differences; undefined when there are too many. */
function findTrace(before: readonly string[], after: readonly string[]): readonly Reached[] | undefined {
  const trace: Reached[] = []
  let reached: Reached = new Map([[1, 0]])
  const most = Math.min(before.length + after.length, MAX_DIFFERENCES)
  for (let count = 0; count <= most; count += 1) {
    trace.push(reached)
    const next = new Map(reached)
    for (let diagonal = -count; diagonal <= count; diagonal += 2) {
      let x = startOn(diagonal, count, reached)
      while (x < before.length && x - diagonal < after.length && before[x] === after[x - diagonal]) x += 1
      next.set(diagonal, x)
      if (x >= before.length && x - diagonal >= after.length) return trace
    }
    reached = next
  }
  return undefined
}

type Reached = ReadonlyMap<number, number>

function startOn(diagonal: number, count: number, reached: Reached): number {
  const right = reached.get(diagonal - 1) ?? -1
  const down = reached.get(diagonal + 1) ?? -1
  return diagonal === -count || (diagonal !== count && right < down) ? down : right + 1
}

function walkBack(
  before: readonly string[],
  after: readonly string[],
  trace: readonly Reached[],
): readonly Step[] {
  const steps: Step[] = []
  let x = before.length
  let y = after.length
  for (let count = trace.length - 1; count >= 0; count -= 1) {
    const reached = trace[count] ?? new Map<number, number>()
    const diagonal = x - y
    const right = reached.get(diagonal - 1) ?? -1
    const down = reached.get(diagonal + 1) ?? -1
    const previous = diagonal === -count || (diagonal !== count && right < down) ? diagonal + 1 : diagonal - 1
    const startX = reached.get(previous) ?? 0
    const startY = startX - previous
    while (x > startX && y > startY) {
      x -= 1
      y -= 1
      steps.push(step(' ', before[x] ?? ''))
    }
    if (count === 0) break
    if (x === startX) steps.push(step('+', after[y - 1] ?? ''))
    else steps.push(step('-', before[x - 1] ?? ''))
    x = startX
    y = startY
  }
  return steps.toReversed()
}

function hunks(steps: readonly Step[]): readonly string[] {
  const shown: string[] = []
  let oldLine = 1
  let newLine = 1
  for (let at = 0; at < steps.length;) {
    const from = nextChange(steps, at)
    const start = Math.max(at, from - CONTEXT)
    for (; at < start; at += 1, oldLine += 1, newLine += 1);
    if (from === steps.length) break
    const hunk = steps.slice(start, endOfHunk(steps, from))
    const removed = hunk.filter(({ sign }) => sign !== '+').length
    const added = hunk.filter(({ sign }) => sign !== '-').length
    shown.push(`@@ -${range(oldLine, removed)} +${range(newLine, added)} @@`, ...hunk.flatMap(formatStep))
    oldLine += removed
    newLine += added
    at += hunk.length
  }
  return shown
}

function nextChange(steps: readonly Step[], from: number): number {
  const found = steps.findIndex(({ sign }, index) => index >= from && sign !== ' ')
  return found === -1 ? steps.length : found
}

function endOfHunk(steps: readonly Step[], from: number): number {
  let end = from
  for (;;) {
    while (end < steps.length && steps[end]?.sign !== ' ') end += 1
    const next = nextChange(steps, end)
    if (next === steps.length || next - end > 2 * CONTEXT) return Math.min(end + CONTEXT, steps.length)
    end = next
  }
}

function range(line: number, count: number): string {
  return count === 1 ? String(line) : `${count === 0 ? line - 1 : line},${count}`
}

function formatStep({ sign, line }: Step): readonly string[] {
  return line.endsWith('\n') ? [sign + line.slice(0, -1)] : [sign + line, NO_EOL]
}

function keep(lines: readonly string[]): readonly Step[] {
  return lines.map((line) => step(' ', line))
}

function step(sign: Step['sign'], line: string): Step {
  return { sign, line }
}
