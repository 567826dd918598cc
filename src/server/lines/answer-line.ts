/**
 * An answer as a line of NDJSON.
 *
 * @see docs/http.md §5
 */
import type { SubmissionReply } from '../../protocol/http/frame-replies.ts'

/** What nearly every answer is: a frame was accepted, and there is nothing more to say of it. */
type PlainReply = Pick<SubmissionReply, 'frame_id' | 'event_id' | 'recipient_count' | 'queued_count' | 'ack'>

/** Members of a plain one. */
const PLAIN_MEMBERS = 5

/** @returns its JSON, with the end of the line */
export function formatAnswer(answer: object): string {
  if (!isPlain(answer)) return `${JSON.stringify(answer)}\n`
  // A version-4 UUID, a place, two counts and a word of ours: nothing that JSON escapes.
  const { frame_id, event_id, recipient_count, queued_count, ack } = answer
  return `{"frame_id":"${frame_id}","event_id":"${event_id}","recipient_count":${recipient_count},"queued_count":${queued_count},"ack":"${ack}"}\n`
}

function isPlain(answer: Partial<PlainReply>): answer is PlainReply {
  let members = 0
  for (const _ in answer) members += 1
  const { frame_id, event_id, recipient_count, queued_count, ack } = answer
  const isWhole = frame_id !== undefined && event_id !== undefined && recipient_count !== undefined
  return members === PLAIN_MEMBERS && isWhole && queued_count !== undefined && ack !== undefined
}
