/**
 * What is asked to be approved, as it is shown before anybody says yes.
 *
 * @see W-9, SEAT-11
 */
import { memberOf, objectOf, textMember, type JsonObject } from '../../../core/text/json-object.ts'

/** The task that waits for a yes. */
export interface ApprovalTask {
  readonly intent: string
  /** The entity that sent it. */
  readonly from: string
  /** `sha-256:…` over the bytes of the task as they were delivered: what was shown is what runs. */
  readonly hash: string
  /** What it is about, in the words of whoever asks. */
  readonly summary: string
}

/** @param envelope - a task of the intent `approval.request` */
export function readApprovalTask(envelope: JsonObject): ApprovalTask {
  const payload = objectOf(memberOf(envelope, 'payload'))
  const task = objectOf(memberOf(payload, 'task'))
  return {
    intent: textMember(task, 'intent') ?? '',
    from: textMember(task, 'from') ?? '',
    hash: textMember(task, 'hash') ?? '',
    summary: textMember(payload, 'summary') ?? '',
  }
}
