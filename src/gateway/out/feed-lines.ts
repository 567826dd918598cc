/**
 * The lines of a feed: what leaves, as records, each in the words of `GET /v1/link/feed`.
 *
 * @see docs/http.md §13; FED-17
 */
import { FORGOTTEN_EVERYWHERE, type NumberedReport } from '../../broker/origins/origins.ts'
import { digestOf } from '../../broker/ring/digest.ts'
import type { Retained } from '../../broker/ring/retained.ts'
import { unlessRefused } from '../../core/thrown.ts'
import { formatRecord } from '../../link/record.ts'
import type { ReportItem } from '../../link/text/report.ts'

/** How lines leave on a lane: as they are, or sealed (FED-46). */
export interface Wrapping {
  /** @returns undefined where it may not leave */
  readonly line: (line: string, place: { readonly e?: string; readonly r?: number }) => string | undefined
  readonly digest: (digest: string) => string
}

/**
 * Something that leaves, as a line; undefined for what fits into no record.
 *
 * @param text - as it leaves
 */
export function itemLine(
  eventId: string,
  retained: Retained,
  { text, wrapping }: { readonly text: string; readonly wrapping: Wrapping },
): string | undefined {
  const plain = recordLine(eventId, retained, text)
  const line = plain === undefined ? undefined : wrapping.line(plain, { e: eventId })
  if (line === undefined) return undefined
  return `${JSON.stringify({ e: eventId, digest: wrapping.digest(digestOf(retained.scopeText, retained.text)), line })}\n`
}

/** The record of it alone, as it goes to the hub. */
export function recordLine(eventId: string, retained: Retained, text: string): string | undefined {
  const { senderAddress: sender, tool, acceptedAtMs: at, scopeText } = retained
  const beside = { e: eventId, sender, at, ...(tool !== undefined && { tool }) }
  return unlessRefused(() =>
    retained.type === 'frame'
      ? formatRecord({ t: 'frame', ...beside, scope: scopeText, frameText: text })
      : formatRecord({
          t: 'envelope',
          ...beside,
          to: scopeText,
          priority: retained.envelope.effectivePriority,
          envelopeText: text,
        }),
  )
}

/** Reports, a line for each run of those about one node, and of what is to be forgotten; `r` is the last that a line holds. */
export function* reportLines(
  reports: readonly NumberedReport[],
  wrapping: Wrapping,
): Generator<{ r: number; line: string }> {
  let items: ReportItem[] = []
  for (const [i, { n, node, item }] of reports.entries()) {
    items.push(item)
    if (reports[i + 1]?.node === node) continue
    const plain = formatRecord(
      node === FORGOTTEN_EVERYWHERE
        ? { t: 'forget', ids: items.map(([id]) => id) }
        : { t: 'report', node, items },
    )
    const line = wrapping.line(plain, { r: n })
    if (line !== undefined) yield { r: n, line: `${JSON.stringify({ r: n, line })}\n` }
    items = []
  }
}

/** That the ring does not hold what follows a place. */
export function gapLine(after: string, next: string | null): string {
  return `${JSON.stringify({ gap: { after, next } })}\n`
}

export function presenceLine(text: string): string {
  return `${JSON.stringify({ presence: text })}\n`
}
