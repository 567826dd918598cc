/**
 * What became of a frame at each recipient, as its rows say. They have no check: what cannot be a receipt is none, and is passed
 * over, so that a damaged one holds up neither the frame nor the others. The next word about the same recipient takes its place.
 *
 * @see FED-52, R-23
 */
import { isWallTime } from '../../core/clock.ts'
import { tryParseJson } from '../../core/text/json-object.ts'
import type { ReportState } from '../../broker/origins/origins.ts'
import type { Conclusion, DeliveryRecord } from '../../broker/ring/delivery.ts'
import { RemoteCount } from '../../protocol/http/frame-replies.ts'
import { Via } from '../../protocol/http/requests.ts'
import { HANDLE_PATTERN, isLabel, readAddress } from '../../protocol/address/label.ts'
import { REMOTE_STATES, type RemoteReceiptRow } from './origin-statements.ts'
import type { OutcomeRow, Statements } from './statements.ts'

const ENDS: readonly Conclusion[] = ['seen', 'expired', 'dropped']

/** Adds to a delivery what its rows say became of it. */
export function restoreReceipts(
  delivery: DeliveryRecord,
  seq: number,
  { outcomes, remoteReceipts }: Pick<Statements, 'outcomes' | 'remoteReceipts'>,
): void {
  for (const row of outcomes.all(seq)) restoreOutcome(delivery, row)
  for (const row of remoteReceipts.all(seq)) restoreRemote(delivery, row)
}

function restoreOutcome(
  delivery: DeliveryRecord,
  { address, state: word, at_ms: atMs, via }: OutcomeRow,
): void {
  const state = ENDS.find((known) => known === word)
  if (!isText(address) || state === undefined || !isWallTime(atMs)) return
  const heard = Via.safeParse(via).data
  delivery.restore(address, { state, atMs, ...(heard !== undefined && { via: heard }) })
}

function restoreRemote(delivery: DeliveryRecord, row: RemoteReceiptRow): void {
  const { seq, node, address, state: word, at_ms: atMs, detail } = row
  if (node === '') {
    delivery.named = readNamed(detail)
    return
  }
  const state: ReportState | undefined = REMOTE_STATES.find((known) => known === word)
  const isSound = isNode(node) && isWho(address) && isWallTime(atMs) && (detail === null || isText(detail))
  if (isSound && state !== undefined)
    delivery.reported({ seq, node, address, state, atMs, detail: detail ?? undefined })
}

/** What cannot be read names nobody: the receipts then go by who is there now. */
function readNamed(json: unknown): RemoteCount | undefined {
  return RemoteCount.safeParse(typeof json === 'string' ? tryParseJson(json) : undefined).data
}

/** A session; of another person the handle alone; and nobody where the node refused it (FED-59). */
function isWho(value: unknown): value is string {
  if (!isText(value)) return false
  return value === '' || HANDLE_PATTERN.test(value) || readAddress(value) !== undefined
}

/** `box`, `~bob/box`. */
function isNode(value: unknown): value is string {
  if (!isText(value)) return false
  const slash = value.indexOf('/')
  return isLabel(value.slice(slash + 1)) && (slash === -1 || HANDLE_PATTERN.test(value.slice(0, slash)))
}

/** A column holds whatever a damaged page makes of it, another type too. */
function isText(value: unknown): value is string {
  return typeof value === 'string'
}
