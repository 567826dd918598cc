/**
 * What a session is told when it begins: who is here, what they hold, the newest handover, what waits.
 *
 * Nothing to tell, nothing said.
 *
 * @see PD-03, PD-04, PD-06; R-39
 */
import type { BoardEntry } from '../../protocol/board/board-frame.ts'
import { SILENCE, joinAnswers, type HookAnswer } from '../../runtimes/events/answer.ts'
import { MIN_DIGEST_CHARS } from '../../runtimes/events/budget.ts'
import { wakeDriver } from '../../runtimes/events/wake-channels.ts'
import { isForSession } from '../board/own.ts'
import { withKeys } from '../memory/hook-state.ts'
import type { HookContext, OwnSession } from '../session/context.ts'
import { handOver } from '../session/inbox.ts'
import { isGoneElsewhere, readNeighbourhood } from '../session/near.ts'
import { reportHanded } from '../session/waiting.ts'
import { hasBudget } from '../session/noise.ts'
import { findHandover } from './handover.ts'
import { composeWelcome } from './welcome-words.ts'

/** Set in what was shown once a session has been welcomed. */
export const WELCOMED = 'welcome'

/** What there is to tell, and what waits, within what may be shown at once. */
export async function welcome(context: HookContext, own: OwnSession): Promise<HookAnswer> {
  const { hooks, nowMs, settings } = context
  const [board, handover] = await Promise.all([hooks.board.read(), findHandover(context, own)])
  const near = readNeighbourhood(hooks.broker, own.session)
  const { address } = own.session
  const leases = board.leases().filter((entry) => isForSession(entry, address, hooks))
  const hasLeft = (entry: BoardEntry): boolean => board.hasLeft(entry) || isGoneElsewhere(hooks.broker, entry)
  const budget = settings.contextChars
  const text = composeWelcome({ own, near, leases, hasLeft, handover, nowMs }, budget)
  const room = budget - text.length - 1
  const leavesUrgent = isLeftToWaiter(context, own)
  // One that has no room for a digest leaves it to the next prompt.
  const inbox =
    room >= MIN_DIGEST_CHARS
      ? await handOver(context, own, { room, leavesUrgent, except: handover?.frameId })
      : SILENCE
  const told: HookAnswer = {
    ...(text !== '' && { context: text }),
    settle() {
      const shown = handover === undefined ? [] : [handover.frameId]
      // It may wait in the mailbox as well, where it would be shown again (HO-06).
      if (handover !== undefined) reportHanded(hooks.broker, own.session, [handover.source.retained])
      context.remember((current) => ({
        ...current,
        shown: withKeys(current.shown, [WELCOMED, ...shown], nowMs),
        // Of one that another session has, or was shown first, only that is shown.
        unproved: handover?.taker === undefined ? [...current.unproved, ...shown] : current.unproved,
      }))
    },
  }
  return joinAnswers([told, inbox])
}

/**
 * No turn begins with a start: what is shown there counts as seen and sleeps until the person types. So something urgent
 * is left to whoever wakes the session, where somebody does (PD-02). In the middle of a turn the model goes on.
 */
function isLeftToWaiter(context: HookContext, { state }: OwnSession): boolean {
  const { event, settings } = context
  if (event.name !== 'session-start' || state.isBusy || state.isHeadless === true) return false
  const hasWay =
    context.hooks.waiting.has(context.key) || wakeDriver(event.runtime, state.wakeChannels) !== undefined
  return settings.wakesIdle && hasWay && hasBudget(state.wakes, context)
}
