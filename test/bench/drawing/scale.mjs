/**
 * From a figure to a place on an axis, and the ticks that say which.
 *
 * A scale is `{at(value), ticks: [{value, label}]}`.
 */

/** Beyond so many decades only the decades themselves have a tick. */
const FULL_DECADES = 2.5

/** Ticks of a linear axis, about. */
const LINEAR_TICKS = 5

/** What lies between the outermost figures and the ends of the axis, as a share of it. */
const PAD_SHARE = 0.05

/** Logarithmic, from one round value to another. */
export function logScale(values, { from, to }) {
  const low = roundDown(Math.min(...values))
  const high = Math.max(roundUp(Math.max(...values)), next(low))
  const isWide = Math.log10(high / low) > FULL_DECADES
  const ticks = stepsBetween(low, high).filter((value) => !isWide || isDecade(value))
  return { at: placer(Math.log10, [low, high], [from, to]), ticks: ticks.map(tickAt) }
}

/** Linear from zero: on such an axis flat looks flat, and twice is twice as high. */
export function linearScale(values, { from, to }) {
  const most = Math.max(...values)
  const step = roundUp(most / LINEAR_TICKS)
  const count = Math.ceil(most / step + 0.2)
  const ticks = Array.from({ length: count + 1 }, (_, i) => Number((i * step).toPrecision(12)))
  return { at: placer(Number, [0, count * step], [from, to]), ticks: ticks.map(tickAt) }
}

/** Logarithmic, with a tick where something was measured and nowhere else; labels keep their distance. */
export function placesScale(values, { from, to, distance }) {
  const places = [...new Set(values)].toSorted((a, b) => a - b)
  const [first, last] = [places[0], places.at(-1)]
  const pad = last > first ? (last / first) ** PAD_SHARE : 2
  const at = placer(Math.log10, [first / pad, last * pad], [from, to])
  let labelled = -Infinity
  const ticks = places.map((value) => {
    const isFree = at(value) - labelled >= distance
    if (isFree) labelled = at(value)
    return { value, label: isFree ? formatTick(value) : '' }
  })
  return { at, ticks }
}

function placer(measure, [low, high], [from, to]) {
  const [start, end] = [measure(low), measure(high)]
  return (value) => from + ((measure(value) - start) / (end - start)) * (to - from)
}

function tickAt(value) {
  return { value, label: formatTick(value) }
}

/** 0.2, 50, 3k, 1M */
export function formatTick(value) {
  if (value >= 1e6) return `${Number((value / 1e6).toPrecision(3))}M`
  if (value >= 1e3) return `${Number((value / 1e3).toPrecision(3))}k`
  return String(Number(value.toPrecision(3)))
}

/** The largest of 1, 2, 5 times a power of ten that is not more. */
function roundDown(value) {
  const power = Math.floor(Math.log10(value))
  const digit = [5, 2, 1].find((one) => Number(`${one}e${power}`) <= value) ?? 1
  return Number(`${digit}e${power}`)
}

/** The smallest of them that is not less. */
function roundUp(value) {
  const below = roundDown(value)
  return below >= value ? below : next(below)
}

function next(step) {
  const [digit, power] = step.toExponential().split('e')
  if (digit === '5') return Number(`1e${Number(power) + 1}`)
  return Number(`${digit === '1' ? 2 : 5}e${power}`)
}

function stepsBetween(low, high) {
  const steps = []
  for (let step = low; step <= high; step = next(step)) steps.push(step)
  return steps
}

function isDecade(value) {
  return value.toExponential().startsWith('1e')
}
