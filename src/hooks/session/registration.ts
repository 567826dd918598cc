/**
 * Registering a runtime's session, and carrying one on under another id.
 *
 * @see docs/http.md §4; PD-04; docs/runtimes.md §10 rule 2; OP-03
 */
import type { Session } from '../../broker/session/session.ts'
import { AgentdError } from '../../core/errors.ts'
import { SessionRequest } from '../../protocol/http/requests.ts'
import { requireShape } from '../../protocol/refusal/refusal.ts'
import { deliveryOf, findWakeChannels } from '../../runtimes/events/wake-channels.ts'
import { keyOf, newHookState, type HookState } from '../memory/hook-state.ts'
import type { HookContext, OwnSession } from './context.ts'
import { factsOf } from './facts.ts'
import { findPredecessor, inherited } from './predecessor.ts'
import { isHeadless, runtimeProcess } from './surroundings.ts'

/** Of an instrument, with room for `-agent` within the 32 characters of a handle. */
const MAX_INSTRUMENT_CHARS = 26

/** An object of `POST /v1/sessions`. */
type Body = Readonly<Record<string, unknown>>

/** The session that is remembered, as the daemon knows it; undefined when it knows it no longer. */
export function findSession({ hooks }: HookContext, { address, token }: HookState): Session | undefined {
  if (token === undefined || address === undefined) return undefined
  const { broker, clock, proven } = hooks
  const known = broker.sessions.find(address)
  // The digest of a token costs more than all else that most events do.
  if (known === undefined || proven.get(known) !== token) {
    const session = broker.sessions.authenticate(token)
    if (session !== undefined) proven.set(session, token)
    return session
  }
  known.touch(clock)
  return known
}

/**
 * Registers, updates, or takes over. A subagent's event never comes here.
 *
 * @returns undefined when it is refused
 */
export async function register(context: HookContext): Promise<OwnSession | undefined> {
  const { event, hooks, key, nowMs, state: known, surroundings } = context
  const forebear = runtimeProcess(surroundings, hooks.environment)
  if (isOfTheDead(context, forebear?.pid)) return undefined
  const pid = forebear?.pid ?? known?.pid
  const pidStart = pid === undefined ? undefined : hooks.startTimeOf(pid)
  const before = known?.token === undefined ? findPredecessor(context, { pid, pidStart }) : undefined
  const channels = { ...known?.wakeChannels, ...findWakeChannels(event, surroundings, forebear) }
  const facts = await factsOf(context, before)
  const wish = {
    ...facts.body,
    ...(pid !== undefined && { pid }),
    delivery: deliveryOf(event.runtime, context.settings.wakesIdle ? channels : {}, hooks.waiting.has(key)),
    ...(before !== undefined && { successor_of: withoutHandle(before) }),
  }
  const done = open(context, { body: wish, token: known?.token, predecessor: before })
  if (done === undefined) return undefined
  const { session, token, body, isNew } = done
  const state = hooks.memory.update(
    key,
    (current) => ({
      ...(current ?? newHookState(event.runtime.id, event.sessionId, nowMs)),
      ...(isNew && { said: undefined }),
      ...inherited(before, event.cause),
      ...facts.place,
      endedMs: undefined,
      heir: undefined,
      atMs: nowMs,
      isHeadless: isHeadless(event.runtime, surroundings) ?? current?.isHeadless,
      address: session.address,
      token,
      registration: body,
      pid,
      pidStart,
      wakeChannels: channels,
    }),
    true,
  )
  if (state === undefined) return undefined
  if (before !== undefined) retire(context, before)
  if (event.name === 'session-start') hooks.memory.sweep()
  return { session, state }
}

/**
 * Whether a hook was under way when its program was killed: the process that is remembered is gone, and nobody asks who was
 * started since. It would bring a dead session back, and be handed what nobody reads (OP-27).
 */
