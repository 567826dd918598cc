/**
 * What the daemon feeds its bridge: lines over one request that goes on.
 *
 * @see docs/http.md §13; FED-21
 */
import { numberOf, objectOf, parseMembers, textMember, type JsonObject } from '../../core/text/json-object.ts'
import { LineSplitter } from '../../core/text/lines.ts'
import { MAX_RECORD_OCTETS } from '../../link/record.ts'
import type { Door } from './door.ts'
import { DaemonAway } from './faults.ts'

/** One line of it. */
export type Fed =
  | { readonly is: 'record'; readonly line: string; readonly e: string; readonly digest: string }
  | { readonly is: 'report'; readonly line: string; readonly r: number }
  | { readonly is: 'forget'; readonly line: string }
  | { readonly is: 'presence'; readonly text: string }
  /** The ring does not hold what stood before `next`; undefined where it holds nothing more. */
  | { readonly is: 'gap'; readonly next: string | undefined }

/** A record inside JSON has an escape for every quote in it. */
const MAX_LINE_OCTETS = 2 * MAX_RECORD_OCTETS + 1_024

/** Where it begins, and what ends it. */
interface FeedStart {
  readonly lane: string
  /** An event id. */
  readonly after: string
  readonly reports: number
  readonly signal: AbortSignal
}

/**
 * Reads until the daemon or the signal ends it; whoever does not take the next one holds the daemon back.
 *
 * @throws DaemonAway, DaemonRefusal
 */
export async function* readFeed(
  door: Door,
  { lane, after, reports, signal }: FeedStart,
): AsyncGenerator<Fed, never, undefined> {
  const query = new URLSearchParams({ lane, after, reports: String(reports) })
  const response = await door.open(`/v1/link/feed?${query.toString()}`, signal)
  const lines = new LineSplitter(MAX_LINE_OCTETS, 'refuse')
  try {
    for await (const chunk of response) {
      for (const { line } of lines.feed(Buffer.from(chunk))) {
        const fed = readLine(line.toString())
        if (fed !== undefined) yield fed
      }
    }
  } catch (error) {
    throw new DaemonAway('The feed broke.', { cause: error })
  }
  throw new DaemonAway('The daemon ended the feed.')
}

/** @returns undefined for a sort of line that this version does not know, and a blank one */
function readLine(text: string): Fed | undefined {
  const members = parseMembers(text) ?? {}
  const presence = textMember(members, 'presence')
  if (presence !== undefined) return { is: 'presence', text: presence }
  const forget = textMember(members, 'forget')
  if (forget !== undefined) return { is: 'forget', line: forget }
  if (members['gap'] !== undefined) return { is: 'gap', next: textMember(objectOf(members['gap']), 'next') }
  return readRecordLine(members)
}

function readRecordLine(members: JsonObject): Fed | undefined {
  const line = textMember(members, 'line')
  const [e, r] = [textMember(members, 'e'), numberOf(members, 'r')]
  if (line === undefined) return undefined
  if (e !== undefined) return { is: 'record', line, e, digest: textMember(members, 'digest') ?? '' }
  return r === undefined ? undefined : { is: 'report', line, r }
}
