/**
 * What every part of a hook works with: the daemon it is in, the event, and what is remembered of the session.
 */
import type { Broker } from '../../broker/broker.ts'
import { callerFor } from '../../broker/session/caller.ts'
import type { Session } from '../../broker/session/session.ts'
import { callVerb } from '../../broker/verb-call.ts'
import type { Clock } from '../../core/clock.ts'
import type { Environment } from '../../host/config/paths.ts'
import type { VerbReply } from '../../protocol/http/frame-replies.ts'
import { VERBS, type VerbName } from '../../protocol/verb/verbs.ts'
import type { HookEvent } from '../../runtimes/events/event.ts'
import type { LiveBoard } from '../board/live-board.ts'
import type { HookMemory } from '../memory/hook-memory.ts'
import { stateKey, type HookState } from '../memory/hook-state.ts'
import type { Observer } from '../observation/observer.ts'
import type { Places } from '../places/places.ts'
import type { HookSettings, HookSettingsFile } from './settings.ts'
import type { Surroundings } from './surroundings.ts'

/** What all hooks share. */
export interface Hooks {
  readonly broker: Broker
  readonly clock: Clock
  /** The daemon's own. */
  readonly environment: Environment
  readonly memory: HookMemory
  readonly settings: HookSettingsFile
  readonly board: LiveBoard
  readonly places: Places
  readonly observer: Observer
  /** Tells a process from a later one of the same number. */
  readonly startTimeOf: (pid: number) => string | undefined
  /** Keys of sessions on whose behalf somebody waits to be told that something is urgent. */
  readonly waiting: Set<string>
  /** Where the turn of a session stands; without an entry its model calls tools. */
  readonly steps: WeakMap<Session, Step>
  /** The token that a session was found by. */
  readonly proven: WeakMap<Session, string>
}

/**
 * Before a prompt, of a session that has just begun; or the model is asked next, with all that was handed over: what the
 * session does then proves that it was shown (OP-09).
 */
export type Step = 'begun' | 'asked'

/** A session as it is registered. */
export interface OwnSession {
  readonly session: Session
  readonly state: HookState
}

/** One event, and where it happens. */
export class HookContext {
  readonly hooks: Hooks
  readonly event: HookEvent
  readonly surroundings: Surroundings
  readonly key: string
  readonly nowMs: number
  #settings: HookSettings | undefined

  constructor(hooks: Hooks, event: HookEvent, surroundings: Surroundings) {
    this.hooks = hooks
    this.event = event
    this.surroundings = surroundings
    this.key = stateKey(event.runtime.id, event.sessionId)
    this.nowMs = hooks.clock.nowMs()
  }

  /** Looked up when they are first asked for: most events need none of them. */
  get settings(): HookSettings {
    this.#settings ??= this.hooks.settings.get()
    return this.#settings
  }

  /** What is remembered of this session; undefined for one nobody has heard of. */
  get state(): HookState | undefined {
    return this.hooks.memory.read(this.key)
  }

  /** Changes what is remembered of this session; a session of which nothing is stays so. */
  remember(change: (state: HookState) => HookState): HookState | undefined {
    return this.hooks.memory.update(this.key, (state) => state && change(state))
  }
}

/** Says something as a session. @throws AgentdError as the verb refuses */
export function say(
  { broker, clock }: Pick<Hooks, 'broker' | 'clock'>,
  session: Session,
  [verb, body]: readonly [VerbName, Readonly<Record<string, unknown>>],
): Promise<VerbReply> {
  const caller = callerFor(session, broker.authority)
  return callVerb({ broker, caller, clock }, VERBS[verb], body)
}
