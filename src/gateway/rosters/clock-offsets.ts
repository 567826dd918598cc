/**
 * How far the clocks of nodes are from the engine's, by what each said of itself and when the engine took it.
 *
 * @see FED-32
 */
import { MAX_WALL_MS } from '../../core/clock.ts'

/** Nodes remembered: as many as an estate names. */
const MAX_NODES = 256

export class ClockOffsets {
  /** Node → milliseconds that its clock is ahead. */
  readonly #offsets = new Map<string, number>()

  note(node: string, sentAtMs: number, engineAtMs: number): void {
    if (this.#offsets.has(node) || this.#offsets.size < MAX_NODES)
      this.#offsets.set(node, sentAtMs - engineAtMs)
  }

  of(node: string): number | undefined {
    return this.#offsets.get(node)
  }

  /**
   * A moment by the clock of one node, by that of another; as it is where a clock is not known. What a node says of its clock may
   * be anything: what no calendar has becomes the nearest moment that one has.
   */
  translate(atMs: number, from: string, to: string): number {
    const [ahead, own] = [this.#offsets.get(from), this.#offsets.get(to)]
    return ahead === undefined || own === undefined
      ? atMs
      : Math.min(Math.max(0, atMs - ahead + own), MAX_WALL_MS)
  }
}
