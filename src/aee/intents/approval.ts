/**
 * Asking a person whether a task may be done: the payload of `approval.request`.
 *
 * A task stands in it by its id and by the hash of its very bytes, so that what was shown and what is run are one.
 *
 * @see docs/http.md §7; W-9, AEQ-10
 */
import { isJsonObject } from '../../core/text/json-object.ts'

/** The intent of such a task; its recipient is a `human.*`. */
export const APPROVAL_INTENT = 'approval.request'

/** One task as it was delivered. */
export interface TaskMark {
  readonly id: string
  /** `sha-256:` and 64 lower-case hex digits, of the bytes of its text. */
  readonly hash: string
}

/** What is asked. */
export interface ApprovalRequest {
  readonly task: TaskMark & { readonly intent: string; readonly from: string }
  readonly summary: string
}

type Payload = Readonly<Record<string, unknown>>

/** @returns undefined for a payload that asks about no task */
export function readApprovalRequest({ task, summary }: Payload): ApprovalRequest | undefined {
  const mark = readMark(task)
  if (mark === undefined || !isJsonObject(task) || typeof summary !== 'string') return undefined
  const { intent, from } = task
  if (typeof intent !== 'string' || typeof from !== 'string') return undefined
  return { task: { ...mark, intent, from }, summary }
}

function readMark(task: unknown): TaskMark | undefined {
  if (!isJsonObject(task)) return undefined
  const { id, hash } = task
  return typeof id === 'string' && typeof hash === 'string' ? { id, hash } : undefined
}
