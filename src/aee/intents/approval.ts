/**
 * Asking a person whether a task may be done: the payloads of `approval.request` and of its answer.
 *
 * A task stands in both by its id and by the hash of its very bytes, so that what was shown and what is run are one.
 *
 * @see docs/http.md §7; W-9, SEAT-11, AEQ-10
 */
import { isJsonObject } from '../../core/text/json-object.ts'
import { clip } from '../../core/text/clip.ts'
import { sha256Hex } from '../envelope/canonical.ts'
import type { DecodedEnvelope } from '../envelope/envelope.ts'
import { spokenIntent } from '../envelope/summary.ts'

/** The intent of such a task; its recipient is a `human.*`. */
export const APPROVAL_INTENT = 'approval.request'

/** What a person is told of the task's payload in the summary, in characters; the task itself is one fetch away. */
const MAX_SUMMARY_LENGTH = 1_024

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

/** What the person said. */
export interface ApprovalVerdict {
  readonly approved: boolean
  readonly task: TaskMark
  readonly note: string | undefined
}

type Payload = Readonly<Record<string, unknown>>

/** The hash of a task's text as it was delivered. */
export function taskHash(text: string): string {
  return `sha-256:${sha256Hex(text)}`
}

/** @param summary - in words; absent, the task's intent and the beginning of its payload */
export function composeApprovalRequest({ envelope, text }: DecodedEnvelope, summary?: string): Payload {
  const { id, from, intent, payload } = envelope
  const told = summary ?? `${spokenIntent(envelope)}: ${clip(JSON.stringify(payload), MAX_SUMMARY_LENGTH)}`
  return { task: { id, intent, from, hash: taskHash(text) }, summary: told }
}

/** @returns undefined for a payload that asks about no task */
export function readApprovalRequest({ task, summary }: Payload): ApprovalRequest | undefined {
  const mark = readMark(task)
  if (mark === undefined || !isJsonObject(task) || typeof summary !== 'string') return undefined
  const { intent, from } = task
  if (typeof intent !== 'string' || typeof from !== 'string') return undefined
  return { task: { ...mark, intent, from }, summary }
}

/** The payload of the result: of which task it was, and what was said. */
export function composeVerdict({ approved, task, note }: ApprovalVerdict): Payload {
  return { approved, task: { id: task.id, hash: task.hash }, ...(note !== undefined && { note }) }
}

/** @returns undefined for a payload that says nothing clear */
export function readVerdict({ approved, task, note }: Payload): ApprovalVerdict | undefined {
  const mark = readMark(task)
  if (mark === undefined || typeof approved !== 'boolean') return undefined
  return { approved, task: mark, note: typeof note === 'string' ? note : undefined }
}

function readMark(task: unknown): TaskMark | undefined {
  if (!isJsonObject(task)) return undefined
  const { id, hash } = task
  return typeof id === 'string' && typeof hash === 'string' ? { id, hash } : undefined
}
