/**
 * Lines of a curve: one figure at one place.
 *
 * A line that a plot shows says where it belongs: `point = {panel, x, series?, missed?}`. Without a series the line
 * is two points, of agentd and of its peer; `missed` names those that did not reach the load that was offered.
 */
import { ratioLine } from './contest.mjs'
import { median } from './statistics.mjs'

/** What grows a thousandfold may cost half as much again: flat or logarithmic, never linear. */
const FLAT = { atMost: 1.5 }

/**
 * A line for each peer that was measured at this place, or one without a peer.
 *
 * @param samples - Map from a contender's name to its samples
 * @param line.read - from a sample to the figure
 * @param line.noteOf - what to say of a contender's samples, given its name; may be undefined
 */
export function contestLines(samples, { what, unit, point, read, noteOf = () => undefined }) {
  const own = samples.get('agentd')?.map(read)
  const names = [...samples.keys()].filter((name) => name !== 'agentd')
  if (names.length === 0) {
    return [{ ...ratioLine({ what, unit, own, missing: 'no peer', note: noteOf('agentd') }), point }]
  }
  return names.map((name) => {
    const peer = { name, values: samples.get(name).map(read) }
    const notes = [own && noteOf('agentd'), noteOf(name)].filter((text) => text !== undefined)
    const note = notes.length === 0 ? undefined : notes.join('; ')
    const line =
      own === undefined ? peerLine({ what, unit, peer, note }) : ratioLine({ what, unit, own, peer, note })
    return { ...line, point }
  })
}

/** A peer goes on where agentd has been left out. */
function peerLine({ what, unit, peer, note }) {
  const figures = { peer: peer.name, peerFigure: median(peer.values), peerSamples: peer.values }
  return { what, unit, figure: null, ...figures, held: null, note: note ?? null }
}

/**
 * A line for each size, against the smallest one; the largest has to be nearly as cheap.
 *
 * @param samples - Map from a size to its samples, the smallest first
 * @param line.what - what is measured, given the size in words
 */
export function growthLines(samples, { what, unit, point, read }) {
  const [[smallest, first]] = samples
  const largest = Math.max(...samples.keys())
  return [...samples].map(([size, list]) => {
    const line = { what: what(spell(size)), unit, own: list.map(read) }
    const place = { point: { ...point, x: size } }
    if (size === smallest) return { ...ratioLine({ ...line, note: 'the base of the ratios' }), ...place }
    const peer = { name: `at ${spell(smallest)}`, values: first.map(read) }
    const target = size === largest ? FLAT : undefined
    return { ...ratioLine({ ...line, peer, target }), ...place }
  })
}

/** 10 000 */
export function spell(size) {
  return size.toLocaleString('en-US').replaceAll(',', ' ')
}
