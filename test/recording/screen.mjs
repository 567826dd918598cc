/** What a terminal shows, as runs of text with a style (ECMA-48, "select graphic rendition"). */

/** Codes that the programs of the recording use → what they mean. */
const COLOURS = { 31: 'red', 32: 'green', 33: 'yellow', 35: 'magenta', 36: 'cyan' }

/**
 * @param screen - `{lines, column, row}`, lines with their escape sequences
 * @returns `{rows, cursor}`; a row is a list of `{column, text, style}`, a style the words of a CSS class
 */
export function readScreen({ lines, column, row }) {
  let style = { colour: '', bold: false, dim: false }
  const rows = lines.map((line) => {
    const runs = []
    let at = 0
    // oxlint-disable-next-line no-control-regex
    for (const part of line.split(/(\u001B\[[0-9;]*m)/)) {
      if (part.startsWith('\u001B')) style = restyled(style, part.slice(2, -1))
      else if (part !== '') {
        runs.push({ column: at, text: part, style: classOf(style) })
        at += part.length
      }
    }
    return withoutBlankEnd(runs)
  })
  return { rows, cursor: { column, row } }
}

function restyled(style, codes) {
  return codes.split(';').reduce((now, code) => {
    if (code === '' || code === '0') return { colour: '', bold: false, dim: false }
    if (code === '1') return { ...now, bold: true }
    if (code === '2') return { ...now, dim: true }
    if (code === '22') return { ...now, bold: false, dim: false }
    if (code === '39') return { ...now, colour: '' }
    return { ...now, colour: COLOURS[code] ?? now.colour }
  }, style)
}

function classOf({ colour, bold, dim }) {
  return [colour, bold ? 'bold' : '', dim ? 'dim' : ''].filter((word) => word !== '').join(' ')
}

function withoutBlankEnd(runs) {
  const last = runs.at(-1)
  if (last === undefined) return runs
  const text = last.text.trimEnd()
  const rest = runs.slice(0, -1)
  return text === '' ? withoutBlankEnd(rest) : [...rest, { ...last, text }]
}
