/** What an idle session is woken with by whoever waits on its behalf: the messages themselves. */
import type { HookReply } from '../../protocol/http/hook-exchange.ts'
import { withTold } from '../memory/hook-state.ts'
import type { Hooks, OwnSession } from '../session/context.ts'
import { handoversIn, lookAtInbox, reportHanded } from '../session/waiting.ts'
import { withWake } from '../session/noise.ts'

/** @returns undefined when nothing waits any longer */
export function wakeReply(hooks: Hooks, key: string, { session }: OwnSession): HookReply | undefined {
  const { broker, clock, memory, settings } = hooks
  const waiting = lookAtInbox(hooks, session, { room: settings.get().contextChars })
  if (waiting.text === '') return undefined
  const [wokenWith] = waiting.text.split('\n', 1)
  return {
    text: `${waiting.text}\n`,
    written() {
      const nowMs = clock.nowMs()
      const told = handoversIn(waiting.items)
      memory.update(key, (now) => {
        const woken = now && { ...withWake(now, nowMs), isBusy: true, wokenWith, atMs: nowMs }
        return woken && withTold(woken, told, nowMs)
      })
      reportHanded(broker, session, waiting.items)
    },
    givenUp() {},
  }
}
