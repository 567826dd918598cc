/**
 * The newest handover that concerns a session: its own, one for it, or one of its repository.
 *
 * A handover says which session wrote it and not in which repository. The sessions that hooks have seen are
 * remembered with theirs; of others, the files it points to tell.
 *
 * @see PD-04
 */
import { existsSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { findCheckout } from '../../host/repository.ts'
import type { HookContext, OwnSession } from '../session/context.ts'
import { listMember, memberOf, objectOf, textMember, type EventMembers } from '../events/members.ts'
import { wireSessionId } from '../session/registration.ts'
import type { WorkingPlace } from '../../protocol/board/placed.ts'
import { readPlaces } from '../session/roster.ts'

/** A handover to show. */
export interface Handover {
  readonly frameId: string
  readonly from: string
  readonly body: string
  readonly refs: readonly string[]
  readonly atMs: number
}

/** Handovers looked at; people write a few a day. */
const MAX_ITEMS = 50

/** What a handover holds for when it does not say (kinds.ts). */
const DEFAULT_TTL_MS = 7 * 86_400_000

/** References of one handover that are looked for. */
const MAX_REFS = 8

/** After these, what was shown before is no longer in the context. */
const FORGETS = new Set(['clear', 'compact'])

/**
 * Every handover that still holds, the newest first.
 *
 * @throws Unreached
 */
export async function readHandovers(
  { link, nowMs }: HookContext,
  { token }: OwnSession,
): Promise<readonly Read[]> {
  const path = `/v1/frames?filter=kind:agent_handover&limit=${MAX_ITEMS}`
  const { body } = await link.send({ method: 'GET', path, token })
  const found = listMember(body, 'items').map(objectOf).toReversed().map(readHandover)
  return found.filter((one) => one !== undefined).filter(({ untilMs }) => untilMs > nowMs)
}

/**
 * @param among - what `readHandovers` gave
 * @throws Unreached
 */
export async function findHandover(
  context: HookContext,
  session: OwnSession,
  among: readonly Read[],
): Promise<Handover | undefined> {
  // Most often there is none, and nothing to look through every session's file for.
  if (among.length === 0) return undefined
  const remembered = rememberedPlaces(context)
  const writers = among.filter(({ by, from }) => !remembered.has(by) && from.endsWith(`@${by}`))
  const present = await readPlaces(
    context,
    session,
    writers.map(({ from }) => from),
  )
  const newest = among.find((handover) =>
    concerns(handover, session, remembered.get(handover.by) ?? present.get(handover.from)),
  )
  if (newest === undefined) return undefined
  const isKnown = session.state.shown.has(newest.frameId) && !FORGETS.has(context.event.cause ?? '')
  return isKnown ? undefined : newest
}

type Read = Handover & { readonly untilMs: number; readonly by: string; readonly next: string | undefined }

function readHandover(item: EventMembers): Read | undefined {
  const frame = objectOf(memberOf(item, 'frame'))
  const payload = objectOf(memberOf(frame, 'payload'))
  const [frameId, body] = [textMember(frame, 'frame_id'), textMember(payload, 'handover_body')]
  const atMs = Date.parse(textMember(frame, 'created_at') ?? '')
  if (frameId === undefined || body === undefined || Number.isNaN(atMs)) return undefined
  const ttlMs = memberOf(frame, 'ttl_ms')
  const by = textMember(payload, 'previous_session_id') ?? ''
  const from = textMember(item, 'sender') ?? `${textMember(frame, 'drafted_with') ?? '~'}@${by}`
  const refs = listMember(payload, 'pointer_refs').filter((ref) => typeof ref === 'string')
  const untilMs = atMs + (typeof ttlMs === 'number' ? ttlMs : DEFAULT_TTL_MS)
  return { frameId, from, body, refs, atMs, untilMs, by, next: textMember(payload, 'next_session_id') }
}

/** Where the sessions were that hooks have seen, by the id that a handover names them with. */
function rememberedPlaces({ sessions }: HookContext): ReadonlyMap<string, WorkingPlace> {
  const places = sessions.map(({ sessionId, repository, worktree }) => {
    return [wireSessionId(sessionId), { repository, worktree }] as const
  })
  return new Map(places.filter(([, { repository, worktree }]) => (repository ?? worktree) !== undefined))
}

/** @param writer - where its writer is or was, if that is known */
function concerns(
  { by, next, refs }: Read,
  { state }: OwnSession,
  writer: WorkingPlace | undefined,
): boolean {
  const own = wireSessionId(state.sessionId)
  if (by === own || next === own) return true
  const ownPlace = state.repository ?? state.worktree
  if (ownPlace === undefined) return false
  // One that is there without a place has said no more than one that is not there.
  const place = writer?.repository ?? writer?.worktree
  if (place !== undefined) return place === ownPlace
  return refs.slice(0, MAX_REFS).some((ref) => pointsHere(ref, state.worktree, ownPlace))
}

function pointsHere(ref: string, worktree: string | undefined, ownPlace: string): boolean {
  if (ref.includes('\0')) return false
  if (isAbsolute(ref)) return findCheckout(ref)?.commonDir === ownPlace || ref.startsWith(`${ownPlace}/`)
  return worktree !== undefined && existsSync(join(worktree, ref))
}
