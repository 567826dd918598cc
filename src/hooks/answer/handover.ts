/**
 * The newest handover that concerns a session: its own, one for it, or one of its repository.
 *
 * A handover says which session wrote it and not in which repository. The sessions that are there or remembered have said
 * where they work; of others, the files it points to tell.
 *
 * @see PD-04; OP-25
 */
import { isAbsolute, join } from 'node:path'
import { OWN_WORK } from '../../broker/ring/background.ts'
import { frameOf, type Retained } from '../../broker/ring/retained.ts'
import { parseFilter } from '../../protocol/frame/filter.ts'
import type { HookState } from '../memory/hook-state.ts'
import type { HookContext, OwnSession } from '../session/context.ts'
import { wireSessionId } from '../session/facts.ts'
import { placeOf } from '../session/near.ts'

/** A handover, as it can be shown. */
export interface Handover {
  /** The session that was shown it before this one: it has taken it over (OP-25). */
  readonly takenBy: string | undefined
  readonly retained: Retained
  readonly frameId: string
  readonly from: string
  readonly body: string
  readonly refs: readonly string[]
  readonly atMs: number
  /** The session ids on the wire of who wrote it, and of whom it is for. */
  readonly by: string
  readonly next: string | undefined
}

/** Handovers looked at; people write a few a day. */
const MAX_ITEMS = 50

/** References of one handover that are looked for. */
const MAX_REFS = 8

/** After these, what was shown before is no longer in the context. */
const FORGETS = new Set(['clear', 'compact'])

/** The newest that holds and concerns the session; undefined when it was shown before and is in the context still. */
export async function findHandover(
  context: HookContext,
  { state }: OwnSession,
): Promise<Handover | undefined> {
  for (const handover of await readHandovers(context)) {
    if (!(await concerns(context, state, handover))) continue
    const isKnown = state.shown.has(handover.frameId) && !FORGETS.has(context.event.cause ?? '')
    return isKnown ? undefined : { ...handover, takenBy: takerOf(context, state, handover) }
  }
  return undefined
}

/** Every handover that still holds, the newest first. */
async function readHandovers({ hooks, nowMs }: HookContext): Promise<readonly Handover[]> {
  const { frames } = await hooks.broker.readHistory({
    afterSeq: undefined,
    limit: MAX_ITEMS,
    search: { filter: parseFilter('kind:agent_handover'), handle: undefined, withEnvelopes: false },
    asker: OWN_WORK,
    admits: ({ kind, expiresAtMs }) => kind === 'agent_handover' && expiresAtMs > nowMs,
  })
  return frames.toReversed().flatMap(readHandover)
}

function readHandover(retained: Retained): readonly Handover[] {
  const frame = retained.type === 'frame' ? frameOf(retained) : undefined
  if (frame?.kind !== 'agent_handover') return []
  const { handover_body: body, pointer_refs: refs = [], previous_session_id: by } = frame.payload
  const from = retained.senderAddress ?? `${frame.drafted_with}@${by}`
  const next = frame.payload.next_session_id
  const takenBy = undefined
  return [
    { takenBy, retained, frameId: frame.frame_id, from, body, refs, atMs: retained.acceptedAtMs, by, next },
  ]
}

async function concerns(context: HookContext, state: HookState, handover: Handover): Promise<boolean> {
  const { by, from, next, refs } = handover
  const own = wireSessionId(state.sessionId)
  if (by === own || next === own) return true
  const ownPlace = state.repository ?? state.worktree
  if (ownPlace === undefined) return false
  // One that is there without a place has said no more than one that is not there.
  const writer = placeOf(context, from) ?? rememberedPlace(context, by)
  const place = writer?.repository ?? writer?.worktree
  if (place !== undefined) return place === ownPlace
  for (const ref of refs.slice(0, MAX_REFS)) if (await pointsHere(context, state, ref)) return true
  return false
}

/** Who was shown it first; who carries that session on has it as well. */
function takerOf({ hooks }: HookContext, own: HookState, { by, frameId }: Handover): string | undefined {
  const [first] = [...hooks.memory.list()]
    .filter(({ address = '', sessionId, shown }) => {
      const isOwn = address === own.address || own.formers.includes(address)
      return shown.has(frameId) && !isOwn && wireSessionId(sessionId) !== by
    })
    .toSorted((a, b) => (a.shown.get(frameId) ?? 0) - (b.shown.get(frameId) ?? 0))
  return first && (hooks.memory.find(first.runtime, first.sessionId)?.address ?? first.address)
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
