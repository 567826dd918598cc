/**
 * Who else announced the resource that a lease was just asked for: told, and kept from nothing (AC-034).
 */
import { quoted } from '../../core/text/quoted.ts'
import { safeLine } from '../../core/text/safe-text.ts'
import type { BoardLine } from '../items/board-line.ts'
import { boardLineToWire } from './board-lines.ts'
import { whereSame, type NamedResource, type SameWhere } from './same-resource.ts'

/** Announcements that are told one by one; `agentd board` has the others. */
export const MAX_TOLD = 8

/** Somebody's announcement of the same. */
export interface OtherAnnouncement {
  readonly line: BoardLine
  readonly where: SameWhere
  /** Whether it is the caller's own, made before. */
  readonly isOwn: boolean
}

/** Who asks. */
export interface Asking {
  /** The lease that was just announced. */
  readonly leaseId: string | undefined
  /** The address of the session that asks; of the principal itself the handle. */
  readonly from: string
}

/** What stands nearer comes first, and of that the newest. */
const NEARNESS: readonly SameWhere[] = [
  'here',
  'unknown',
  'other-worktree',
  'other-repository',
  'other-machine',
]

/** Whoever has left holds nobody back and is left out; so are files that the caller itself said it is at. */
export function findOthers(
  lines: readonly BoardLine[],
  named: NamedResource,
  { leaseId, from }: Asking,
): readonly OtherAnnouncement[] {
  const found = lines.flatMap((line) => {
    const isOwn = line.node === undefined && line.from === from
    const isAsked = leaseId !== undefined && line.leaseId?.toLowerCase() === leaseId.toLowerCase()
    if (line.hasLeft || (isOwn && (isAsked || line.leaseId === undefined))) return []
    const where = whereSame(line, named)
    return where === undefined ? [] : [{ line, where, isOwn }]
  })
  const rank = ({ where }: OtherAnnouncement): number => NEARNESS.indexOf(where)
  return found.toSorted((a, b) => rank(a) - rank(b) || b.line.sinceMs - a.line.sinceMs)
}

/** A line for each, safe to print. */
export function othersInWords(others: readonly OtherAnnouncement[]): readonly string[] {
  const told = others.slice(0, MAX_TOLD).map(otherInWords)
  const more = others.length - told.length
  return more === 0 ? told : [...told, `and ${more} more: agentd board`]
}

/** As programs read them. */
export function othersToWire(others: readonly OtherAnnouncement[]): readonly object[] {
  return others.map(({ line, where, isOwn }) => ({ ...boardLineToWire(line), where, isOwn }))
}

function otherInWords({ line, where, isOwn }: OtherAnnouncement): string {
  const { name, from, ago, left, leaseId, remark } = line
  const who = isOwn ? 'you' : safeLine(name ?? from)
  const what = leaseId === undefined ? 'an edit of it was announced' : 'also announced'
  const since = ago === 'now' ? 'just now' : `${ago} ago`
  const place = PLACE_WORDS[where](line)
  return [`${what} by ${who} ${since}, ${left} left`, place, remark].filter((part) => part !== '').join(', ')
}

/** The rest of the sentence, by where it is. */
const PLACE_WORDS: Readonly<Record<SameWhere, (line: BoardLine) => string>> = {
  here: () => '',
  unknown: () => '',
  'other-worktree': ({ worktree = '' }) => `in the worktree ${quoted(worktree)}`,
  'other-repository': ({ worktree = '' }) => `in ${quoted(worktree)}`,
  'other-machine': ({ node = '' }) => `on the machine ${quoted(node)}`,
}
