/** Inbox and what has been seen (wire §7). */
import { DrainRequest, SeenRequest, WaitQuery } from '../../protocol/requests.ts'
import { json, type Answer } from '../answer.ts'
import { bodyOf, held, queryOf, requireSession, type RequestContext } from '../context.ts'

export async function drainInbox(context: RequestContext): Promise<Answer> {
  const { broker } = context
  const session = requireSession(context)
  broker.inbox.require(session)
  const request = await bodyOf(context, DrainRequest)
  const { reply, seen, expired } = broker.inbox.drain(session, request)
  if (!request.peek) {
    broker.receipts.conclude(session, expired, 'expired')
    broker.receipts.conclude(session, seen, 'seen', request.via)
  }
  return json(reply)
}

export function waitInbox(context: RequestContext): Promise<Answer> {
  const session = requireSession(context)
  const { timeout_ms } = queryOf(context, WaitQuery)
  context.broker.inbox.require(session)
  return held(context, (answer) =>
    context.broker.inbox.wait(session, timeout_ms, (unread) => answer(json({ unread }))),
  )
}

export async function markSeen(context: RequestContext): Promise<Answer> {
  const session = requireSession(context)
  const request = await bodyOf(context, SeenRequest)
  return json({ seen: context.broker.receipts.markSeen(session, request) })
}
