/**
 * Handing over what waits: looked at first, called handed when it was written, and seen only when the next event of the
 * session shows that the runtime went on past it (OP-09).
 *
 * One request when nothing waits. Only one hook of a session hands over at a time, since two that run at once
 * would show the same messages twice.
 *
 * @see docs/http.md §7; docs/runtimes.md §10 rule 3
 */
import { unreachable } from '../../core/errors.ts'
import { findCheckout } from '../../host/repository.ts'
import { SILENCE, silence, type HookAnswer } from '../events/answer.ts'
import { DEFAULT_CONTEXT_CHARS } from '../events/budget.ts'
import { SessionLost, type HookContext, type OwnSession } from './context.ts'
import type { DaemonLink } from './link.ts'
import { listMember, memberOf, numberOf, objectOf, textMember, type EventMembers } from '../events/members.ts'
import { EDIT_TAG } from '../events/tags.ts'
import type { HookEvent } from '../events/event.ts'
import type { HookState } from '../memory/hook-state.ts'

/** Items of one digest. */
const MAX_ITEMS = 20

/** What becomes of what was handed over before. */
export type HandOverEnd = 'seen' | 'returned'

/** Whether what waits is to be left for another moment, as something else will show it. */
export type LeaveIt = (items: readonly EventMembers[]) => Promise<boolean>

/** What waits, as the daemon shows it. */
export interface Waiting {
  readonly items: readonly EventMembers[]
  readonly remaining: number
  readonly text: string
}

/**
 * @param most - characters; absent, as many as the person has set
 * @param leaveIt - see {@link handOverWaiting}
 * @returns silence when nothing waits, or when another hook is handing it over
 */
export async function handOver(
  context: HookContext,
  session: OwnSession,
  most?: number,
  leaveIt?: LeaveIt,
): Promise<HookAnswer> {
  // Most often there is nothing, and nothing to take a claim or to read the settings for.
  if ((await lookAtInbox(context, session, DEFAULT_CONTEXT_CHARS)) === undefined) return SILENCE
  return handOverWaiting(context, session, most ?? context.settings.contextChars, leaveIt)
}

/**
 * The same where something is known to wait.
 *
 * @param leaveIt - asked about what would be shown; absent, nothing is left
 * @returns silence when another hook is handing it over, or has done so, or when it is left
 */
export async function handOverWaiting(
  context: HookContext,
  session: OwnSession,
  room: number,
  leaveIt?: LeaveIt,
): Promise<HookAnswer> {
  const claim = context.store.claim(context.fileName, 'deliver')
  if (claim === undefined) return silence('claimed')
  try {
    // Somebody may have handed it over between the look and the claim.
    const waiting = await lookAtInbox(context, session, room)
    if (waiting === undefined) {
      claim.release()
      return SILENCE
    }
    // Under the claim: what came a moment ago is left as well.
    if ((await leaveIt?.(waiting.items)) === true) {
      claim.release()
      return silence('left-to-waiter')
    }
    return {
      context: waiting.text,
      settle: () => reportHanded(context, session, waiting),
      release: () => claim.release(),
    }
  } catch (error) {
    claim.release()
    throw error
  }
}

/** What may be shown, within the room; notices that are of no use here are taken off first. */
export async function lookAtInbox(
  context: HookContext,
  session: OwnSession,
  room: number,
): Promise<Waiting | undefined> {
  let waiting = await peek(context, session, room)
  const foreign = waiting.items.filter((item) => isForeignEdit(item, session))
  if (foreign.length > 0) {
    await sendSeen(context, session, { event_ids: eventIds(foreign), state: 'dropped' })
    waiting = await peek(context, session, room)
  }
  return waiting.text === '' ? undefined : waiting
}

/**
 * Items without a digest, for a look at how urgent they are.
 *
 * @throws Unreached, SessionLost
 */
export async function peekItems(
  link: DaemonLink,
  token: string,
  handed?: HandOverEnd,
): Promise<readonly EventMembers[]> {
  const body = { peek: true, max_items: 200, max_bytes: 262_144, via: 'hook', handed }
  const reply = await link.send({ method: 'POST', path: '/v1/inbox/drain', token, body })
  if (reply.status === 401) throw new SessionLost()
  return listMember(reply.body, 'items').map(objectOf)
}

/** Says that the runtime was given these, each by its name; what a newer one stands for goes with it (HD-07). */
export function reportHanded(context: HookContext, session: OwnSession, waiting: Waiting): Promise<void> {
  const ids = eventIds(waiting.items)
  return ids.length === 0
    ? Promise.resolve()
    : sendSeen(context, session, { event_ids: ids, state: 'handed' })
}

async function sendSeen({ link }: HookContext, { token }: OwnSession, which: EventMembers): Promise<void> {
  await link.send({ method: 'POST', path: '/v1/seen', token, body: { ...which, via: 'hook' } })
}

async function peek(context: HookContext, { token, state }: OwnSession, room: number): Promise<Waiting> {
  const { link, event } = context
  const handed = handOverEnd(event, state)
  const body = { peek: true, format: 'text', max_items: MAX_ITEMS, max_bytes: room, via: 'hook', handed }
  const reply = await link.send({ method: 'POST', path: '/v1/inbox/drain', token, body })
  if (reply.status === 401) throw new SessionLost()
  return {
    items: listMember(reply.body, 'items').map(objectOf),
    remaining: numberOf(reply.body, 'remaining') ?? 0,
    text: textMember(reply.body, 'text') ?? '',
  }
}

/**
 * What an event says of what was handed over before it: within a turn the runtime went on past it; at a prompt or a start
 * the turn it was for may never have reached the model, as when it was interrupted or killed.
 */
function handOverEnd({ name, cause }: HookEvent, { isBusy, isWoken }: HookState): HandOverEnd | undefined {
  switch (name) {
    case 'before-tool':
    case 'after-tool':
    case 'tool-failed':
    case 'turn-end':
      return 'seen'
    case 'prompt':
      // The prompt of a turn that a wake began is what the wake was handed over with.
      return isWoken === true ? 'seen' : 'returned'
    case 'session-start':
      // A compaction is in the middle of a turn.
      return cause === 'compact' && isBusy ? undefined : 'returned'
    case 'session-end':
    case 'compacting':
    case 'notice':
      return undefined
    default:
      return unreachable(name)
  }
}

function eventIds(items: readonly EventMembers[]): readonly string[] {
  return items.map((item) => textMember(item, 'event_id')).filter((id) => id !== undefined)
}

/**
 * A hook's own notice of an edit in a repository that is not this session's: it is addressed to everybody, and
 * is of use only where the file is. What a person or an agent wrote is never dropped.
 */
function isForeignEdit(item: EventMembers, { state }: OwnSession): boolean {
  const frame = objectOf(memberOf(item, 'frame'))
  if (textMember(frame, 'kind') !== 'agent_advisory') return false
  if (!listMember(frame, 'provenance_method').includes(EDIT_TAG)) return false
  const worktree = textMember(objectOf(memberOf(frame, 'payload')), 'worktree')
  if (worktree === undefined || worktree === state.worktree) return false
  return state.repository === undefined || findCheckout(worktree)?.commonDir !== state.repository
}
