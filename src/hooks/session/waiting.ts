/**
 * What waits for a session: looked at, and what became of it noted. Handed is what was written, and seen what the next
 * event of the session shows that its runtime went on past (OP-09).
 *
 * @see docs/http.md §7
 */
import type { Broker } from '../../broker/broker.ts'
import type { LeftForeign } from '../../broker/inbox/foreign.ts'
import type { Retained } from '../../broker/ring/retained.ts'
import type { Session } from '../../broker/session/session.ts'
import { unreachable } from '../../core/errors.ts'
import type { HookEvent } from '../../runtimes/events/event.ts'
import { foreignHandle } from '../../protocol/address/foreign.ts'
import { shownAtStart, type HookState } from '../memory/hook-state.ts'
import type { HookContext, Hooks, OwnSession, Step } from './context.ts'
import { claimShown } from './handovers.ts'
import { findSession } from './registration.ts'
import { urgencyOf } from './urgency.ts'

/** Items of one digest. */
const MAX_ITEMS = 20

/** Items that are looked through at once, and their text. */
const MAX_LOOKED_AT = 200
const MAX_LOOKED_AT_OCTETS = 262_144

/** What waits, as a digest shows it; nothing is an empty text. */
export interface Waiting {
  readonly items: readonly Retained[]
  readonly text: string
  /** Of other principals, where that is only counted (FED-64). */
  readonly foreign: LeftForeign
}

/** What is looked with. */
type Looking = Pick<Hooks, 'broker' | 'settings'>

/** What becomes of the messages that were handed over before. */
type HandOverEnd = 'seen' | 'returned'

/** How much may be shown, and what of it: the rest goes on waiting. */
interface InboxLook {
  readonly room: number
  readonly admits?: (retained: Retained) => boolean
}

/**
 * What may be shown, within the room, oldest first. Where not all of it fits, what is urgent does: a session that is woken
 * for it must not find a backlog instead.
 */
export function lookAtInbox(
  hooks: Looking,
  session: Session,
  { room, admits = () => true }: InboxLook,
): Waiting {
  const { broker } = hooks
  const look = {
    peek: true,
    format: 'text',
    max_items: MAX_ITEMS,
    max_bytes: room,
    via: 'hook',
    state: 'handed',
    foreign: hooks.settings.get().foreign,
  } as const
  const all = broker.drain(session, look, admits)
  const shown = new Set(all.taken.map(({ seq }) => seq))
  const isUrgent = (retained: Retained): boolean => mayInterrupt(broker, retained) && admits(retained)
  const hidesUrgent =
    all.remaining > 0 && waitingItems(hooks, session, isUrgent).some(({ seq }) => !shown.has(seq))
  const { taken, text = '' } = hidesUrgent ? broker.drain(session, look, isUrgent) : all
  return { items: taken, text, foreign: all.foreign }
}

/** What waits and is admitted, oldest first; nothing is taken. */
export function waitingItems(
  { broker, settings }: Looking,
  session: Session,
  admits: (retained: Retained) => boolean,
): readonly Retained[] {
  if ((session.mailbox?.unread ?? 0) === 0) return []
  const look = {
    peek: true,
    format: 'json',
    max_items: MAX_LOOKED_AT,
    max_bytes: MAX_LOOKED_AT_OCTETS,
    via: 'hook',
    state: 'handed',
    foreign: settings.get().foreign,
  } as const
  return broker.drain(session, look, admits).taken
}

/** Those of the waiting that may start a turn. */
export function findInterrupts(hooks: Looking, session: Session): readonly Retained[] {
  return waitingItems(hooks, session, (retained) => mayInterrupt(hooks.broker, retained))
}

/** Whether it may start a turn; what another principal sent never does (FED-64). */
export function mayInterrupt({ authority }: Pick<Broker, 'authority'>, retained: Retained): boolean {
  return urgencyOf(retained) === 'interrupt' && foreignHandle(retained.origin?.node, authority) === undefined
}

/** The handovers of a digest, by their frames. */
export function handoversIn(items: readonly Retained[]): readonly string[] {
  return items.filter(({ kind }) => kind === 'agent_handover').map(({ key }) => key)
}

/** Notes that the runtime was given these; what a newer one stands for goes with it (HD-07). */
export function reportHanded(broker: Broker, session: Session, items: readonly Retained[]): void {
  mark(broker, session, { items, state: 'handed' })
}

/** Notes that these are left out, shown to nobody. */
export function reportDropped(broker: Broker, session: Session, items: readonly Retained[]): void {
  mark(broker, session, { items, state: 'dropped' })
}

