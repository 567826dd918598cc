/**
 * A workflow by who is in it: a lane for each entity, and an arrow for each envelope, time downwards.
 *
 * @see SEAT-25
 */
import type { ShownHop } from './thread-view.ts'

/** One envelope between two lanes. */
export interface SequenceArrow {
  readonly hop: ShownHop
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
export function toSequence(hops: readonly ShownHop[]): Sequence {
  const inTime = hops.toSorted((a, b) => a.at - b.at)
  const places = new Map<string, number>()
  const placeOf = (entity: string): number => {
    const place = places.get(entity) ?? places.size
    places.set(entity, place)
    return place
  }
  const arrows = inTime.map((hop): SequenceArrow => {
    const [from, to] = [placeOf(hop.from), placeOf(hop.to)]
    const goes = from === to ? '↻' : from < to ? '→' : '←'
    return { hop, lane: Math.min(from, to), lanes: Math.abs(to - from) + 1, goes }
  })
  return { lanes: [...places.keys()], arrows }
}