function isOfTheDead({ event, hooks, state }: HookContext, asker: number | undefined): boolean {
  const { pid, pidStart } = state ?? {}
  // Only Linux tells who asks, and a start comes from a program that lives.
  if (hooks.environment.platform !== 'linux' || event.name === 'session-start') return false
  if (pid === undefined || pidStart === undefined || hooks.startTimeOf(pid) === pidStart) return false
  const [boot, ticks] = pidStart.split(':')
  const [askerBoot, askerTicks] = (
    asker === undefined ? pidStart : (hooks.startTimeOf(asker) ?? pidStart)
  ).split(':')
  return askerBoot === boot && Number(askerTicks) <= Number(ticks)
}

/** Says what the session declares of itself anew, such as another way to wake it. */
export function declare(
  { broker }: HookContext['hooks'],
  { session, state }: OwnSession,
  delivery: Body,
): void {
  const { registration, token } = state
  if (registration === undefined || token === undefined) return
  const body = requireShape(SessionRequest, { ...registration, delivery, successor_of: undefined }, 'body')
  broker.sessions.open(body, session, token)
}

/** A registration as it is wished for. */
interface Wish {
  readonly body: Body
  readonly token: string | undefined
  /** The session that is carried on; its token shows that it is ours to carry on (HD-01). */
  readonly predecessor: HookState | undefined
}

interface Opened {
  readonly session: Session
  readonly token: string
  readonly body: Body
  readonly isNew: boolean
}

/** Tries, and tries once more in the way each refusal asks for. */
function open({ hooks, nowMs, surroundings }: HookContext, wish: Wish): Opened | undefined {
  const { sessions } = hooks.broker
  const proof = { peerPid: surroundings.peerPid, predecessorToken: wish.predecessor?.token }
  const bearer = wish.token === undefined ? undefined : sessions.authenticate(wish.token)
  let { body } = wish
  // One try for each of the refusals below, and the one that is granted.
  for (let tries = 0; tries < 4; tries += 1) {
    try {
      const request = requireShape(SessionRequest, body, 'body')
      const { kind, session, token } = sessions.open(request, bearer, bearer && wish.token, proof)
      return { session, token, body, isNew: kind !== 'updated' }
    } catch (error) {
      if (!(error instanceof AgentdError)) throw error
      const again = afterRefusal(error, body, nowMs)
      if (again === undefined) return undefined
      body = again
    }
  }
  return undefined
}

function afterRefusal({ code, field }: AgentdError, body: Body, nowMs: number): Body | undefined {
  // The one to carry on lives, and nothing shows that it was us: then without what waits for it.
  if (code === 'session-exists' && field === 'successor_of') return { ...body, successor_of: undefined }
  // The token was lost with our memory: a name beside it, and the mail of the old one.
  if (code === 'session-exists') return besideOf(body, nowMs)
  // The principal's own name is that of the tool, as in a container of its own.
  if (code === 'sender-identity-mismatch' && field === 'drafted_with')
    return { ...body, drafted_with: `~${String(body['instrument']).slice(0, MAX_INSTRUMENT_CHARS)}-agent` }
  return undefined
}

function besideOf(body: Body, nowMs: number): Body {
  const held = String(body['session_id'])
  const suffix = `.${nowMs.toString(36)}`
  return {
    ...body,
    session_id: `${held.slice(0, 128 - suffix.length)}${suffix}`,
    successor_of: `${String(body['instrument'])}@${held}`,
  }
}

/** What is remembered of the predecessor stays as a sign to its heir: who was started with the old id still asks for it. */
function retire({ event, hooks, nowMs }: HookContext, before: HookState): void {
  const left = before.token === undefined ? undefined : hooks.broker.sessions.authenticate(before.token)
  hooks.memory.update(
    keyOf(before),
    (state) => state && { ...state, heir: event.sessionId, endedMs: nowMs, token: undefined },
    true,
  )
  if (left !== undefined) hooks.broker.sessions.close(left)
}

function withoutHandle({ address = '' }: HookState): string {
  return address.slice(address.indexOf('/') + 1)
}
