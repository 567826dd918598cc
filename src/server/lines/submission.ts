/** A submission as one body, or as lines (docs/http.md §§5, 9). */
import { answered } from '../../broker/submit/answered.ts'
import { MEDIA_NDJSON } from '../../protocol/http/media.ts'
import { json, type RouteAnswer } from '../request/answer.ts'
import { readBody } from '../request/body.ts'
import type { RequestContext } from '../request/context.ts'
import { answerLines, type LineTaker } from './lines.ts'

/** A submission as one JSON body, or as many lines as it has. */
export async function answerSubmission(context: RequestContext, taker: LineTaker): Promise<RouteAnswer> {
  if (context.mediaType === MEDIA_NDJSON) return answerLines(context, taker)
  const bytes = await readBody(context, taker)
  return json(await answered((respond) => taker.take(bytes, respond)))
}