function mark(
  broker: Broker,
  session: Session,
  { items, state }: { readonly items: readonly Retained[]; readonly state: 'handed' | 'dropped' },
): void {
  if (items.length === 0 || session.isOver) return
  const event_ids = items.map(({ seq }) => broker.ring.eventId(seq))
  broker.receipts.markSeen(session, { event_ids, state, via: 'hook' })
}

/**
 * Ends what was handed over before this event, as far as the event says what became of it: one that says that the model has
 * yet to answer proves nothing, and neither does what is left of that step.
 */
export async function endHandOver(context: HookContext, own: OwnSession): Promise<void> {
  const { event, hooks } = context
  if (event.isUnanswered) return
  const end = handOverEnd(event, own.state, hooks.steps.get(own.session))
  noteStep(context, own)
  if (end === undefined) return
  // Of the tools of ours one may have run just now: its answer is not behind the model yet.
  const except = event.name === 'after-tool' || event.name === 'tool-failed' ? 'mcp' : undefined
  hooks.broker.receipts.endHandOver(own.session, end, except)
  if (own.state.unproved.length > 0) await endHandovers(context, own, end)
}

/**
 * The same of handovers, which wait in no mailbox: one that was not shown is to be shown again, and one that was is taken
 * over (OP-25).
 */
async function endHandovers(context: HookContext, own: OwnSession, end: HandOverEnd): Promise<void> {
  const { receipts } = context.hooks.broker
  const { session, state } = own
  const { unproved } = state
  const seen = end === 'seen' ? shownAtStart(state) : []
  for (const frameId of seen) {
    const retained = receipts.find(frameId)
    if (retained !== undefined) receipts.noteShown(session, retained, 'hook')
  }
  context.remember((current) => ({
    ...current,
    unproved: [],
    ...(end === 'returned' && {
      shown: new Map([...current.shown].filter(([key]) => !unproved.includes(key))),
    }),
  }))
  if (seen.length > 0) await claimShown(context, own, seen)
}

/**
 * Notes a start right behind a start: of two hooks for one, or of a program that was killed and begun anew at once. What the
 * first was told may be gone with it, and then comes again with the prompt.
 */
export function doubtStart(context: HookContext): void {
  const session = context.state && findSession(context, context.state)
  if (session !== undefined) context.hooks.steps.delete(session)
}

/** Whether the model is asked behind this event, or calls its tools still. */
function noteStep({ event, hooks }: HookContext, { session, state }: OwnSession): void {
  const { name, runtime, wireName } = event
  // Neither says anything of the turn; a compaction may be in the middle of one.
  if (name === 'notice' || (name === 'session-start' && state.isBusy)) return
  if (name === 'session-start') hooks.steps.set(session, 'begun')
  else if (name === 'prompt' || name === 'turn-end' || runtime.stepEnds?.includes(wireName) === true)
    hooks.steps.set(session, 'asked')
  else hooks.steps.delete(session)
}

/**
 * What an event says of what was handed over before it: a tool shows that the model was asked, when it was to be asked next,
 * and the end of a turn always; at a prompt or a start the turn it was for may never have reached the model, as when it was
 * interrupted or killed. A wake may cross with a prompt of the person's: nothing of that turn says anything of it, and at
 * its end the program may have dropped it.
 */
function handOverEnd(event: HookEvent, state: HookState, step: Step | undefined): HandOverEnd | undefined {
  const { name, cause } = event
  const isWakeDue = state.wokenWith !== undefined
  switch (name) {
    case 'before-tool':
    case 'after-tool':
    case 'tool-failed':
      return step === 'asked' && !isWakeDue ? 'seen' : undefined
    case 'turn-end':
      return isWakeDue ? 'returned' : 'seen'
    case 'prompt':
      // What a start or a wake was handed over with is there still; the model has yet to be asked.
      return isPromptOfWake(event, state) || (step === 'begun' && !isWakeDue) ? undefined : 'returned'
    case 'session-start':
      // A compaction is in the middle of a turn.
      return cause === 'compact' && state.isBusy ? undefined : 'returned'
    case 'session-end':
    case 'compacting':
    case 'notice':
      return undefined
    default:
      return unreachable(name)
  }
}

/** Whether a turn begins with what a wake handed over; a runtime that does not say its prompts is believed to. */
function isPromptOfWake({ prompt }: HookEvent, { wokenWith }: HookState): boolean {
  return wokenWith !== undefined && (prompt === undefined || prompt.includes(wokenWith))
}
