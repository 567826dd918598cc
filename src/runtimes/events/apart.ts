/**
 * How far two moments are apart, whichever came first.
 *
 * Of two hooks that run at once, the one that began earlier may look later: what it finds lies a little in its
 * future and is as good as now. A clock that was set back puts things far into it, and then they count for
 * nothing, so that a file is not silenced for ever.
 */
export function apartMs(oneMs: number, otherMs: number): number {
  return Math.abs(oneMs - otherMs)
}
