/**
 * What the session does, where that is news.
 *
 * @see docs/http.md §4; docs/runtimes.md §10 rule 11; W-4
 */
import { isNews } from '../../runtimes/events/activity.ts'
import type { HookContext, OwnSession } from './context.ts'

/** Notes what the event says of it. */
export function sayActivity(context: HookContext, { session, state }: OwnSession): void {
  const { activity } = context.event
  if (activity === undefined || !isNews(state.said, context.event)) return
  const { state: what, reason = null, text = null } = activity
  context.hooks.broker.setActivity(session, { state: what, reason, text })
  context.remember((current) => ({ ...current, said: activity }))
}
