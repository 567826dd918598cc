/**
 * Chance that can be had again: the seed of a run is printed with its figures.
 */

/** mulberry32. @returns a function that gives numbers from 0 (inclusive) to 1 (exclusive), with helpers on it */
export function createRandom(seed) {
  let state = seed >>> 0
  const random = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
  /** A whole number from `min` to `max`, both included. */
  random.between = (min, max) => min + Math.floor(random() * (max - min + 1))
  random.pick = (items) => items[Math.floor(random() * items.length)]
  return random
}
