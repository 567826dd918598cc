/**
 * The first thing done about an event: noting that it came, once.
 *
 * A host may run the hooks of two runtimes for one event; the second of them finds that it was dealt with.
 */
import { newHookState, withKeys, type HookState } from '../memory/hook-state.ts'
import { dueFiles, withEdits } from './advisory.ts'
import { apartMs } from '../../runtimes/events/apart.ts'
import { NOTE_EVERY_MS, REPEAT_MS, START_REPEAT_MS } from '../../runtimes/events/budget.ts'
import type { HookContext } from '../session/context.ts'
import { findWakeChannels } from '../../runtimes/events/wake-channels.ts'
import type { HookEvent } from '../../runtimes/events/event.ts'
import type { LocatedFile } from '../places/edited.ts'
import { isAnnouncedBefore } from '../../runtimes/edits/shell-patch.ts'

/** An event that has been noted. */
export interface Begun {
  /** As the event leaves it; but whether the turn was woken, which ends with its prompt, as the prompt finds it. */
  readonly state: HookState
  /** Written files of which the others have not been told within the last minute. */
  readonly due: readonly LocatedFile[]
}

/**
 * @param written - files this event says have been written
 * @returns undefined when there is nothing to do: it was dealt with, or it is of a session that takes no part
 */
export function begin(context: HookContext, written: readonly LocatedFile[]): Begun | undefined {
  const { event, nowMs } = context
  const unchanged = written.length === 0 ? findUnchanged(context) : undefined
  if (unchanged !== undefined) return { state: unchanged, due: [] }
  let due: readonly LocatedFile[] | undefined
  let wokenWith: string | undefined
  // Who is busy is not woken: that a turn is over has to outlive a daemon that is killed the next moment (OP-26).
  const isLasting = event.name === 'turn-end'
  const noted = (known: HookState | undefined): HookState | undefined => {
    // A subagent may be the first we hear of a session, and must not be the one that makes it known.
    if (known === undefined && event.isSubagent && event.name !== 'session-start') return undefined
    const current = known ?? newHookState(event.runtime.id, event.sessionId, nowMs)
    wokenWith = current.wokenWith
    const isChild = current.isChild || (event.isSubagent && event.name === 'session-start')
    const isRepeat = wasDealtWith(current, event, nowMs)
    if (!isRepeat && !isChild) due = wasToldBefore(current, event) ? [] : dueFiles(current, written, nowMs)
    return {
      ...withEdits(current, due ?? [], nowMs),
      isChild,
      atMs: nowMs,
      isBusy: isBusyAfter(event, current),
      wokenWith: wokenWithAfter(event, current),
      recent: event.key === undefined ? current.recent : withKeys(current.recent, [event.key], nowMs),
      wakeChannels: event.isSubagent
        ? current.wakeChannels
        : { ...current.wakeChannels, ...findWakeChannels(event, context.surroundings) },
    }
  }
  const state = context.hooks.memory.update(context.key, noted, isLasting)
  return state === undefined || due === undefined ? undefined : { state: { ...state, wokenWith }, due }
}

/**
 * The session in the middle of a turn, where this event changes nothing worth writing down: most of them do not.
 * That it may come twice does no harm, since what it hands over is handed over once.
 */
function findUnchanged({ event, nowMs, state }: HookContext): HookState | undefined {
  if ((event.name !== 'after-tool' && event.name !== 'tool-failed') || event.isSubagent) return undefined
  if (state?.token === undefined || !state.isBusy || state.isChild) return undefined
  if (apartMs(nowMs, state.atMs) >= NOTE_EVERY_MS) return undefined
  return state
}

function wasDealtWith({ recent }: HookState, { key, name }: HookEvent, nowMs: number): boolean {
  const atMs = key === undefined ? undefined : recent.get(key)
  if (atMs === undefined) return false
  return (
    apartMs(nowMs, atMs) < (name === 'session-start' || name === 'session-end' ? START_REPEAT_MS : REPEAT_MS)
  )
}

/** Behind a tool that was long held up, a minute may have passed since its edit was announced. */
function wasToldBefore({ recent }: HookState, event: HookEvent): boolean {
  if (event.name !== 'after-tool' || !isAnnouncedBefore(event)) return false
  return event.key !== undefined && recent.has(event.key.replace(/^after-tool:/, 'before-tool:'))
}

/** A wake is over with the prompt that it makes; another one, or the end of a turn, shows that it came to none. */
function wokenWithAfter({ name, isSubagent }: HookEvent, { wokenWith }: HookState): string | undefined {
  return !isSubagent && (name === 'prompt' || name === 'turn-end') ? undefined : wokenWith
}

function isBusyAfter({ name, cause, isSubagent, activity }: HookEvent, { isBusy, said }: HookState): boolean {
  if (isSubagent) return isBusy
  // In the middle of a turn; a limit or an error ends one.
  if (activity?.reason === 'permission' || activity?.reason === 'question') return isBusy
  if (name === 'notice') return activity?.state === 'working' && (isBusy || said?.state === 'waiting')
  // A compaction happens in the middle of a turn.
  if (name === 'session-start') return cause === 'compact' && isBusy
  return name !== 'turn-end' && name !== 'session-end'
}
