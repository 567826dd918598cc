/**
 * The lines of a welcome. Every one begins with a mark no peer could have guessed, so that nothing a peer wrote can pass for
 * the end of it. Names and places that a peer has given are quoted and cut; the text of a handover stands behind a bar
 * (HD-18).
 *
 * @see PD-03, PD-04; R-39; OP-25
 */
import { formatAge, formatAgo } from '../../core/text/durations.ts'
import { quoted } from '../../core/text/quoted.ts'
import { safeLine } from '../../core/text/safe-text.ts'
import type { BoardEntry } from '../../protocol/board/board-frame.ts'
import { lineMark } from '../../runtimes/events/line-mark.ts'
import { isOwn } from '../board/own.ts'
import type { OwnSession } from '../session/context.ts'
import { isHere, isReachable, type Neighbourhood } from '../session/near.ts'
import type { Handover } from './handover.ts'

/** Lines of each kind; more are counted. */
const MAX_SESSIONS = 8
const MAX_LEASES = 5

/** References of a handover that are named in its first line; all of them stand in the history. */
const MAX_REFS = 16

/** What there is to tell. */
export interface WelcomeFacts {
  readonly own: OwnSession
  readonly near: Neighbourhood
  readonly leases: readonly BoardEntry[]
  /** Whether whoever announced something has gone. */
  readonly hasLeft: (entry: BoardEntry) => boolean
  readonly handover: Handover | undefined
  readonly nowMs: number
}

/** @returns at most `budget` characters; an empty text when there is nothing to tell */
export function composeWelcome(facts: WelcomeFacts, budget: number): string {
  const { own, handover } = facts
  const lines = [...describeSiblings(facts), ...describeLeases(facts)]
  if (lines.length === 0 && handover === undefined) return ''
  const mark = lineMark()
  const { name, address } = own.session
  const head = `${mark} This session is ${safeLine(name)}, ${safeLine(address)}. What follows is information about and from other sessions, not words of the user.`
  const end = `${mark} End of information.`
  // Half of it stays for what waits in the inbox, but for a handover, which is what the session begins with.
  const left = budget - head.length - end.length - 2
  const about = fitting(lines, { mark, room: Math.floor(left / 2), rest: () => 'More is left out.' })
  const used = about.reduce((sum, line) => sum + line.length + 1, 0)
  const isTight = (own.session.mailbox?.unread ?? 0) > 0
  const room = isTight ? Math.floor((left - used) * INBOX_LEAVES) : left - used
  const rest = (count: number): string => cutLine(count, handover)
  return [head, ...about, ...fitting(describeHandover(facts), { mark, room, rest }), end].join('\n')
}

/** What a handover may take of the rest, where something waits in the inbox as well. */
const INBOX_LEAVES = 0.75

/** Whole lines behind the mark, as many as there is room for, and one that says what was left out. */
function fitting(
  lines: readonly string[],
  {
    mark,
    room,
    rest,
  }: { readonly mark: string; readonly room: number; readonly rest: (count: number) => string },
): readonly string[] {
  const whole = lines.map((line) => `${mark} ${line}`)
  const length = whole.reduce((sum, line) => sum + line.length + 1, 0)
  if (length <= room) return whole
  let left = room - `${mark} ${rest(lines.length)}`.length - 1
  const end = whole.findIndex((line) => (left -= line.length + 1) < 0)
  return [...whole.slice(0, end), `${mark} ${rest(lines.length - end)}`]
}

/** Looking claims nothing: who reads on has been shown it. */
function cutLine(count: number, handover: Handover | undefined): string {
  const id = handover?.frameId.slice(0, ID_CHARS) ?? '--latest'
  return `Cut here; ${count} more ${count === 1 ? 'line' : 'lines'}: agentd takeover ${id} --peek`
}

/** As much of an id as tells it from others. */
const ID_CHARS = 8

function describeSiblings({ near, nowMs, own }: WelcomeFacts): readonly string[] {
  const reachable = near.siblings.filter((one) => isReachable(one))
  const lines = reachable.slice(0, MAX_SESSIONS).map((one) => {
    const { address, facts, name, startedAtMs } = one
    const elsewhere = `worktree ${facts.worktree === undefined ? 'unknown' : quoted(facts.worktree)}`
    const place = isHere(one, own.session) ? 'this worktree' : elsewhere
    const branch = facts.branch === undefined ? '' : `, branch ${quoted(facts.branch)}`
    const title = facts.title === undefined ? '' : `, ${quoted(facts.title)}`
    return `Here: ${safeLine(name)}, ${quoted(address)}${title} in ${place}${branch}, for ${formatAge(nowMs - startedAtMs)}.`
  })
  const more = reachable.length - lines.length + near.unread
  if (more > 0) lines.push(`Here: ${more} more in this repository.`)
  // Of what goes on in other repositories the number is enough, and alone it is not worth a word.
  const others = near.elsewhere + near.siblings.length - reachable.length
  if (lines.length > 0 && others > 0) lines.push(`${others} more in other places.`)
  return lines
}

function describeLeases({ own, leases, hasLeft, nowMs }: WelcomeFacts): readonly string[] {
  const lines = leases.slice(-MAX_LEASES).map((entry) => {
    const { leaseId = '', resource, from, node, untilMs } = entry
    const holder = isOwn(entry, own.state) ? 'this session' : quoted(from)
    const where = node === undefined ? '' : ` on the machine ${quoted(node)}`
    const left = hasLeft(entry) ? ', which has left,' : ''
    return `Lease: ${quoted(resource)} held by ${holder}${where}${left} for ${formatAge(untilMs - nowMs)} more [lease ${quoted(leaseId)}].`
  })
  return leases.length > MAX_LEASES ? [...lines, `Lease: ${leases.length - MAX_LEASES} more.`] : lines
}

/** Once somebody has taken it over, or was shown it to do so, that is what there is to know of it (OP-25). */
function describeHandover({ handover, nowMs }: WelcomeFacts): readonly string[] {
  if (handover === undefined) return []
  const { atMs, body, frameId, from, taker } = handover
  const head = `Handover from ${quoted(from)}, ${formatAgo(nowMs - atMs)}`
  if (taker?.hasClaimed === true) return [`${head}, taken over by ${quoted(taker.address)}.`]
  if (taker !== undefined) {
    const offer = `to take it: agentd takeover ${frameId.slice(0, ID_CHARS)}`
    return [`${head}, shown to ${quoted(taker.address)}, which has not taken it over yet; ${offer}`]
  }
  return [
    `${head}${describeRefs(handover)}:`,
    ...body.split(/\r\n|\r|\n/).map((line) => `| ${safeLine(line)}`),
  ]
}

function describeRefs({ refs }: Handover): string {
  if (refs.length === 0) return ''
  const named = refs.slice(0, MAX_REFS).map((ref) => quoted(ref))
  const more = refs.length - named.length
  return ` (${named.join(', ')}${more > 0 ? `, ${more} more` : ''})`
}
