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
import type { Sibling } from '../session/roster.ts'

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

/** @param among - what `readHandovers` gave */
export function findHandover(
  context: HookContext,
  session: OwnSession,
  { among, roster }: { readonly among: readonly Read[]; readonly roster: readonly Sibling[] },
): Handover | undefined {
  // Most often there is none, and nothing to look through every session's file for.
  if (among.length === 0) return undefined
  const newest = among.find(concernsOf(context, session, roster))
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

function concernsOf(
  context: HookContext,
  { state }: OwnSession,
  roster: readonly Sibling[],
): (handover: Read) => boolean {
  const own = wireSessionId(state.sessionId)
  const places = new Map(
    roster.map(({ sessionId, repository, worktree }) => [sessionId, repository ?? worktree]),
  )
  for (const { sessionId, repository, worktree } of context.sessions) {
    const place = repository ?? worktree
    if (place !== undefined) places.set(wireSessionId(sessionId), place)
  }
  const ownPlace = state.repository ?? state.worktree
  return ({ by, next, refs }) => {
    if (by === own || next === own) return true
    if (ownPlace === undefined) return false
    // One that is on the roster without a place has said no more than one that is not there.
    const place = places.get(by)
    if (place !== undefined) return place === ownPlace
    return refs.slice(0, MAX_REFS).some((ref) => pointsHere(ref, state.worktree, ownPlace))
  }
}

function pointsHere(ref: string, worktree: string | undefined, ownPlace: string): boolean {
  if (ref.includes('\0')) return false
  if (isAbsolute(ref)) return findCheckout(ref)?.commonDir === ownPlace || ref.startsWith(`${ownPlace}/`)
  return worktree !== undefined && existsSync(join(worktree, ref))
}
