/**
 * What a watch says (`GET /v1/watch`), read tolerantly: members and events that a newer daemon adds are passed over.
 *
 * @see W-1; docs/http.md §6
 */
import {
  listMember,
  memberOf,
  numberOf,
  objectOf,
  textMember,
  type JsonObject,
} from '../../core/text/json-object.ts'
import { EVENT_BYE, EVENT_GAP } from '../../protocol/sse/encoder.ts'
import { formatGap, isGapReason } from '../../protocol/sse/gap-line.ts'
import { readSession, type SeatSession } from './here/session.ts'
import { readNeed, type SeatNeed } from './needs/need.ts'
import { readPassed, type PassedItem } from './passing/passed.ts'
import type { Run } from './passing/rows.ts'
import { timeOf } from './text/times.ts'

/** One event of a watch. */
export type WatchEvent =
  | {
      readonly type: 'snapshot'
      readonly principal: string
      readonly sessions: readonly SeatSession[]
      readonly needs: readonly SeatNeed[]
    }
  | { readonly type: 'passed'; readonly item: PassedItem; readonly passing: Passing }
  | { readonly type: 'session'; readonly hasGone: boolean; readonly session: SeatSession }
  | { readonly type: 'need'; readonly isClosed: boolean; readonly need: SeatNeed }
  | { readonly type: 'receipt'; readonly receipt: Receipt }
  | { readonly type: 'forgotten'; readonly epoch: string; readonly runs: readonly Run[] }
  | { readonly type: 'gap'; readonly says: string }
  | { readonly type: 'bye'; readonly reason: string }

/** What else is needed of what passes: by the board, and for what a session is doing. */
export interface Passing {
  readonly sender: string | undefined
  readonly acceptedAtMs: number | undefined
  /** Undefined for an envelope. */
  readonly frame: unknown
  /** What an advisory says, without the files it names besides; undefined for everything else. */
  readonly text: string | undefined
}

/** What became at one recipient of something the person sent. */
export interface Receipt {
  readonly eventId: string
  readonly address: string
  readonly state: string
  readonly atMs: number
}

/**
 * @param name - of the event: `agentd_passed`, …
 * @param data - its JSON, parsed
 * @param eventId - the id of the block; of a block without one, undefined
 * @returns undefined for an event that this program does not know or cannot read
 */
export function readWatchEvent(
  name: string,
  data: unknown,
  eventId: string | undefined,
): WatchEvent | undefined {
  const said = objectOf(data)
  switch (name) {
    case 'agentd_snapshot':
      return readSnapshot(said)
    case 'agentd_passed':
      return readPassing(said, eventId)
    case 'agentd_session': {
      const session = readSession(memberOf(said, 'session'))
      return session && { type: 'session', hasGone: textMember(said, 'change') === 'went', session }
    }
    case 'agentd_need': {
      const need = readNeed(memberOf(said, 'need'))
      return need && { type: 'need', isClosed: textMember(said, 'change') === 'closed', need }
    }
    case 'agentd_receipt':
      return readReceipt(said)
    case 'agentd_forgotten':
      return { type: 'forgotten', epoch: textMember(said, 'epoch') ?? '', runs: readRuns(said) }
    case EVENT_GAP:
      return { type: 'gap', says: describeGap(said) }
    case EVENT_BYE:
      return { type: 'bye', reason: textMember(said, 'reason') ?? '' }
    default:
      return undefined
  }
}

function readSnapshot(said: JsonObject): WatchEvent {
  return {
    type: 'snapshot',
    principal: textMember(said, 'principal') ?? '~',
    sessions: listMember(said, 'sessions').flatMap((entry) => readSession(entry) ?? []),
    needs: listMember(said, 'needs').flatMap((entry) => readNeed(entry) ?? []),
  }
}

function readPassing(said: JsonObject, eventId: string | undefined): WatchEvent | undefined {
  const item = readPassed(said, eventId)
  if (item === undefined) return undefined
  const [sender, acceptedAtMs] = [textMember(said, 'sender'), timeOf(said, 'accepted_at')]
  const frame = memberOf(said, 'frame')
  const text = textMember(objectOf(memberOf(objectOf(frame), 'payload')), 'advisory_text')
  return { type: 'passed', item, passing: { sender, acceptedAtMs, frame, text } }
}

function readReceipt(said: JsonObject): WatchEvent | undefined {
  const [eventId, address] = [textMember(said, 'event_id'), textMember(said, 'address')]
  const [state, atMs] = [textMember(said, 'state'), timeOf(said, 'at')]
  if (eventId === undefined || address === undefined || state === undefined || atMs === undefined)
    return undefined
  return { type: 'receipt', receipt: { eventId, address, state, atMs } }
}

function readRuns(said: JsonObject): readonly Run[] {
  return listMember(said, 'runs').flatMap((run) => {
    const [first, last] = [numberOf(objectOf(run), 'first'), numberOf(objectOf(run), 'last')]
    return first === undefined || last === undefined ? [] : [{ first, last }]
  })
}

function describeGap(said: JsonObject): string {
  const reason = textMember(said, 'reason') ?? ''
  return formatGap({
    // One that only a newer daemon knows: where to go on from is unclear.
    reason: isGapReason(reason) ? reason : 'unknown-id',
    missed: numberOf(said, 'missed') ?? null,
  })
}
