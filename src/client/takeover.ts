/**
 * Taking over what another session has handed over: found, read whole, and claimed with a frame that says so.
 *
 * The claim is a frame like any other, and no daemon enforces it. So the order tells: the whole text is here before anything
 * is claimed, and whose claim is the first in the ring is asked for behind one's own.
 *
 * @see memo §5.3; HO-03, HO-04, HO-05
 */
import { UsageError } from '../core/errors.ts'
import {
  composeClaim,
  isCut,
  readHandovers,
  SHELL_SESSION_ID,
  type Handover,
  type HandoverClaim,
} from '../protocol/board/handovers.ts'
import { EventsReply, FrameTextReply } from '../protocol/http/frame-replies.ts'
import type { Connection } from './http/connection.ts'
import type { Message } from './outgoing.ts'
import type { FoundHandover, HandoverHolder, TakeOver } from './reply/handover-results.ts'
import { readNodes } from './reading/roster.ts'
import type { RosterNode, RosterSession } from './reply/roster-results.ts'
import type { SubmissionResult } from './reply/results.ts'

/** Handovers on one page, and pages that are looked through for one: of the largest, a page is four mebibytes. */
const PAGE_ITEMS = 200
export const MAX_HANDOVER_PAGES = 16

/** Letters of a frame's id that name it: with fewer, a slip of the pen would. */
const LEAST_ID_CHARS = 4

/** Which handover, and what is done with it. */
export interface TakeOverOptions {
  /** The id of its frame, or a beginning of it; absent, the newest that is not for somebody else. */
  readonly frame?: string | undefined
  /** Of the newest only what this says yes to: its pointers, and who wrote it, where that one is there. */
  readonly admits?:
    | ((handover: FoundHandover, writer: RosterSession | undefined) => boolean | Promise<boolean>)
    | undefined
  /** Look only: nothing is claimed, and what somebody else has is read all the same. */
  readonly peek?: boolean | undefined
  /** Called with the whole of it before it is claimed; what this throws leaves it unclaimed. */
  readonly beforeClaim?: ((handover: FoundHandover) => void | Promise<void>) | undefined
  /** Gives up with the signal's reason; what was claimed by then stays claimed. */
  readonly signal?: AbortSignal | undefined
}

/** What a participant does for it. */
interface Words {
  send(message: Message<'agent_handover'>): Promise<SubmissionResult>
  roster(): Promise<readonly RosterSession[]>
}

/** Who takes over. */
interface Taker {
  readonly connection: Connection
  /** `shell` for the principal itself, who has none. */
  readonly sessionId: string
  /** Whose rosters of other nodes are looked at. */
  readonly handle: string
}

/** Who takes over, and sees who is there. */
type Seeker = Taker & Pick<Words, 'roster'>

/** A frame as the daemon tells it. */
interface ToldFrame {
  readonly eventId: string
  readonly node: string | undefined
  readonly sender: string | null
  readonly acceptedAtMs: number
  readonly frame: unknown
}

type Known = Handover<ToldFrame>

/** As `takeOver` of a session or a client. @throws UsageError for a beginning of an id that several have */
export async function takeOver(words: Words, taker: Taker, options: TakeOverOptions): Promise<TakeOver> {
  const { peek = false, beforeClaim, signal } = options
  const { known, others, free } = await find({ ...taker, roster: () => words.roster() }, options)
  if (known === undefined) return { state: 'none', others }
  const handover = await whole(taker.connection, known, signal)
  const [holder] = known.claims.map(toHolder)
  const isMine = holder !== undefined && isOf(taker, holder)
  if (peek || isMine) return { state: 'taken', handover, claim: undefined, holder }
  if (holder !== undefined) return { state: 'held', handover, holder, free: free && toFound(free) }
  await beforeClaim?.(handover)
  const { payload, ttlMs, provenance } = composeClaim(known, {
    sessionId: taker.sessionId,
    nowMs: taker.connection.parts.clock.nowMs(),
  })
  const claim = await words.send({ kind: 'agent_handover', payload, ttlMs, provenance })
  const first = await firstClaim(taker.connection, known, signal)
  if (first === undefined || first.frameId === claim.frameId.toLowerCase()) {
    return { state: 'taken', handover, claim, holder: undefined }
  }
  return { state: 'held', handover, holder: toHolder(first) }
}

/** A shell has no id of its own: what another one has is not this one's. */
function isOf({ sessionId }: Taker, holder: HandoverHolder): boolean {
  return sessionId !== SHELL_SESSION_ID && holder.sessionId === sessionId
}

/** Page by page, the newest first, until the one that is meant is among them. */
async function find(taker: Seeker, options: TakeOverOptions): Promise<Chosen> {
  const { frame, signal } = options
  const wanted = frame?.toLowerCase()
  if (wanted !== undefined && wanted.length < LEAST_ID_CHARS)
    throw new UsageError(`A handover is named by ${LEAST_ID_CHARS} letters of its id at the least.`)
  let told: readonly ToldFrame[] = []
  let before: string | undefined
  let others = 0
  for (let page = 0; page < MAX_HANDOVER_PAGES; page += 1) {
    const { items, next } = await readPage(taker.connection, { before, signal })
    told = [...items, ...told]
    const found = readHandovers(told)
    const chosen = wanted === undefined ? await newest(taker, found, options) : named(found, wanted)
    if (chosen.known !== undefined || next === null) return chosen
    others = chosen.others
    before = next
  }
  return { known: undefined, others }
}

