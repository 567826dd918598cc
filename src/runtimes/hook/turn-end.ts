/**
 * The end of a turn: it goes on when something urgent waits, and only then.
 *
 * Never twice in a row, never beyond the noise budget, and never for an answer.
 *
 * @see docs/runtimes.md §10 rule 5; PD-06
 */
import { SILENCE, silence, type HookAnswer } from '../events/answer.ts'
import type { HookContext, OwnSession } from '../session/context.ts'
import { handOverWaiting, peekItems } from '../session/inbox.ts'
import { hasInterrupt } from '../wake/interrupts.ts'
import { noticeOf } from '../wake/notice.ts'
import { hasBudget, withWake } from '../session/noise.ts'

/** @throws Unreached, SessionLost */
export async function endTurn(context: HookContext, session: OwnSession): Promise<HookAnswer> {
  const items = await peekItems(context.link, session.token, 'seen')
  if (context.event.isContinuing) return silence('continuing')
  if (items.length === 0) return SILENCE
  if (!hasBudget(session.state.wakes, context)) return silence('over-budget')
  if (!(await hasInterrupt(context.link, session.token, items))) return silence('nothing-urgent')
  if (context.event.runtime.goesOnAsUser === true) {
    // The messages come with a hook of the turn that begins; until then they wait.
    return { continuation: noticeOf(items, 1), settle: async () => noteWake(context) }
  }
  const waiting = await handOverWaiting(context, session, context.settings.contextChars)
  if (waiting.context === undefined) return waiting
  return {
    continuation: waiting.context,
    release: waiting.release,
    async settle() {
      noteWake(context)
      await waiting.settle?.()
    },
  }
}

function noteWake(context: HookContext): void {
  context.remember((state) => ({ ...withWake(state, context.nowMs), isBusy: true }))
}
