/** From the lines of a run to what a panel shows. */

/**
 * Every line with a `point` of this panel, by series.
 *
 * @returns Map from a series' name to its points `{x, y, low, high, isMissed, unit}` by growing x
 */
export function seriesOf(lines, panel) {
  const series = new Map()
  const add = (name, point) => {
    if (!(point.x > 0 && point.y > 0)) return
    if (!series.has(name)) series.set(name, new Map())
    series.get(name).set(point.x, point)
  }
  for (const line of lines.filter(({ point }) => point?.panel === panel)) {
    const { x, series: name, missed = [] } = line.point
    const { figure, own, peer, peerFigure, peerSamples, unit } = line
    const own_ = name ?? 'agentd'
    add(own_, { x, y: figure, ...spanOf(own, figure), isMissed: missed.includes(own_), unit })
    if (name !== undefined || peer === null) continue
    add(peer, { x, y: peerFigure, ...spanOf(peerSamples, peerFigure), isMissed: missed.includes(peer), unit })
  }
  return new Map(
    [...series].map(([name, points]) => [name, [...points.values()].toSorted((a, b) => a.x - b.x)]),
  )
}

/** How far the rounds lay apart. */
function spanOf(samples, figure) {
  const values = samples?.filter((value) => value > 0) ?? []
  return values.length === 0
    ? { low: figure, high: figure }
    : { low: Math.min(...values), high: Math.max(...values) }
}
