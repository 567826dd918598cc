/** Rows of text as a table; numbers are right-aligned. */
export function formatTable(rows) {
  const texts = rows.map((row) => row.map(cellText))
  const widths = []
  for (const row of texts) row.forEach((cell, i) => (widths[i] = Math.max(widths[i] ?? 0, cell.length)))
  const lines = texts.map((row, r) =>
    row
      .map((cell, i) => {
        if (i === row.length - 1 && typeof rows[r][i] !== 'number') return cell
        return typeof rows[r][i] === 'number' ? cell.padStart(widths[i]) : cell.padEnd(widths[i])
      })
      .join('  '),
  )
  return lines.map((line) => `  ${line}\n`).join('')
}

function cellText(value) {
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
