/**
 * Handing over what waits: looked at first, called handed when it was written, and seen only when the next event of the
 * session shows that the runtime went on past it (OP-09).
 *
 * @see docs/http.md §7; docs/runtimes.md §10 rule 3
 */
import type { HookEvent } from '../../runtimes/events/event.ts'
import { SILENCE, joinAnswers, silence, type HookAnswer } from '../../runtimes/events/answer.ts'
import { withTold } from '../memory/hook-state.ts'
import { isForQuiet } from './urgency.ts'
import type { HookContext, OwnSession } from './context.ts'
import { tellForeign } from './foreign.ts'
import { NO_EDITS, leaveOutEdits } from './edit-notices.ts'
import { findInterrupts, handoversIn, lookAtInbox, reportHanded } from './waiting.ts'

/** How much is handed over, and when it is left for another moment. */
export interface HandOverWish {
  /** Characters. */
  readonly room: number
  /** Something else shows what is urgent: nothing is handed over while such a thing waits. */
  readonly leavesUrgent?: boolean
  /** The key of one that is shown elsewhere in the same answer. */
  readonly except?: string | undefined
}

/** @returns silence when nothing waits, or when it is left */
export async function handOver(
  context: HookContext,
  own: OwnSession,
  { room, leavesUrgent = false, except }: HandOverWish,
): Promise<HookAnswer> {
  const { hooks } = context
  const { broker } = hooks
  const { session } = own
  if ((session.mailbox?.unread ?? 0) === 0) return SILENCE
  if (leavesUrgent && findInterrupts(hooks, session).length > 0) return silence('left-to-waiter')
  const isQuiet = isQuietMoment(context.event)
  const { answer: edits, leftOut } = isQuiet ? await leaveOutEdits(context, own) : NO_EDITS
  const waiting = lookAtInbox(hooks, session, {
    room,
    admits: (retained) =>
      retained.key !== except && (isQuiet ? !leftOut.has(retained.seq) : !isForQuiet(retained)),
  })
  const foreign = isQuiet ? tellForeign(context, waiting.foreign) : SILENCE
  if (waiting.text === '') return foreign === SILENCE ? edits : joinAnswers([edits, foreign])
  return joinAnswers([
    {
      context: waiting.text,
      settle() {
        reportHanded(broker, session, waiting.items)
        const told = handoversIn(waiting.items)
        if (told.length > 0) context.remember((current) => withTold(current, told, context.nowMs))
      },
    },
    edits,
    foreign,
  ])
}

/** Between two turns, and not in the middle of one (OP-22). */
function isQuietMoment({ name }: HookEvent): boolean {
  return name === 'prompt' || name === 'session-start' || name === 'turn-end'
}
