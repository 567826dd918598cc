/**
 * A workflow by who is in it: a lane for each entity, and an arrow for each envelope, time downwards.
 *
 * @see SEAT-25
 */

/** What a hop has to say for it. `at` in milliseconds. */
interface TimedHop {
  readonly at: number
  readonly from: string
  readonly to: string
}

/** One envelope between two lanes. */
export interface SequenceArrow {
  /** Its place among the hops. */
  readonly hop: number
  /** The first lane it touches, and how many; one for who writes to itself. */
  readonly lane: number
  readonly lanes: number
  readonly goes: '→' | '←' | '↻'
}

/** The whole of it. */
export interface Sequence {
  /** Entities in the order they came in. */
  readonly lanes: readonly string[]
  readonly arrows: readonly SequenceArrow[]
}

/** @param hops - in any order; those of one moment stay as they are */
export function toSequence(hops: readonly TimedHop[]): Sequence {
  const inTime = [...hops.entries()].toSorted(([, a], [, b]) => a.at - b.at)
  const places = new Map<string, number>()
  const placeOf = (entity: string): number => {
    const place = places.get(entity) ?? places.size
    places.set(entity, place)
    return place
  }
  const arrows = inTime.map(([hop, { from, to }]): SequenceArrow => {
    const [start, end] = [placeOf(from), placeOf(to)]
    const goes = start === end ? '↻' : start < end ? '→' : '←'
    return { hop, lane: Math.min(start, end), lanes: Math.abs(end - start) + 1, goes }
  })
  return { lanes: [...places.keys()], arrows }
}
