/**
 * What was sent before: the retained frames, and what became of each.
 *
 * @see docs/http.md §5
 */
import { DEFAULT_WAIT_MS } from '../../core/limits.ts'
import { LooseHistoryReply, ReceiptsReply } from '../../protocol/http/frame-replies.ts'
import type { HistoryOptions, ReceiptOptions } from '../envelopes/participant-options.ts'
import type { Call, Connection } from '../http/connection.ts'
import { camelCased } from '../reply/camel-cased.ts'
import { toHistoryPage, type HistoryPage, type Receipts } from '../reply/results.ts'

/** A page of retained frames, oldest first. */
export async function readHistory(
  connection: Connection,
  { signal, ...query }: HistoryOptions,
): Promise<HistoryPage> {
  const call: Call = { route: 'getHistory', query, signal }
  return toHistoryPage(await connection.call(call, LooseHistoryReply))
}

/** What became of a frame at each recipient. */
export async function readReceipts(
  connection: Connection,
  frameId: string,
  options: ReceiptOptions,
): Promise<Receipts> {
  const { wait, timeoutMs = wait === undefined ? undefined : DEFAULT_WAIT_MS, signal } = options
  const query = { wait, timeout_ms: timeoutMs }
  const call: Call = { route: 'getReceipts', path: { frame_id: frameId }, query, signal, holdMs: timeoutMs }
  return camelCased(await connection.call(call, ReceiptsReply))
}
