/**
 * The end of a turn: it goes on when something urgent waits, and only then.
 *
 * Never twice in a row, never beyond the noise budget, and never for an answer.
 *
 * @see docs/runtimes.md §10 rule 5; PD-06
 */
import { SILENCE, silence, type HookAnswer } from '../../runtimes/events/answer.ts'
import type { HookContext, OwnSession } from '../session/context.ts'
import { handOver } from '../session/inbox.ts'
import { findInterrupts } from '../session/waiting.ts'
import { hasBudget, withWake } from '../session/noise.ts'
import { noticeOf } from '../wake/notice.ts'

export async function endTurn(context: HookContext, own: OwnSession): Promise<HookAnswer> {
  const { event, hooks, settings } = context
  const { session, state } = own
  if (event.isContinuing) return silence('continuing')
  if ((session.mailbox?.unread ?? 0) === 0) return SILENCE
  if (!hasBudget(state.wakes, context)) return silence('over-budget')
  const urgent = findInterrupts(hooks, session)
  const [first] = urgent
  if (first === undefined) return silence('nothing-urgent')
  if (event.runtime.goesOnAsUser === true) {
    // The messages come with a hook of the turn that begins; until then they wait.
    const notice = {
      count: session.mailbox?.unread ?? 1,
      eventId: hooks.broker.ring.eventId(first.seq),
      tries: 1,
    }
    return { continuation: noticeOf(notice), settle: () => noteWake(context) }
  }
  const waiting = await handOver(context, own, { room: settings.contextChars })
  if (waiting.context === undefined) return waiting
  return {
    continuation: waiting.context,
    settle() {
      noteWake(context)
      waiting.settle?.()
    },
  }
}

function noteWake(context: HookContext): void {
  context.remember((state) => ({ ...withWake(state, context.nowMs), isBusy: true }))
}
