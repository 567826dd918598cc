/**
 * A question to the daemon from a git hook: no waiting, no daemon that is started for it, and no failure.
 *
 * @see docs/http.md §§2, 3
 */
import { callOnce, type OneCall } from '../../client/http/one-call.ts'
import { objectOf, parseMembers, type JsonObject } from '../../core/text/json-object.ts'

/** What was answered; 0 when nobody did in time. What is no JSON object has no members. */
export interface DaemonAnswer {
  readonly status: number
  readonly value: JsonObject
}

const SILENCE: DaemonAnswer = { status: 0, value: {} }

/** Never rejects: a token that cannot be one, and whatever is not agentd, is no answer. */
export async function callDaemon(call: OneCall & { readonly signal: AbortSignal }): Promise<DaemonAnswer> {
  try {
    const answer = await callOnce(call)
    if (answer.kind !== 'answered') return SILENCE
    return { status: answer.status, value: objectOf(parseMembers(answer.text)) }
  } catch {
    return SILENCE
  }
}
