/**
 * What every part of a hook works with: where it is, what it remembers, and the way to the daemon.
 */
import { HookStore } from '../memory/hook-store.ts'
import type { HookState } from '../memory/hook-state.ts'
import type { Environment } from '../../host/config/paths.ts'
import type { HookEvent } from '../events/event.ts'
import { DaemonLink } from './link.ts'
import type { HookTrace } from './hook-trace.ts'
import { readHookSettings, type HookSettings } from './settings.ts'

/** Programs a hook may have to start. */
export interface Programs {
  /** `bin/agentd.cjs`, absolute. */
  readonly self: string
  /** The daemon as it was built, absolute. */
  readonly daemon: string
}

/** Where a hook runs. */
export interface HookPlace {
  readonly environment: Environment
  readonly socketPath: string
  readonly programs: Programs
  /** Where somebody looks inside. */
  readonly trace?: HookTrace | undefined
}

/** A session as it is registered. */
export interface OwnSession {
  readonly token: string
  readonly state: HookState
}

/** The daemon does not know the token any more. */
export class SessionLost extends Error {
  override readonly name = 'SessionLost'
}

/** By its name: it may come out of another bundle. */
export function isSessionLost(error: unknown): boolean {
  return error instanceof Error && error.name === 'SessionLost'
}

/** One hook's surroundings. */
export class HookContext {
  readonly environment: Environment
  readonly socketPath: string
  readonly programs: Programs
  readonly store: HookStore
  readonly event: HookEvent
  readonly fileName: string
  readonly nowMs: number
  readonly trace: HookTrace | undefined
  link: DaemonLink
  #settings: HookSettings | undefined
  #sessions: readonly HookState[] | undefined

  constructor(place: HookPlace, event: HookEvent) {
    this.environment = place.environment
    this.socketPath = place.socketPath
    this.programs = place.programs
    this.store = new HookStore(place.environment, place.socketPath)
    this.event = event
    this.fileName = HookStore.fileName(event.runtime.id, event.sessionId)
    this.nowMs = Date.now()
    this.trace = place.trace
    this.link = new DaemonLink(place.socketPath, place.trace?.asked)
  }

  /** Read when they are first asked for: most hooks need none of them. */
  get settings(): HookSettings {
    this.#settings ??= readHookSettings(this.environment)
    return this.#settings
  }

  /** What is remembered of every session, as it was when it was first asked for. */
  get sessions(): readonly HookState[] {
    this.#sessions ??= this.store.list()
    return this.#sessions
  }

  /** Changes what is remembered of this session; a session of which nothing is stays so. */
  remember(change: (state: HookState) => HookState): HookState | undefined {
    return this.store.update(this.fileName, (state) => state && change(state))
  }

  /** A new way to the daemon, after it has been started. */
  relink(): void {
    this.link.close()
    this.link = new DaemonLink(this.socketPath, this.trace?.asked)
  }
}
