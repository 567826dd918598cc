/**
 * From the envelopes of a workflow to what is shown of it.
 *
 * @see SEAT-25; AEE-012, AEE-C12
 */
import { formatThreadSummary, notesOf } from '../../../aee/thread/hop-notes.ts'
import { toHops, type Hop, type HopItem } from '../../../aee/thread/hops.ts'
import { formatMermaid } from '../../../aee/thread/mermaid.ts'
import { clip } from '../../../core/text/clip.ts'
import { formatDuration } from '../../../core/text/durations.ts'
import { toSequence } from './sequence.ts'
import type { ShownHop, ThreadView } from './thread-view.ts'

/** An envelope and its place in the sequence. */
export interface PlacedHopItem extends HopItem {
  readonly eventId: string
}

/** Hops that are shown of a workflow; of a longer one the first. */
export const MAX_SHOWN_HOPS = 1_000

/** Characters of a name, an intent or a remark that are shown; either may fill an envelope. */
const MAX_NAME_CHARACTERS = 240

/**
 * Draws it.
 *
 * @param items - in the order of cause and effect, as the daemon answers them
 * @param hasMore - whether there are envelopes that are not among them
 */
export function showThread(corr: string, items: readonly PlacedHopItem[], hasMore = false): ThreadView {
  const hops = toHops(items)
  const shown = hops.slice(0, MAX_SHOWN_HOPS).map(showHop)
  return {
    corr,
    says: formatThreadSummary(hops),
    hops: shown,
    sequence: toSequence(shown),
    more: hasMore || hops.length > MAX_SHOWN_HOPS,
    mermaid: formatMermaid(hops),
  }
}

function showHop(hop: Hop<PlacedHopItem>): ShownHop {
  const { item, depth, afterMs } = hop
  const { type, intent, from, to } = item.envelope
  const at = Date.parse(item.acceptedAt)
  return {
    event: item.eventId,
    depth,
    at: Number.isNaN(at) ? 0 : at,
    type,
    intent: clip(intent, MAX_NAME_CHARACTERS),
    from: clip(from, MAX_NAME_CHARACTERS),
    to: clip(to, MAX_NAME_CHARACTERS),
    after: afterMs === null ? '' : formatDuration(afterMs),
    notes: notesOf(hop).map(({ ours, theirs }) => ({ ours, theirs: clip(theirs, MAX_NAME_CHARACTERS) })),
  }
}
