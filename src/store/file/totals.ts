/** How much the ring holds. */
export interface Totals {
  readonly frames: number
  readonly bytes: number
}
