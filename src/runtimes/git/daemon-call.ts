/**
 * A question to the daemon from a git hook: no waiting, no daemon that is started for it, and no failure.
 *
 * @see docs/http.md §§2, 3
 */
import { callOnce, type OneCall } from '../../client/http/one-call.ts'

/** What was answered; 0 when nobody did in time. */
export interface DaemonAnswer {
  readonly status: number
  readonly value: unknown
}

const SILENCE: DaemonAnswer = { status: 0, value: undefined }

/** Never rejects: a token that cannot be one, and whatever is not agentd, is no answer. */
export async function callDaemon(call: OneCall & { readonly signal: AbortSignal }): Promise<DaemonAnswer> {
  try {
    const answer = await callOnce(call)
    return answer.kind === 'answered' ? { status: answer.status, value: readJson(answer.text) } : SILENCE
  } catch {
    return SILENCE
  }
}

function readJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return value
  } catch {
    return undefined
  }
}
