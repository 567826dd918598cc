/** A submission as one body, or as lines (docs/http.md §§5, 9). */
import { AgentdError } from '../../core/errors.ts'
import { MEDIA_NDJSON } from '../../protocol/http/media.ts'
import { json, type RouteAnswer } from '../request/answer.ts'
import { readBody } from '../request/body.ts'
import type { RequestContext } from '../request/context.ts'
import { answerLines, type LineTaker } from '../lines/lines.ts'

/** A submission as one JSON body, or as many lines as it has. */
export async function answerSubmission(context: RequestContext, taker: LineTaker): Promise<RouteAnswer> {
  if (context.mediaType === MEDIA_NDJSON) return answerLines(context, taker)
  const bytes = await readBody(context, taker)
  return json(await answered((respond) => taker.take(bytes, respond)))
}

/** The answer to one submission, at the end of its turn. @throws AgentdError when it is refused */
export function answered<Reply extends object>(
  submit: (respond: (outcome: Reply | AgentdError) => void) => void,
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    submit((outcome) => {
      if (outcome instanceof AgentdError) reject(outcome)
      else resolve(outcome)
    })
  })
}
