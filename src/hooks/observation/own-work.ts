/**
 * When a session was at work with tools that may change anything: what changed then may be its own doing, so nobody is told
 * that it was somebody else's.
 */

/** A span of wall time, in milliseconds. */
export interface Span {
  readonly fromMs: number
  readonly toMs: number
}

/** Spans that are remembered of one session; of more, the oldest are forgotten. */
export const MAX_SPANS = 64

/**
 * How long behind a tool what it set off may still change files, such as a formatter that hooks start; and how late an event may
 * come, in milliseconds.
 */
export const AFTERMATH_MS = 2_000
const LATENESS_MS = 1_000

/** The same with one more; those that meet become one. */
export function withSpan(spans: readonly Span[], { fromMs, toMs }: Span): readonly Span[] {
  const wide = { fromMs: fromMs - LATENESS_MS, toMs: toMs + AFTERMATH_MS }
  const apart = spans.filter((span) => span.toMs < wide.fromMs || span.fromMs > wide.toMs)
  const met = spans.filter((span) => !apart.includes(span))
  const joined = {
    fromMs: Math.min(wide.fromMs, ...met.map((span) => span.fromMs)),
    toMs: Math.max(wide.toMs, ...met.map((span) => span.toMs)),
  }
  return [...apart, joined].toSorted((a, b) => a.fromMs - b.fromMs).slice(-MAX_SPANS)
}

/** Whether some of it was within one of them. @param lastMs - of what is only known to the second, its end */
export function mayBeOwn(spans: readonly Span[], firstMs: number, lastMs = firstMs): boolean {
  return spans.some(({ fromMs, toMs }) => firstMs <= toMs && lastMs >= fromMs)
}
