/** Log lines (docs/http.md §9): MVE-5, taken and never routed (AEE-042, AEE-C19). */
import type { LogReply } from '../../protocol/http/envelope-replies.ts'
import { MEDIA_NDJSON } from '../../protocol/http/media.ts'
import { json, type RouteAnswer } from '../request/answer.ts'
import { readBody } from '../request/body.ts'
import type { RequestContext } from '../request/context.ts'
import { ENVELOPE_BODY } from './envelopes.ts'
import { answerLines } from '../lines/lines.ts'

export async function submitLog(context: RequestContext): Promise<RouteAnswer> {
  const { broker, caller, mediaType, records } = context
  // On demand: its rules are many, and most daemons never see a line.
  const { decodeLogLine } = await import('../../aee/conformance/conformance.ts')
  const take = (bytes: Buffer): LogReply => {
    const line = decodeLogLine(bytes)
    broker.charge(caller)
    records.logLine(line)
    return { id: line.id, logged: true }
  }
  if (mediaType !== MEDIA_NDJSON) return json(take(await readBody(context, ENVELOPE_BODY)))
  return answerLines(context, {
    ...ENVELOPE_BODY,
    take: (line, respond) => respond(take(line)),
  })
}
