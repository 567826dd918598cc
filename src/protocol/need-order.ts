/**
 * The one order of what needs the person: for the daemon, the page and the terminal alike.
 *
 * @see docs/http.md §7; SEAT-09
 */

/** What the order looks at. */
export interface Ranked {
  readonly addressed: 'you' | 'anyone'
  /** Wall times in milliseconds; no end for what waits for as long as it takes. */
  readonly askedAtMs: number
  readonly untilMs: number | undefined
}

/** Whoever asks waits for no longer than this: it cannot wait for its turn. */
const SOON_MS = 5 * 60_000

/** Those for the person alone first; of these what ends soon, the soonest first; then the oldest first. */
export function inOrder<Need extends Ranked>(needs: Iterable<Need>, nowMs: number): readonly Need[] {
  return [...needs].toSorted(
    (a, b) =>
      Number(a.addressed === 'anyone') - Number(b.addressed === 'anyone') ||
      soonEnd(a, nowMs) - soonEnd(b, nowMs) ||
      a.askedAtMs - b.askedAtMs,
  )
}

/** When it ends, where that is soon; one number for all others, those whose time is over too. */
function soonEnd({ untilMs }: Ranked, nowMs: number): number {
  const isSoon = untilMs !== undefined && untilMs > nowMs && untilMs - nowMs < SOON_MS
  return isSoon ? untilMs : Number.MAX_SAFE_INTEGER
}
