/**
 * Telling the daemon what the session does, where that is news.
 *
 * @see docs/http.md §4; docs/runtimes.md §10 rule 11; W-4
 */
import { isNews } from '../events/activity.ts'
import { SessionLost, type HookContext, type OwnSession } from './context.ts'
import { Unreached } from './link.ts'

/**
 * Once the hook has its other answers, over the same connection: the daemon closes behind some refusals, and a request
 * that stood right behind another one would go with it.
 *
 * @throws SessionLost
 */
export async function sayActivity(context: HookContext, session: OwnSession): Promise<void> {
  const { activity } = context.event
  if (activity === undefined || !isNews(session.state.said, context.event)) return
  const status = await post(context, session, activity)
  if (status === 401) throw new SessionLost()
  if (status === 204) context.remember((current) => ({ ...current, said: activity }))
}

/** @returns undefined where no answer came: it is said with the next event */
async function post({ link }: HookContext, { token }: OwnSession, body: object): Promise<number | undefined> {
  try {
    const path = '/v1/sessions/self/activity'
    return (await link.send({ method: 'POST', path, token, body: { ...body } })).status
  } catch (error) {
    if (error instanceof Unreached) return undefined
    throw error
  }
}
