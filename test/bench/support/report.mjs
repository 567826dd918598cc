/**
 * The table, and two runs side by side.
 */

/** One line per figure. */
export function formatLines(lines) {
  const head = ['id', 'what', 'figure', 'peer', 'ratio', 'target', 'verdict']
  const rows = lines.map((line) => [
    line.id,
    line.what,
    `${formatNumber(line.figure)} ${line.unit ?? ''}`.trim(),
    line.peer === null ? '—' : `${line.peer} ${formatNumber(line.peerFigure)}`,
    formatRatio(line),
    formatTarget(line.target),
    formatVerdict(line),
  ])
  return formatTable([head, ...rows])
}

function formatRatio({ ratio, ratioLow, ratioHigh }) {
  if (ratio === undefined) return '—'
  const range = ratioLow === ratioHigh ? '' : ` (${formatNumber(ratioLow)}–${formatNumber(ratioHigh)})`
  return `${formatNumber(ratio)}${range}`
}

function formatTarget(target) {
  if (target === undefined) return '—'
  return target.atLeast === undefined
    ? `≤ ${formatNumber(target.atMost)}`
    : `≥ ${formatNumber(target.atLeast)}`
}

function formatVerdict({ held, target, note }) {
  const verdict = held === null ? (target === undefined ? '' : 'not taken') : held ? 'held' : 'NOT HELD'
  return [verdict, note].filter((text) => text !== '' && text !== null).join('; ')
}

/** Three digits that count. */
export function formatNumber(value) {
  if (value === null || value === undefined || Number.isNaN(value)) return '—'
  if (Math.abs(value) >= 1_000) return Math.round(value).toLocaleString('en-US').replaceAll(',', ' ')
  return String(Number(value.toPrecision(3)))
}

/** Columns of text, the first row underlined. */
export function formatTable(rows) {
  const widths = rows[0].map((_, i) => Math.max(...rows.map((row) => row[i].length)))
  const format = (row) =>
    row
      .map((cell, i) => cell.padEnd(widths[i]))
      .join('  ')
      .trimEnd()
  const [head, ...rest] = rows.map(format)
  return `${[head, widths.map((width) => '─'.repeat(width)).join('  '), ...rest].join('\n')}\n`
}

/** What changed from one run's JSON to another's. */
export function compareRuns(before, after) {
  const known = new Map(before.lines.map((line) => [key(line), line]))
  const head = ['id', 'what', 'before', 'after', 'change', 'ratio', 'verdict']
  const rows = after.lines.map((line) => {
    const old = known.get(key(line))
    const change = changeOf(old?.figure, line.figure)
    return [
      line.id,
      line.what,
      old === undefined ? '—' : `${formatNumber(old.figure)} ${old.unit ?? ''}`.trim(),
      `${formatNumber(line.figure)} ${line.unit ?? ''}`.trim(),
      Number.isNaN(change) ? '—' : `${change > 0 ? '+' : ''}${change.toFixed(1)} %`,
      line.ratio === undefined ? '—' : `${formatNumber(old?.ratio)} → ${formatNumber(line.ratio)}`,
      old === undefined || old.held === line.held ? '' : `${verdictOf(old)} → ${verdictOf(line)}`,
    ]
  })
  const gone = before.lines.filter((line) => !after.lines.some((other) => key(other) === key(line)))
  const rest = gone.map((line) => [
    line.id,
    line.what,
    formatNumber(line.figure),
    '—',
    '—',
    '—',
    'only before',
  ])
  return formatTable([head, ...rows, ...rest])
}

/** In percent; NaN where one of them is not there. */
function changeOf(before, after) {
  return before === null || after === null ? NaN : (after / before - 1) * 100
}

/** What tells a line from all others of its run. */
function key({ id, what, peer }) {
  return `${id} ${what} ${peer ?? ''}`
}

function verdictOf({ held }) {
  return held === null ? 'not taken' : held ? 'held' : 'NOT HELD'
}
