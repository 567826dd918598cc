/** Figures about samples. */

/** The q-quantile (0…1) by nearest rank; null of nothing. */
export function quantile(samples, q) {
  if (samples.length === 0) return null
  const sorted = samples.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(q * sorted.length) - 1))]
}

const round = (value) => (value === null ? null : Math.round(value * 10) / 10)

/** Median, p99 and maximum, rounded to a tenth, under names that begin with `name`. */
export function summarise(name, samples) {
  return {
    [`${name}_p50`]: round(quantile(samples, 0.5)),
    [`${name}_p99`]: round(quantile(samples, 0.99)),
    [`${name}_max`]: round(quantile(samples, 1)),
  }
}

/** The slope of points `{x, y}`, by least squares; 0 of fewer than two. */
export function slopeOf(points) {
  if (points.length < 2) return 0
  const meanX = points.reduce((sum, { x }) => sum + x, 0) / points.length
  const meanY = points.reduce((sum, { y }) => sum + y, 0) / points.length
  const over = points.reduce((sum, { x, y }) => sum + (x - meanX) * (y - meanY), 0)
  const under = points.reduce((sum, { x }) => sum + (x - meanX) ** 2, 0)
  return over / under
}
