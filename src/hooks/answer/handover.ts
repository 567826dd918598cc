/**
 * The newest handover that concerns a session: its own, one for it, or one of its repository.
 *
 * A handover says which session wrote it and not in which repository. The sessions that are there or remembered have said
 * where they work; of others, the files it points to tell.
 *
 * @see PD-04; OP-25, HO-06
 */
import { isAbsolute, join } from 'node:path'
import { keyOfTold, type HookState } from '../memory/hook-state.ts'
import type { HookContext, OwnSession } from '../session/context.ts'
import { wireSessionId } from '../session/facts.ts'
import { readHeldHandovers, type HeldHandover } from '../session/handovers.ts'
import { isOfSameRepository, placeOf } from '../session/near.ts'

/** A handover, as it can be shown. */
export interface Handover extends HeldHandover {
  /** Who has claimed it, or was shown it before this session: it is as good as taken over (OP-25). */
  readonly taker: Taker | undefined
}

/** Another session that has a handover, or is about to. */
export interface Taker {
  readonly address: string
  /** Whether its claim is on the wire; before that anybody may still take what it was shown. */
  readonly hasClaimed: boolean
}

/** References of one handover that are looked for. */
const MAX_REFS = 8

/** After these, what was shown before is no longer in the context. */
const FORGETS = new Set(['clear', 'compact'])

/** The newest that holds and concerns the session; undefined when it was shown before and is in the context still. */
export async function findHandover(
  context: HookContext,
  { state }: OwnSession,
): Promise<Handover | undefined> {
  for (const handover of await readHeldHandovers(context)) {
    if (!(await concerns(context, state, handover))) continue
    const isKnown = wasShown(state, handover) && !FORGETS.has(context.event.cause ?? '')
    return isKnown ? undefined : { ...handover, taker: takerOf(context, state, handover) }
  }
  return undefined
}

/** By a start, in a digest, or when it took it over itself. */
function wasShown(state: HookState, { frameId, claims: [first] }: HeldHandover): boolean {
  return state.shown.has(frameId) || state.shown.has(keyOfTold(frameId)) || isOf(state, first?.from)
}

async function concerns(context: HookContext, state: HookState, handover: HeldHandover): Promise<boolean> {
  const { by, from, next, refs, source } = handover
  const own = wireSessionId(state.sessionId)
  if (by === own || next === own) return true
  const { origin } = source.retained
  // Its paths are another machine's (FED-67).
  if (origin !== undefined)
    return isOfSameRepository(context, state.repositoryId, { from, node: origin.node })
  const ownPlace = state.repository ?? state.worktree
  if (ownPlace === undefined) return false
  // One that is there without a place has said no more than one that is not there.
  const writer = placeOf(context, from) ?? rememberedPlace(context, by)
  const place = writer?.repository ?? writer?.worktree
  if (place !== undefined) return place === ownPlace
  for (const ref of refs.slice(0, MAX_REFS)) if (await pointsHere(context, state, ref)) return true
  return false
}

/** Who claimed it first; while nobody has, who was shown it first. Who carries that session on has it as well. */
function takerOf({ hooks }: HookContext, own: HookState, handover: HeldHandover): Taker | undefined {
  const { by, frameId, claims } = handover
  const [claim] = claims
  if (claim !== undefined) {
    if (isOf(own, claim.from)) return undefined
    const taker = hooks.memory.byAddress(claim.from)
    const address = (taker && hooks.memory.find(taker.runtime, taker.sessionId)?.address) ?? claim.from
    return { address, hasClaimed: true }
  }
  const [first] = [...hooks.memory.list()]
    .filter(({ address, sessionId, shown }) => {
      return shown.has(frameId) && !isOf(own, address) && wireSessionId(sessionId) !== by
    })
    .toSorted((a, b) => (a.shown.get(frameId) ?? 0) - (b.shown.get(frameId) ?? 0))
  const address = first && (hooks.memory.find(first.runtime, first.sessionId)?.address ?? first.address)
  return address === undefined ? undefined : { address, hasClaimed: false }
}

function isOf(own: HookState, address: string | undefined): boolean {
  return address !== undefined && (address === own.address || own.formers.includes(address))
}

/** Where the session was that hooks have seen under the id that a handover names. */
function rememberedPlace({ hooks }: HookContext, by: string): HookState | undefined {
  for (const state of hooks.memory.list()) if (wireSessionId(state.sessionId) === by) return state
  return undefined
}

async function pointsHere({ hooks, key }: HookContext, state: HookState, ref: string): Promise<boolean> {
  if (ref.includes('\0')) return false
  const { repository, worktree } = state
  const ownPlace = repository ?? worktree
  if (isAbsolute(ref)) {
    const found = await hooks.places.find(ref, key)
    return found?.checkout?.commonDir === ownPlace || ref.startsWith(`${ownPlace}/`)
  }
  return worktree !== undefined && (await hooks.places.isThere(join(worktree, ref), key))
}
