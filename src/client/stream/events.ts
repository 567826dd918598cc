/**
 * What the data of the four stream events means. Nothing here trusts it: a recipient validates again (ACQ-37).
 */
import { orRefusal } from '../../core/thrown.ts'
import { decodeEnvelopeText, type DecodedEnvelope } from '../../aee/envelope/envelope.ts'
import { AgentdError } from '../../core/errors.ts'
import { parseFrame, type Frame } from '../../protocol/frame/frame.ts'
import { parseJson } from '../../core/text/json.ts'
import { GapReply } from '../../protocol/http/inbox-replies.ts'
import type { Gap } from '../../protocol/sse/encoder.ts'
import { readReplyBody } from '../http/refusal.ts'
import type { Ending } from '../http/long-exchange.ts'

/** @returns the fault, for data that is no valid frame */
export function readFrame(data: string): Frame | AgentdError {
  return orRefusal(() => parseFrame(parseJson(data, 'frame')))
}

/** @returns the fault, for data that is no valid envelope */
export function readEnvelope(data: string): DecodedEnvelope | AgentdError {
  return orRefusal(() => decodeEnvelopeText(data))
}

/** What the daemon says beside an envelope, which it does not rewrite (AEQ-26, AEQ-27). */
export interface Remarks {
  /** Undefined where the envelope's own priority holds. */
  readonly effectivePriority: string | undefined
  readonly late: boolean
}

/** @param comments - those of the envelope's block; any others are passed over */
export function readRemarks(comments: readonly string[]): Remarks {
  const words = comments.flatMap((comment) => comment.trim().split(' '))
  const priority = words.findLast((word) => word.startsWith(PRIORITY_WORD))
  return {
    effectivePriority: priority?.slice(PRIORITY_WORD.length),
    late: words.includes('late=true'),
  }
}

const PRIORITY_WORD = 'effective_priority='

/**
 * A gap that a newer daemon words in another way is a gap all the same, only of unknown size.
 *
 * @param requested - the cursor this connection was opened with
 */
export function readGap(data: string, requested: string): Gap {
  const parsed = GapReply.safeParse(readReplyBody(data))
  return parsed.success ? parsed.data : { reason: 'corrupt', requested, oldest: null, missed: null }
}

/** Which end of a connection each reason of `agentd_bye` is; an unknown one is an ordinary drop. */
export function byeEnding(data: string): Ending {
  const bye = readReplyBody(data)
  const reason: unknown = bye instanceof Object ? Reflect.get(bye, 'reason') : undefined
  switch (reason) {
    case 'replaced':
      return over('Another process has taken this session over; register a new one.')
    case 'expired':
      return over('This session has ended; register a new one.')
    default:
      return { kind: 'lost' }
  }
}

function over(message: string): Ending {
  return { kind: 'refused', error: new AgentdError('unauthenticated', message) }
}
