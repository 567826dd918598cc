/**
 * A link as lines for a person: how it is, what leaves, who is at its other ends.
 *
 * @see FED-32, FED-65
 */
import type { Palette } from '../../core/display/palette.ts'
import { formatCount } from '../../core/text/counts.ts'
import { formatAgo, formatDuration, formatSpan } from '../../core/text/durations.ts'
import { safeLine } from '../../core/text/safe-text.ts'
import type { LinkReply } from '../../protocol/http/links-reply.ts'

/** Names and what is said of them. */
type Rows = readonly (readonly [string, string])[]

type LinkNode = LinkReply['nodes'][number]

/** From here on a clock is worth a word (FED-32). */
export const CLOCK_OFF_MS = 60_000

/** What `--json` prints of one. */
export function linkData(link: LinkReply): object {
  return link
}

/** The lines. @param nowMs - wall time */
export function linkLines(
  link: LinkReply,
  nowMs: number,
  { bold, dim, green, yellow, red }: Palette,
): readonly string[] {
  const paint = { up: green, starting: dim, away: yellow, fenced: red, refused: red }[link.state]
  const rows: Rows = [
    ['as', `${link.node} in ${link.realm}`],
    ['leaves', link.what_leaves],
    ...sealed(link),
    ...lag(link),
    ...link.nodes
      .filter(({ node }) => node !== link.node)
      .map((node) => [node.node, nodeInWords(node, nowMs)] as const),
    ...(link.is_durable ? [] : [['note', 'no replay: memory ring'] as const]),
  ]
  const width = Math.max(...rows.map(([name]) => name.length))
  return [
    `${bold(safeLine(link.name))} ${paint(safeLine(stateInWords(link, nowMs)))}`,
    ...inOneLine(link).map((line) => `  ${safeLine(line)}`),
    ...rows.map(([name, value]) => `  ${dim(safeLine(name).padEnd(width))}  ${safeLine(value)}`),
  ]
}

/** `up`, `away 3m, 120 waiting: …`, `fenced: …`; no full stop at its end. */
export function stateInWords({ state, why, since_ms: sinceMs, waiting }: LinkReply, nowMs: number): string {
  const gathered = waiting > 0 ? `, ${waiting} waiting` : ''
  const because = why === null ? '' : `: ${why.replace(/\.$/, '')}`
  if (state === 'away') return `away ${formatSpan(Math.max(0, nowMs - sinceMs))}${gathered}${because}`
  return `${state}${state === 'up' ? gathered : because}`
}

/** Frames that are named in the one line; more of them stand below. */
const MAX_NAMED_LENGTH = 32

/** What leaves, and who is how far behind; nothing where neither way is known to be open. */
function inOneLine({
  behind,
  behind_ms: behindMs,
  lag_ms: lagMs,
  state,
  waiting,
  ...link
}: LinkReply): string[] {
  if (state !== 'up' && state !== 'away') return []
  const [frames = ''] = link.what_leaves.split(';')
  const isNone = frames.startsWith('no ')
  const what = frames.length > MAX_NAMED_LENGTH ? 'the frames named below' : frames
  const leaves = `${what} ${isNone ? 'leaves' : 'leave'}`
  const [hub, here] = [distance(waiting, lagMs ?? 0), state === 'up' ? distance(behind, behindMs) : '']
  if (hub !== '') return [`${leaves}; the hub is ${hub}${here === '' ? '' : `, here ${here}`}`]
  if (here !== '') return [`${leaves}; this machine is ${here}`]
  return [isNone || state === 'away' ? leaves : `${leaves}; nothing waits here, nor at the hub`]
}

/** `12 behind (3s)`; empty where there is none. */
function distance(count: number, ms: number): string {
  if (count === 0) return ''
  return ms < 1_000 ? `${count} behind` : `${count} behind (${formatSpan(ms)})`
}

/**
 * Whoever has no key yet is named: it hears nothing of this machine. Where this machine is not let in, an estate that it heard of may
 * have a key that it was not given.
 */
function sealed({ authority_epoch: epoch, seal, state, unsealed_for: others = [] }: LinkReply): Rows {
  if (seal === undefined) return []
  const key = state === 'up' ? `the key of estate ${epoch}` : 'a key of your estate'
  const but = others.length === 0 ? '' : `; no key for ${others.join(', ')}`
  return [['sealed', `with ${key}, which the hub has not${but}`]]
}

function lag(link: LinkReply): Rows {
  const { behind, behind_ms: behindMs, figures, lag_ms: lagMs } = link
  const carried = `${figures.records_out} out, ${figures.records_in} in`
  const odd = [
    ...(figures.refused > 0 ? [`${figures.refused} refused`] : []),
    ...(figures.holes > 0 ? [formatCount(figures.holes, 'hole')] : []),
    ...(figures.reconnects > 0 ? [formatCount(figures.reconnects, 'reconnect')] : []),
  ]
  const waiting = byWay(link.lanes.map(({ for: whom, waiting: count, lag_ms: ms }) => ({ whom, count, ms })))
  const unread = byWay(
    link.readings.map(({ for: whom, behind: count, behind_ms: ms }) => ({ whom, count, ms })),
  )
  const waits = lagMs !== null && lagMs > 0 ? [`the oldest waits ${formatDuration(lagMs)}`] : []
  const late = behind > 0 ? [['reading', `${lagInWords(behind, behindMs)}${unread}`] as const] : []
  const held = waiting === '' ? [] : [['waiting', waiting.slice(2)] as const]
  return [['carried', [carried, ...odd, ...waits].join(', ')], ...held, ...late]
}

/** Ways that are named in one line. */
const MAX_NAMED_WAYS = 5

/** `: r-dev 10 (3s), all 2`; empty where there is one way alone, or nothing in any. The longest is said first. */
function byWay(
  ways: readonly { readonly whom: string; readonly count: number; readonly ms: number }[],
): string {
  const late = ways.filter(({ count }) => count > 0).toSorted((a, b) => b.count - a.count)
  if (ways.length < 2 || late.length === 0) return ''
  const named = late.slice(0, MAX_NAMED_WAYS).map(({ whom, count, ms }) => {
    const span = ms < 1_000 ? '' : ` (${formatSpan(ms)})`
    return `${whom} ${count}${span}`
  })
  const more = late.length - named.length
  return `: ${[...named, ...(more > 0 ? [`${more} more`] : [])].join(', ')}`
}

/** `12 behind, 3s`. */
function lagInWords(behind: number, behindMs: number): string {
  return behindMs < 1_000 ? `${behind} behind` : `${behind} behind, ${formatSpan(behindMs)}`
}

function nodeInWords(said: LinkNode, nowMs: number): string {
  const { state, as_of: asOf, sessions, untold = false, offset_ms: offsetMs } = said
  const seen = formatAgo(nowMs - Date.parse(asOf))
  const clock =
    offsetMs !== null && Math.abs(offsetMs) > CLOCK_OFF_MS
      ? `, its clock is off by ${formatDuration(offsetMs)}`
      : ''
  const how = {
    here: untold ? 'here, and does not say who is there' : `here, ${formatCount(sessions, 'session')}`,
    away: `away, seen ${seen}`,
    left: `left ${seen}`,
  }[state]
  return `${how}${clock}`
}
