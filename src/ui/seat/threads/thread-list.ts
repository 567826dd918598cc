/**
 * The workflows there are, as the daemon lists them, in lines for a page and a terminal.
 *
 * @see W-5, SEAT-25; docs/http.md §9
 */
import { formatCount } from '../../../core/text/counts.ts'
import {
  listMember,
  numberOf,
  objectOf,
  textMember,
  textsOf,
  type JsonObject,
} from '../../../core/text/json-object.ts'
import { formatSince, timeOf } from '../text/times.ts'

/** One workflow. Its names are others' words, not yet safe to show. */
export interface ThreadLine {
  readonly corr: string
  /** Of the first envelope. */
  readonly intent: string
  /** Who sent or was sent to; of very many the first. */
  readonly participants: readonly string[]
  /** When its newest envelope was accepted, wall time in milliseconds. */
  readonly lastAtMs: number
  readonly envelopes: number
  readonly openTasks: number
}

/** Lines that are asked for at once, and the most that are. */
export const LISTED_AT_ONCE = 50
export const MAX_LISTED = 500

/** Where the list is asked for. @param limit - how many lines, up to {@link MAX_LISTED} */
export function threadListPath(limit: number, onlyOpen: boolean): string {
  return `/v1/threads?limit=${limit}${onlyOpen ? '&open=true' : ''}`
}

/** What was answered, that with the newest envelope first; one that has no name is left out. */
export function readThreadList(body: JsonObject): readonly ThreadLine[] {
  return listMember(body, 'items').flatMap((item) => {
    const said = objectOf(item)
    const corr = textMember(said, 'corr')
    if (corr === undefined) return []
    return {
      corr,
      intent: textMember(said, 'intent') ?? '',
      participants: textsOf(said, 'participants'),
      lastAtMs: timeOf(said, 'last_at') ?? 0,
      envelopes: numberOf(said, 'envelopes') ?? 0,
      openTasks: numberOf(said, 'open_tasks') ?? 0,
    }
  })
}

/** Whether there are workflows behind those that were answered. */
export function hasOlderThreads(body: JsonObject): boolean {
  return textMember(body, 'next') !== undefined
}

/** What a line says in our words: `6 envelopes · 1 task open · 2m`. */
export function threadLineWords({ envelopes, openTasks, lastAtMs }: ThreadLine, nowMs: number): string {
  const open = openTasks === 0 ? [] : [`${formatCount(openTasks, 'task')} open`]
  return [formatCount(envelopes, 'envelope'), ...open, formatSince(lastAtMs, nowMs)].join(' · ')
}
