/** One panel: axes, and a line of points for every series. */
import { linearScale, logScale, placesScale } from './scale.mjs'
import { INK, PALE_INK, RULE, SIZE, mark } from './style.mjs'
import { element, tip, words } from './svg.mjs'

/** Around the plane of a panel, in pixels: for the title, the labels and the names of the axes. */
const MARGIN = { left: 66, right: 20, top: 30, bottom: 52 }

/** Between the middles of two labels of the x axis. */
const LABEL_DISTANCE = 36

/**
 * @param panel.spec - `{key, title, x, y, scale}`, of `plots.mjs`
 * @param panel.series - of `series.mjs`
 * @param panel.yValues - what the y axis has to have room for
 * @param panel.styles - Map from a series' name to its style
 * @param panel.box - `{x, y, width, height}`, margins and all
 */
export function drawPanel({ spec, series, yValues, styles, box }) {
  const plane = {
    left: MARGIN.left,
    right: box.width - MARGIN.right,
    top: MARGIN.top,
    bottom: box.height - MARGIN.bottom,
  }
  const points = [...series.values()].flat()
  const x = placesScale(
    points.map((point) => point.x),
    { from: plane.left, to: plane.right, distance: LABEL_DISTANCE },
  )
  const createY = spec.scale === 'log' ? logScale : linearScale
  const y = createY(yValues, { from: plane.bottom, to: plane.top })
  return element(
    'g',
    { class: 'panel', 'data-panel': spec.key, transform: `translate(${box.x} ${box.y})` },
    words(spec.title, { x: plane.left, y: 18, size: SIZE.text, 'font-weight': 600, fill: INK }),
    drawXAxis(x, plane, spec.x),
    drawYAxis(y, plane, spec.y),
    // Above everything else, and the first series above all others.
    [...series].toReversed().map(([name, list]) => drawSeries({ name, list, style: styles.get(name), x, y })),
  )
}

function drawXAxis({ at, ticks }, { left, right, top, bottom }, title) {
  return [
    ...ticks.map(({ value, label }) =>
      element(
        'g',
        tickAttributes('x', at(value), bottom),
        element('path', { d: `M0 0V${top - bottom}`, stroke: RULE, 'stroke-opacity': 0.6 }),
        element('path', { d: 'M0 0V5', stroke: PALE_INK }),
        label === '' ? '' : words(label, { y: 19, size: SIZE.tick, 'text-anchor': 'middle', fill: PALE_INK }),
      ),
    ),
    element('path', { d: `M${left} ${bottom}H${right}`, stroke: PALE_INK }),
    words(title, {
      x: (left + right) / 2,
      y: bottom + 42,
      size: SIZE.text,
      'text-anchor': 'middle',
      fill: INK,
    }),
  ]
}

function drawYAxis({ at, ticks }, { left, right, top, bottom }, title) {
  const middle = (top + bottom) / 2
  return [
    ...ticks.map(({ value, label }) =>
      element(
        'g',
        tickAttributes('y', left, at(value)),
        element('path', { d: `M0 0H${right - left}`, stroke: RULE }),
        words(label, { x: -8, y: 4, size: SIZE.tick, 'text-anchor': 'end', fill: PALE_INK }),
      ),
    ),
    words(title, {
      transform: `translate(16 ${middle}) rotate(-90)`,
      size: SIZE.text,
      'text-anchor': 'middle',
      fill: INK,
    }),
  ]
}

function tickAttributes(axis, x, y) {
  return { class: 'tick', 'data-axis': axis, ...placed(x, y) }
}

function drawSeries({ name, list, style, x, y }) {
  const path = list.map((point, i) => `${i === 0 ? 'M' : 'L'}${place(x.at(point.x), y.at(point.y))}`).join('')
  return element(
    'g',
    { class: 'series', 'data-series': name },
    element('path', { d: path, fill: 'none', stroke: style.colour, 'stroke-width': 2 }),
    list.map((point) => drawPoint({ name, point, style, x, y })),
  )
}

/** A mark, and how far the rounds lay apart. */
function drawPoint({ name, point, style, x, y }) {
  const [left, top] = [x.at(point.x), y.at(point.y)]
  const span = `M0 ${(y.at(point.low) - top).toFixed(2)}V${(y.at(point.high) - top).toFixed(2)}`
  return element(
    'g',
    { class: 'point', 'data-x': String(point.x), 'data-y': String(point.y), ...placed(left, top) },
    element('path', { d: span, stroke: style.colour, 'stroke-width': 1.5, 'stroke-opacity': 0.7 }),
    mark(style, point.isMissed),
    tip(`${name}, ${point.x}: ${Number(point.y.toPrecision(3))} ${point.unit}`),
  )
}

function placed(x, y) {
  return { transform: `translate(${place(x, y)})` }
}

function place(x, y) {
  return `${x.toFixed(2)} ${y.toFixed(2)}`
}
