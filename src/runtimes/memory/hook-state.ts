/**
 * What the hooks of one runtime session remember from one event to the next.
 *
 * Hooks are short processes, so it lives in a file (`hook-store.ts`). Whatever a file says is read member by
 * member: one that was cut, or written by somebody with other ideas, costs what it held and nothing else.
 *
 * @see PD-04, PD-06, PD-07
 */
import type { BoardEntry } from '../../protocol/board/board-frame.ts'
import type { Activity, WakeChannels } from '../events/hook-runtime.ts'

/** The process that waits to wake a session. */
export interface Waiter {
  readonly pid: number
  /** `rewake` is the runtime's own waiter and takes precedence over a `detached` one of ours. */
  readonly kind: 'rewake' | 'detached'
}

/** Everything that is remembered. Times are wall time in milliseconds. */
export interface HookState {
  readonly runtime: string
  /** As the runtime says it. */
  readonly sessionId: string
  /** The runtime's id of the session that carries on, after `/clear` and its like. */
  readonly heir?: string | undefined
  readonly endedMs?: number | undefined
  readonly atMs: number
  /** A turn is under way: hooks come by, nobody has to be woken. */
  readonly isBusy: boolean
  /** What the daemon took of what the session does; undefined before it has been told. */
  readonly said?: Activity | undefined
  /** A turn began, or begins, with what a wake handed over. */
  readonly isWoken?: boolean | undefined

  readonly address?: string | undefined
  readonly handle?: string | undefined
  readonly token?: string | undefined
  /** What was said at the registration, to say it again; an object of `POST /v1/sessions`. */
  readonly registration?: Readonly<Record<string, unknown>> | undefined

  readonly pid?: number | undefined
  readonly pidStart?: string | undefined
  readonly repository?: string | undefined
  readonly worktree?: string | undefined
  readonly branch?: string | undefined

  /** Edited file (worktree, NUL, path) → when it was first and last announced. */
  readonly edits: ReadonlyMap<string, readonly [firstMs: number, lastMs: number]>
  /** Frames of our own, so that we do not warn us of ourselves. */
  readonly ownFrames: readonly string[]
  /** Leases this session is known to hold, by `leaseKey` → their resource. */
  readonly leases: ReadonlyMap<string, string>
  /** What was on it, but for what it is about, which no hook shows. */
  readonly board: readonly BoardEntry[]
  /** Whether the board holds what was sent before this session came. */
  readonly hasBoard: boolean
  /** The event id from which the board has to be read on. */
  readonly boardAt?: string | undefined
  /** A session that another one of its runtime started; it never registers. */
  readonly isChild: boolean
  /** What has been shown already → when. */
  readonly shown: ReadonlyMap<string, number>
  /** Events that were dealt with → when; a host may run two hooks for one. */
  readonly recent: ReadonlyMap<string, number>
  readonly wakes: readonly number[]
  readonly waiter?: Waiter | undefined
  readonly wakeChannels: WakeChannels
}

/** A session nobody has heard of. */
export function newHookState(runtime: string, sessionId: string, nowMs: number): HookState {
  return {
    runtime,
    sessionId,
    atMs: nowMs,
    isBusy: false,
    hasBoard: false,
    isChild: false,
    edits: new Map(),
    ownFrames: [],
    leases: new Map(),
    board: [],
    shown: new Map(),
    recent: new Map(),
    wakes: [],
    wakeChannels: {},
  }
}
