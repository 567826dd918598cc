/**
 * Handovers, and who has taken each over, worked out from the frames that say so, as any recipient may.
 *
 * A claim is a handover frame of its own: it names the same previous session, itself as the next one, and the frame that
 * it claims. Nothing keeps two from claiming the same; the first in the daemon's order has it, and the others have nothing.
 *
 * @see memo §§4.3, 5.3; ACQ-18, HO-03
 */
import { clip } from '../../core/text/clip.ts'
import { isJsonObject, numberOf, objectOf, textMember, textsOf } from '../../core/text/json-object.ts'
import type { PassingFrame } from './board-frame.ts'

/** How long a handover holds that does not say, in milliseconds (`frame/kinds.ts`, which a hook does not load). */
const DEFAULT_TTL_MS = 7 * 86_400_000

/** What stands for the session of whoever has none: a shell, a script. */
export const SHELL_SESSION_ID = 'shell'

/** Characters of a handover's first line that a claim quotes. */
const MAX_QUOTED_CHARS = 120

/** Where a daemon keeps the text of a handover that fits into no frame. */
const KEPT_TEXT = /\/handovers\/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\.txt$/

const FRAME_ID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i

/** Work that was handed over, with the frame that it came in. */
export interface Handover<Source extends PassingFrame = PassingFrame> {
  readonly source: Source
  readonly frameId: string
  /** The address of the session that sent it; of what no session sent, the handle. */
  readonly from: string
  /** The id of the session that hands over, and of the one it is for. */
  readonly by: string
  readonly next: string | undefined
  readonly body: string
  readonly refs: readonly string[]
  /** When it was accepted, and until when it holds, in milliseconds of wall time. */
  readonly atMs: number
  readonly untilMs: number
  /** In the order they came: the first has it. */
  readonly claims: readonly HandoverClaim[]
}

/** Somebody's word that a handover is theirs now. */
export interface HandoverClaim {
  readonly frameId: string
  /** As of a handover. */
  readonly from: string
  /** The id of the session that claims. */
  readonly next: string
  readonly atMs: number
}

/** What a frame of the kind says, before it is known whether it hands over or claims. */
type Said<Source extends PassingFrame> = Omit<Handover<Source>, 'claims'>

/** The handovers among some frames, as they came, each with its claims. @param frames - oldest first, of any kind */
export function readHandovers<Source extends PassingFrame>(
  frames: readonly Source[],
): readonly Handover<Source>[] {
  const found: (Said<Source> & { readonly claims: HandoverClaim[] })[] = []
  for (const source of frames) {
    const said = readFrame(source)
    if (said === undefined) continue
    const claimed = claimedBy(said, found)
    if (claimed === undefined) found.push({ ...said, claims: [] })
    else if (claimed !== GONE) claimed.claims.push(claimOf(said))
  }
  return found
}

/** Whether its frame has only the beginning of it. */
export function isCut({ refs }: Pick<Handover, 'refs'>): boolean {
  return refs.some((ref) => KEPT_TEXT.test(ref))
}

/** What a claim says that names nothing there is any more. */
const GONE = Symbol('gone')

/**
 * What a frame claims; undefined for one that hands over itself. A session that hands over to another one sends it itself;
 * whoever else names a previous session and a next one claims, and so does who names itself.
 */
function claimedBy<Known extends Pick<Handover, 'by' | 'frameId'>>(
  { source, by, next, refs }: Said<PassingFrame>,
  earlier: readonly Known[],
): Known | typeof GONE | undefined {
  if (next === undefined) return undefined
  const own = sessionIdOf(source.sender)
  const ids = refs.filter((ref) => FRAME_ID.test(ref)).map((ref) => ref.toLowerCase())
  const ofSession = earlier.filter((one) => one.by === by)
  const named = ofSession.findLast(({ frameId }) => ids.includes(frameId))
  if (next === own && ids.length > 0) return named ?? GONE
  // Its own work it claims only where it says which.
  if (own === by) return undefined
  return named ?? ofSession.at(-1) ?? (next === own ? GONE : undefined)
}

function claimOf({ frameId, from, next = '', atMs }: Said<PassingFrame>): HandoverClaim {
  return { frameId, from, next, atMs }
}

function readFrame<Source extends PassingFrame>(source: Source): Said<Source> | undefined {
  const { frame, sender, acceptedAtMs = Number.NaN } = source
  if (!isJsonObject(frame) || frame['kind'] !== 'agent_handover') return undefined
  const payload = objectOf(frame['payload'])
  const [frameId, by] = [textMember(frame, 'frame_id'), textMember(payload, 'previous_session_id')]
  const createdMs = Date.parse(textMember(frame, 'created_at') ?? '')
  if (frameId === undefined || by === undefined || !Number.isFinite(acceptedAtMs)) return undefined
  return {
    source,
    frameId: frameId.toLowerCase(),
    from: sender || (textMember(frame, 'sender_handle') ?? '~'),
    by,
    next: textMember(payload, 'next_session_id'),
    body: textMember(payload, 'handover_body') ?? '',
    refs: textsOf(payload, 'pointer_refs'),
    atMs: acceptedAtMs,
    // A sender may state a time to come, and would hold for as much longer.
    untilMs:
      Math.min(createdMs || acceptedAtMs, acceptedAtMs) + (numberOf(frame, 'ttl_ms') ?? DEFAULT_TTL_MS),
  }
}

/** `~alice/cc@s1` → `s1`. */
export function sessionIdOf(address: string | null | undefined): string {
  return address ? address.slice(address.indexOf('@') + 1) : SHELL_SESSION_ID
}

/** The payload of a claim, and how long it is worth anything: as long as what it claims. */
export function composeClaim(
  { by, body, frameId, untilMs }: Handover,
  { sessionId, nowMs }: { readonly sessionId: string; readonly nowMs: number },
) {
  const [first = ''] = body.split(/\r\n|\r|\n/, 1)
  return {
    payload: {
      previous_session_id: by,
      next_session_id: sessionId,
      handover_body: `Taken over: ${clip(first, MAX_QUOTED_CHARS)}`,
      pointer_refs: [frameId],
    },
    ttlMs: Math.max(1, untilMs - nowMs),
    provenance: { method: CLAIM_METHOD },
  }
}

/** A claim is news for a quiet moment, whoever it comes to (OP-22). */
const CLAIM_METHOD: readonly string[] = ['handover-claim', 'urgency.digest']
