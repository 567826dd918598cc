/**
 * Contenders side by side: interleaved rounds, and what they come to.
 */
import { median, pairedRatio } from './statistics.mjs'

/**
 * Measures every contender once per round, each round beginning with another one.
 *
 * @param measure - one measurement of one contender
 * @returns Map from a contender's name to its samples, in the order of the rounds
 */
export async function compete({ scale, quiet }, contenders, measure) {
  const samples = new Map(contenders.map(({ name }) => [name, []]))
  for (let round = 0; round < scale.rounds; round += 1) {
    await quiet()
    const shift = round % contenders.length
    for (const contender of [...contenders.slice(shift), ...contenders.slice(0, shift)]) {
      samples.get(contender.name).push(await measure(contender))
    }
  }
  return samples
}

/**
 * One line of the table: a figure against a peer's.
 *
 * @param line.own - one value per round
 * @param line.peer - `{name, values}`, one per round; without it no ratio is taken, and `missing` says why
 * @param line.target - `{atLeast}` or `{atMost}` of the ratio; absent where there is none
 */
export function ratioLine({ what, unit, own, peer, missing, target, note }) {
  const line = { what, unit, figure: median(own), own, target, note: note ?? null }
  if (peer === undefined) {
    return {
      ...line,
      peer: null,
      held: null,
      note: [missing, note].filter((text) => text !== undefined).join('; '),
    }
  }
  const { ratio, low, high } = pairedRatio(own, peer.values)
  const figures = { peer: peer.name, peerFigure: median(peer.values), peerSamples: peer.values }
  return { ...line, ...figures, ratio, ratioLow: low, ratioHigh: high, held: isHeld(ratio, target) }
}

/** One line of the table whose figure itself is what the target is about. */
export function figureLine({ what, unit, figure, target, note }) {
  return {
    what,
    unit,
    figure,
    peer: null,
    target,
    held: isHeld(figure, target),
    targetsFigure: true,
    note: note ?? null,
  }
}

function isHeld(value, target) {
  if (target === undefined || value === null || Number.isNaN(value)) return null
  return target.atLeast === undefined ? value <= target.atMost : value >= target.atLeast
}

/** Stops every server that was started, the last one first. */
export async function stopAll(servers) {
  for (const server of servers.toReversed()) await server.stop()
}
