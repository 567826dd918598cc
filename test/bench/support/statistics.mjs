/** Figures about samples. */

/** The q-quantile (0…1) by nearest rank. */
export function quantile(samples, q) {
  const sorted = samples.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(q * sorted.length) - 1))]
}

/** The middle one, or the mean of the two in the middle. */
export function median(samples) {
  const sorted = samples.toSorted((a, b) => a - b)
  const middle = sorted.length >>> 1
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

/**
 * Ratios of what was measured side by side, round by round, so that a machine that slows down slows both.
 *
 * @returns `{ratio, low, high}`: the median of the rounds, and how far they lay apart
 */
export function pairedRatio(own, peer) {
  const ratios = own.map((value, i) => value / peer[i])
  return { ratio: median(ratios), low: Math.min(...ratios), high: Math.max(...ratios) }
}
