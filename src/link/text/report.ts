/**
 * One item of a report: what became of a frame or an envelope at another node's session.
 *
 * @see FED-52, FED-29
 */
import { isWallTime } from '../../core/clock.ts'
import { withinOctets } from '../../core/text/octets.ts'
import { HANDLE_PATTERN, readAddress } from '../../protocol/address/label.ts'

/** What a node tells of what it got; a receiver's `handed` and `seen` come from nobody else. */
export const REPORTED_STATES = [
  'emitted',
  'queued',
  'handed',
  'seen',
  'expired',
  'refused',
  'dropped',
] as const
export type ReportedState = (typeof REPORTED_STATES)[number]

/**
 * The id as the ring finds it; the address, of another person the handle alone, and empty where the node refused it; the
 * state; when, in milliseconds since 1970 by the reporting node's clock; and a word: how it was seen, or the code it was
 * refused with.
 */
export type ReportItem = readonly [
  id: string,
  address: string,
  state: ReportedState,
  atMs: number,
  detail?: string,
]

/** Items of one report. */
export const MAX_REPORT_ITEMS = 1_000

const MAX_ID_OCTETS = 1_024
const MAX_DETAIL_OCTETS = 64

/** Whether a value is a list that {@link readItems} reads. */
export function isItemList(value: unknown): boolean {
  return Array.isArray(value) && value.length <= MAX_REPORT_ITEMS && value.every(hasItemForm)
}

/** The items of such a list whose state this version knows. */
export function readItems(value: unknown): readonly ReportItem[] {
  const items: readonly unknown[] = Array.isArray(value) ? value : []
  return items.flatMap((item) => readItem(item) ?? [])
}

/** As it stands in a record. */
export function formatItem([id, address, state, atMs, detail]: ReportItem): readonly unknown[] {
  return detail === undefined ? [id, address, state, atMs] : [id, address, state, atMs, detail]
}

/** A list that begins with an id, an address, a word and a time; what a later version adds behind them is passed over. */
function hasItemForm(value: unknown): boolean {
  const [id, address, state, atMs, detail]: readonly unknown[] = Array.isArray(value) ? value : []
  return (
    isText(id, 1, MAX_ID_OCTETS) &&
    (address === '' || isWho(address)) &&
    isText(state, 1, MAX_DETAIL_OCTETS) &&
    isWallTime(atMs) &&
    (detail === undefined || isText(detail, 0, MAX_DETAIL_OCTETS))
  )
}

/** A session; or a person where their sessions are nobody else's business (FED-59). */
function isWho(value: unknown): boolean {
  return typeof value === 'string' && (HANDLE_PATTERN.test(value) || readAddress(value) !== undefined)
}

function readItem(value: unknown): readonly [ReportItem] | undefined {
  const [id, address, word, atMs, detail]: readonly unknown[] = Array.isArray(value) ? value : []
  const state = REPORTED_STATES.find((known) => known === word)
  if (typeof id !== 'string' || typeof address !== 'string' || typeof atMs !== 'number') return undefined
  if (state === undefined) return undefined
  return [typeof detail === 'string' ? [id, address, state, atMs, detail] : [id, address, state, atMs]]
}

function isText(value: unknown, min: number, max: number): value is string {
  return typeof value === 'string' && withinOctets(value, min, max)
}
