/**
 * Frames as one SVG: each distinct row is drawn once, and is there from its first frame to its last.
 *
 * What does not move sees the last frame: a program that knows no animations, and a reader who prefers reduced motion.
 * No script, no font and no picture from elsewhere.
 */
import { PANES } from './tape.mjs'

/** In units of the picture, which is shown 800 pixels wide. */
const WIDTH = 800
const MARGIN = 18
const CHARACTER = 8.3
const LINE = 20
const HEAD = 34
const GAP = 12

const STYLE = `
text{font:13.7px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#b4c2d0;white-space:pre}
.typed{fill:#f0f6fc}
.title{font:600 12.5px ui-sans-serif,system-ui,-apple-system,"Segoe UI",sans-serif;fill:#8fa1b3}
.green{fill:#7fd88f}.red{fill:#ff8a80}.yellow{fill:#ffd479}.magenta{fill:#d7a6ff}.cyan{fill:#7fdbff}
.bold{font-weight:600}.dim{fill:#8fa1b3}.note{fill:#9db2c7;font-style:italic}.cursor{fill:#d6deeb;opacity:.7}
.gone{opacity:0}`

/** @param frames - `{panes, active, ms}`, of `recorder.mjs`. @returns the SVG */
export function drawRecording(frames) {
  const clock = clockOf(frames)
  const keyframes = new Map()
  const drawn = []
  let top = 2
  for (const pane of PANES) {
    const rowCount = Math.max(...frames.map(({ panes }) => lastRow(panes[pane.id]))) + 1
    const paneHeight = HEAD + rowCount * LINE + 12
    drawn.push(drawPane(pane, top, { frames, rowCount, paneHeight, keyframes }))
    top += paneHeight + GAP
  }
  const height = top - GAP + 2
  const seconds = (clock.total / 1_000).toFixed(1)
  const animations = [...keyframes.values()].map(({ name, from, to }) => {
    const [a, b] = [clock.percent(from), clock.percent(to)]
    const start = from === 0 ? '0%{opacity:1}' : `0%{opacity:0}${a}%{opacity:1}`
    const end = to === frames.length ? '' : `${b}%{opacity:0}`
    return `@keyframes ${name}{${start}${end}to{opacity:${to === frames.length ? 1 : 0}}}\n.${name}{animation:${name} ${seconds}s step-end infinite}`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-labelledby="title transcript">
<title id="title">Two terminals: Codex is told of an edit by Claude Code, asks about it, is answered and hands work over</title>
<desc id="transcript">${escaped(transcriptOf(frames.at(-1)))}</desc>
<style>${STYLE}
@media (prefers-reduced-motion:no-preference){
${animations.join('\n')}
}</style>
${drawn.join('\n')}
</svg>
`
}

/** What stands in the terminals at the end, one below the other. */
function transcriptOf({ panes }) {
  return PANES.map(({ id, title }) => {
    const rows = panes[id].rows.map((runs) => runs.map(({ column, text }) => ({ column, text })))
    const lines = rows.map((runs) => runs.reduce((line, { column, text }) => line.padEnd(column) + text, ''))
    return `${title}\n${lines.join('\n').trimEnd()}\n`
  }).join('\n')
}

/** When each frame begins, in hundredths of the whole. */
function clockOf(frames) {
  const total = frames.reduce((sum, { ms }) => sum + ms, 0)
  const begins = frames.map((_, at) => frames.slice(0, at).reduce((sum, { ms }) => sum + ms, 0))
  return { total, percent: (at) => Number((((begins[at] ?? total) / total) * 100).toFixed(2)) }
}

function lastRow({ rows }) {
  return rows.findLastIndex((runs) => runs.length > 0)
}

function drawPane({ id, title }, top, { frames, rowCount, paneHeight, keyframes }) {
  const screens = frames.map(({ panes, active }) => ({ ...panes[id], isActive: active === id }))
  const rows = Array.from({ length: rowCount }, (_, row) =>
    spansOf(screens.map((screen) => drawRow(screen.rows[row] ?? [], top + HEAD + (row + 1) * LINE - 5))),
  ).flat()
  const cursors = spansOf(screens.map((screen) => (screen.isActive ? drawCursor(screen.cursor, top) : '')))
  const last = frames.length
  const parts = [...rows, ...cursors].map(({ from, to, markup }) => {
    if (from === 0 && to === last) return markup
    const key = `${from}-${to}`
    if (!keyframes.has(key)) keyframes.set(key, { name: `k${keyframes.size}`, from, to })
    const classes = to === last ? keyframes.get(key).name : `gone ${keyframes.get(key).name}`
    return `<g class="${classes}">${markup}</g>`
  })
  return `<rect x="2" y="${top}" width="${WIDTH - 4}" height="${paneHeight}" rx="9" fill="#111a24" stroke="#3a4a5c"/>
<circle cx="20" cy="${top + 17}" r="4.5" fill="#3a4a5c"/><circle cx="35" cy="${top + 17}" r="4.5" fill="#3a4a5c"/><circle cx="50" cy="${top + 17}" r="4.5" fill="#3a4a5c"/>
<text class="title" x="66" y="${top + 21}">${escaped(title)}</text>
${parts.join('\n')}`
}

/** What is drawn in a place, over the frames: `{from, to, markup}`, without what is empty. */
function spansOf(markups) {
  const spans = []
  for (const [at, markup] of markups.entries()) {
    const last = spans.at(-1)
    if (last?.markup === markup) last.to = at + 1
    else spans.push({ from: at, to: at + 1, markup })
  }
  return spans.filter(({ markup }) => markup !== '')
}

function drawRow(runs, y) {
  if (runs.length === 0) return ''
  const line = runs.map(({ text }) => text).join('')
  const kind = line.startsWith('$ #') ? 'note' : line.startsWith('$') ? 'typed' : ''
  const spans = runs.map(({ column, text, style }) => {
    const words = style === '' ? kind : style
    const shown = text.trimStart()
    const x = (MARGIN + (column + text.length - shown.length) * CHARACTER).toFixed(1)
    const length = shown.length > 1 ? ` textLength="${(shown.length * CHARACTER).toFixed(1)}"` : ''
    return `<tspan x="${x}"${words === '' ? '' : ` class="${words}"`}${length}>${escaped(shown)}</tspan>`
  })
  return `<text y="${y}" xml:space="preserve">${spans.join('')}</text>`
}

function drawCursor({ column, row }, top) {
  const x = (MARGIN + column * CHARACTER).toFixed(1)
  return `<rect class="cursor" x="${x}" y="${top + HEAD + row * LINE + 1}" width="${CHARACTER}" height="18"/>`
}

function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