/** What was found, and of how many others there is a choice. */
interface Chosen {
  readonly known: Known | undefined
  readonly others: number
  /** Where somebody has what was found, the newest that nobody has. */
  readonly free?: Known | undefined
}

function named(found: readonly Known[], wanted: string): Chosen {
  const [known, ...more] = found.filter(({ frameId }) => frameId.startsWith(wanted))
  if (more.length === 0) return { known, others: 0 }
  throw new UsageError(`"${wanted}" is the beginning of ${more.length + 1} handovers; write more of the id.`)
}

/** The newest that holds, is not for somebody else, and is not the session's own. */
async function newest(
  taker: Seeker,
  found: readonly Known[],
  { admits = () => true }: TakeOverOptions,
): Promise<Chosen> {
  const { sessionId, connection } = taker
  const nowMs = connection.parts.clock.nowMs()
  const holding = found.filter(({ untilMs }) => untilMs > nowMs).toReversed()
  const roster = holding.length === 0 ? [] : await taker.roster()
  const isLinked = holding.some(({ source }) => source.node !== undefined)
  const nodes = isLinked ? await readNodes(connection, taker.handle) : []
  let others = 0
  let held: Known | undefined
  for (const known of holding) {
    const { by, from, next, claims } = known
    if (by === sessionId && sessionId !== SHELL_SESSION_ID) continue
    const { node } = known.source
    // The same address here is another session (FED-54).
    const writer = node === undefined ? roster.find(({ address }) => address === from) : undefined
    const isForMe = next === undefined || next === sessionId
    const handover = { ...toFound(known), repositoryId: repositoryThere(known, nodes) }
    if (!isForMe || !(await admits(handover, writer))) others += 1
    else if (claims.length === 0)
      return held === undefined ? { known, others } : { known: held, others, free: known }
    else held ??= known
  }
  return { known: held, others }
}

/** The repository of whoever wrote it on another node, as that node tells. */
function repositoryThere({ from, source }: Known, nodes: readonly RosterNode[]): string | undefined {
  if (source.node === undefined) return undefined
  const sessions = nodes.filter(({ node }) => node === source.node).flatMap((one) => one.sessions)
  return sessions.find(({ address }) => address === from)?.repositoryId ?? undefined
}

/** Who claimed it first, of all that came since. */
async function firstClaim(
  connection: Connection,
  known: Known,
  signal: AbortSignal | undefined,
): Promise<HandoverClaim | undefined> {
  const told: ToldFrame[] = [known.source]
  let after: string | null = known.source.eventId
  for (let page = 0; page < MAX_HANDOVER_PAGES && after !== null; page += 1) {
    const { items, next } = await readPage(connection, { after, signal })
    told.push(...items)
    const [first] = readHandovers(told)[0]?.claims ?? []
    if (first !== undefined) return first
    after = next
  }
  return undefined
}

/** Oldest first, whichever way it goes. */
async function readPage(
  connection: Connection,
  place: {
    readonly before?: string | undefined
    readonly after?: string
    readonly signal?: AbortSignal | undefined
  },
): Promise<{ readonly items: readonly ToldFrame[]; readonly next: string | null }> {
  const { signal, ...cursor } = place
  const query = { kind: 'agent_handover', limit: PAGE_ITEMS, ...cursor }
  const { items, next } = await connection.call({ route: 'getEvents', query, signal }, EventsReply)
  const told = items.map(({ event_id: eventId, node, sender, accepted_at: at, frame }) => ({
    eventId,
    node,
    sender,
    acceptedAtMs: Date.parse(at),
    frame,
  }))
  return { items: cursor.after === undefined ? told.toReversed() : told, next }
}

/** With all of its text, wherever that is kept. @throws AgentdError `not-found` when it was forgotten */
async function whole(
  connection: Connection,
  known: Known,
  signal: AbortSignal | undefined,
): Promise<FoundHandover> {
  const found = toFound(known)
  if (!isCut(known)) return found
  const call = { route: 'getFrameText', path: { frame_id: known.frameId }, signal } as const
  return { ...found, text: (await connection.call(call, FrameTextReply)).text }
}

function toFound({ source, frameId, from, by, next, body, refs, atMs }: Known): FoundHandover {
  const at = new Date(atMs).toISOString()
  const ids = {
    previousSessionId: by,
    nextSessionId: next,
    ...(source.node !== undefined && { node: source.node }),
  }
  return { frameId, eventId: source.eventId, from, ...ids, text: body, pointerRefs: refs, at }
}

function toHolder({ frameId, from, next, atMs }: HandoverClaim): HandoverHolder {
  return { frameId, from, sessionId: next, since: new Date(atMs).toISOString() }
}
