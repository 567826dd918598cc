/**
 * What sets a hop of a workflow apart, and what there is to say of all of them.
 *
 * @see AEE-012, AEE-024, AEE-063; AEQ-26
 */
import { formatCount } from '../../core/text/counts.ts'
import { formatDuration } from '../../core/text/durations.ts'
import { listMember, objectOf } from '../../core/text/json-object.ts'
import { formatMarks } from '../envelope/summary.ts'
import type { Hop } from './hops.ts'

/** One remark: words of ours, and behind them somebody else's, not yet safe to show. Either may be ''. */
export interface HopNote {
  readonly ours: string
  readonly theirs: string
}

/** What is longer than this between two clocks, or on the way to the daemon, is worth a note. */
const NOTABLE_MS = 1_000

/** Decisions of one event that are named. */
const MAX_CODES = 8

/** A remark in one, for where nothing tells ours and theirs apart. */
export function spokenNote({ ours, theirs }: HopNote): string {
  return `${ours}${theirs}`
}

/** What sets a hop apart, not yet safe to print. */
export function notesOf(hop: Hop): readonly HopNote[] {
  const { item, isOpen } = hop
  const { type, intent, payload } = item.envelope
  const { code } = payload
  const failure = type !== 'error' ? [] : [typeof code === 'string' ? say('', code) : say('error')]
  const refuted = item.refuted.map(({ by, reason }) => say('refuted by ', `${by}: ${reason}`))
  // The counts are of the moment it was accepted; whoever came back later may have read it.
  const wasUnheard = type === 'task' && !hop.isAnswered && item.recipientCount + item.queuedCount === 0
  const unheard = wasUnheard ? [say('nobody was listening')] : []
  const marks = [...formatMarks(item), ...formatTimes(hop)].map((words) => say(words))
  // What an orchestrator, or the daemon itself, has decided about the envelope above (AEE-C11).
  const decided = intent === 'aocl.layer.decision' ? listMember(payload, 'decisions').slice(0, MAX_CODES) : []
  return [
    ...(isOpen ? [say('open')] : []),
    ...failure,
    ...decided.flatMap((one) => sayCode(objectOf(one))),
    ...marks,
    ...unheard,
    ...refuted,
  ]
}

function sayCode({ code }: Readonly<Record<string, unknown>>): readonly HopNote[] {
  return typeof code === 'string' ? [say('', code)] : []
}

/** `5 envelopes, 1 task open, 3.4s from first to last` */
export function formatThreadSummary(hops: readonly Hop[]): string {
  const open = hops.filter(({ isOpen }) => isOpen).length
  const times = hops.map(({ item }) => Date.parse(item.acceptedAt)).filter((ms) => !Number.isNaN(ms))
  const lastMs = times.reduce((most, ms) => Math.max(most, ms), -Infinity)
  const firstMs = times.reduce((least, ms) => Math.min(least, ms), Infinity)
  return [
    formatCount(hops.length, 'envelope'),
    open === 0 ? 'no task open' : `${formatCount(open, 'task')} open`,
    ...(times.length > 1 ? [`${formatDuration(lastMs - firstMs)} from first to last`] : []),
  ].join(', ')
}

function say(ours: string, theirs = ''): HopNote {
  return { ours, theirs }
}

/**
 * Where the clocks of the senders tell another story than the daemon's, told once: not again of what was as long
 * on its way as the one it answers, and by its `ts` only where the way does not explain it.
 */
function formatTimes({ afterMs, afterBySendersMs, onItsWayMs }: Hop): readonly string[] {
  const isTimed = afterMs !== null && afterBySendersMs !== null
  if (isTimed && Math.abs(afterMs - afterBySendersMs) < NOTABLE_MS) return []
  if (onItsWayMs !== null && onItsWayMs >= NOTABLE_MS) return [`${formatDuration(onItsWayMs)} on its way`]
  return isTimed ? [`+${formatDuration(afterBySendersMs)} by its ts`] : []
}
