/**
 * What is remembered of one runtime session from one event to the next.
 *
 * It lives in the daemon, and is written down beside the sessions so that a daemon that was killed knows it again (OP-03,
 * OP-05). A value: each change makes another one.
 *
 * @see PD-04, PD-06, PD-07
 */
import type { Activity, WakeChannels } from '../../runtimes/events/hook-runtime.ts'

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
  /** The first line of what a wake handed over, while the prompt that it makes has not come. */
  readonly wokenWith?: string | undefined
  /** Nobody sits at it, as its runtime says: a hook that waits would hold it up. */
  readonly isHeadless?: boolean | undefined

  readonly address?: string | undefined
  readonly token?: string | undefined
  /** What was said at the registration, to say it again; an object of `POST /v1/sessions`. */
  readonly registration?: Readonly<Record<string, unknown>> | undefined

  readonly pid?: number | undefined
  readonly pidStart?: string | undefined
  readonly repository?: string | undefined
  /** As every machine calls it (FED-68). */
  readonly repositoryId?: string | undefined
  readonly worktree?: string | undefined
  /** The disk has not said yet where it is: what stands there is no more than its directory (OP-10). */
  readonly isUnplaced?: boolean | undefined
  readonly branch?: string | undefined

  /** Addresses of the sessions it carries on, the latest last: what they announced is its own. */
  readonly formers: readonly string[]
  /** Edited file (worktree, NUL, path) → when it was first and last announced. */
  readonly edits: ReadonlyMap<string, readonly [firstMs: number, lastMs: number]>
  /** File it has read, named as above → when. */
  readonly reads: ReadonlyMap<string, number>
  /** A session that another one of its runtime started; it never registers. */
  readonly isChild: boolean
  /** What has been shown already → when. */
  readonly shown: ReadonlyMap<string, number>
  /** Handovers that were written to it, by their frames, while nothing proves that they were shown (OP-09, OP-25). */
  readonly unproved: readonly string[]
  /** Events that were dealt with → when; a host may run two hooks for one. */
  readonly recent: ReadonlyMap<string, number>
  readonly wakes: readonly number[]
  readonly wakeChannels: WakeChannels
}

/** A session nobody has heard of. */
export function newHookState(runtime: string, sessionId: string, nowMs: number): HookState {
  return {
    runtime,
    sessionId,
    atMs: nowMs,
    isBusy: false,
    isChild: false,
    formers: [],
    edits: new Map(),
    reads: new Map(),
    unproved: [],
    shown: new Map(),
    recent: new Map(),
    wakes: [],
    wakeChannels: {},
  }
}

/** What a session is remembered by; runtimes give ids of their own, and two may give the same. */
export function stateKey(runtime: string, sessionId: string): string {
  return `${runtime}:${sessionId}`
}

/** What this session is remembered by. */
export function keyOf({ runtime, sessionId }: Pick<HookState, 'runtime' | 'sessionId'>): string {
  return stateKey(runtime, sessionId)
}

/** What a handover is remembered by that stood in a digest, which takes nothing over. */
export function keyOfTold(frameId: string): string {
  return `${TOLD}${frameId}`
}

/** The same with handovers that stood in a digest: none is shown again while it is in the context still (HO-06). */
export function withTold(state: HookState, frameIds: readonly string[], nowMs: number): HookState {
  if (frameIds.length === 0) return state
  const told = frameIds.map(keyOfTold)
  return { ...state, shown: withKeys(state.shown, told, nowMs), unproved: [...state.unproved, ...told] }
}

/** Of what was written and is not proved to have been shown, the handovers that a start showed. */
export function shownAtStart({ unproved }: HookState): readonly string[] {
  return unproved.filter((key) => !key.startsWith(TOLD))
}

const TOLD = 'told:'

/** The same with some keys of this moment: last in the order of the map, so that the oldest are the first to be forgotten. */
export function withKeys(
  known: ReadonlyMap<string, number>,
  keys: readonly string[],
  nowMs: number,
): ReadonlyMap<string, number> {
  const all = new Map(known)
  for (const key of keys) {
    all.delete(key)
    all.set(key, nowMs)
  }
  return all
}

/** What a file is remembered by. @param path - within the worktree */
export function fileKey({ worktree, path }: { readonly worktree: string; readonly path: string }): string {
  return `${worktree}\0${path}`
}
