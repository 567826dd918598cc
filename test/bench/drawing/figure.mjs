/** A whole plot: title, where and when it was measured, legend, panels. */
import { drawPanel } from './panel.mjs'
import { INK, PALE_INK, PAPER, RULE, SIZE, mark, stylesOf } from './style.mjs'
import { element, tip, widthOf, words } from './svg.mjs'

const WIDTH = 900
const PANEL_HEIGHT = 330
const PADDING = 22
const LINE = 21

/** Of the little line in the legend, with its mark. */
const SAMPLE_WIDTH = 30

const FONT =
  '-apple-system, BlinkMacSystemFont, "Segoe UI", "Noto Sans", "DejaVu Sans", Helvetica, Arial, sans-serif'

/**
 * @param figure.title - what it is about
 * @param figure.subtitle - parts that a line may be broken between
 * @param figure.panels - `{spec, series}`, those that have something to show
 * @param figure.labelOf - from a series' name to what the legend calls it
 * @param figure.sharesY - whether all panels have the same y axis
 * @param figure.notes - sentences at the foot
 * @returns the text of an SVG file
 */
export function drawFigure({ title, subtitle, panels, labelOf, sharesY = false, notes }) {
  const names = [...new Set(panels.flatMap(({ series }) => [...series.keys()]))]
  const styles = stylesOf(names)
  const top = new Column(PADDING + SIZE.title)
  const head = [
    words(title, { x: PADDING, y: top.take(LINE + 2), size: SIZE.title, 'font-weight': 600, fill: INK }),
    flow(subtitle, (part) => widthOf(`${part} · `, SIZE.text)).map((row) =>
      words(row.items.join(' · '), { x: PADDING, y: top.take(LINE), size: SIZE.text, fill: PALE_INK }),
    ),
    drawLegend(names, { styles, labelOf, top }),
  ]
  const box = { y: top.take(PANEL_HEIGHT + 8), width: (WIDTH - PADDING) / panels.length }
  const all = panels.map(({ series }) => yValuesOf(series))
  const drawn = panels.map(({ spec, series }, i) => {
    const yValues = sharesY ? all.flat() : all[i]
    const at = { x: PADDING / 2 + i * box.width, y: box.y - LINE / 2, width: box.width, height: PANEL_HEIGHT }
    return drawPanel({ spec, series, yValues, styles, box: at })
  })
  const foot = notes.map((note) =>
    words(note, { x: PADDING, y: top.take(LINE), size: SIZE.tick, fill: PALE_INK }),
  )
  return wrap({ title, height: top.y - LINE / 2 + 4, children: [head, drawn, foot] })
}

function wrap({ title, height, children }) {
  const paper = { x: 0.5, y: 0.5, width: WIDTH - 1, height: height - 1, rx: 6, fill: PAPER, stroke: RULE }
  const attributes = {
    xmlns: 'http://www.w3.org/2000/svg',
    viewBox: `0 0 ${WIDTH} ${height}`,
    width: WIDTH,
    height,
    role: 'img',
    'font-family': FONT,
  }
  return `${element('svg', attributes, tip(title), element('rect', paper), ...children.flat(2))}\n`
}

function drawLegend(names, { styles, labelOf, top }) {
  const widthOfEntry = (name) => SAMPLE_WIDTH + widthOf(`${labelOf(name)}  `, SIZE.text)
  return flow(names, widthOfEntry).map(({ items, starts }) => {
    const y = top.take(LINE)
    return items.map((name, i) =>
      element(
        'g',
        { class: 'entry', transform: `translate(${PADDING + starts[i]} ${y - 4})` },
        element('path', { d: 'M0 0H22', stroke: styles.get(name).colour, 'stroke-width': 2 }),
        element('g', { transform: 'translate(11 0)' }, mark(styles.get(name))),
        words(labelOf(name), { x: SAMPLE_WIDTH, y: 4.5, size: SIZE.text, fill: INK }),
      ),
    )
  })
}

/** Breaks items into rows that fit. @returns `{items, starts}` of each row */
function flow(items, width) {
  const rows = []
  let end = Infinity
  for (const item of items) {
    const needed = width(item)
    if (end + needed > WIDTH - 2 * PADDING) {
      rows.push({ items: [], starts: [] })
      end = 0
    }
    rows.at(-1).items.push(item)
    rows.at(-1).starts.push(end)
    end += needed
  }
  return rows
}

function yValuesOf(series) {
  return [...series.values()].flat().flatMap(({ y, low, high }) => [y, low, high])
}

/** Things one below the other. */
class Column {
  constructor(y) {
    this.y = y
  }

  /** @returns where the thing stands; the next one stands below it */
  take(height) {
    const { y } = this
    this.y += height
    return y
  }
}
