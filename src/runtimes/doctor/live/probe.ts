/**
 * A probe through every attached session: who says that it has seen it, by which way, and how soon.
 *
 * What the daemon has written to a stream or laid into a mailbox is not called delivered: only the receiving
 * side can say that.
 *
 * @see PD-01, PD-13; docs/http.md §5
 */
import type { Participant, Receipt, Receipts, RosterSession } from '../../../client/index.ts'
import { unreachable } from '../../../core/errors.ts'
import { MAX_PROBES } from '../bounds.ts'
import { causeOf, wakeWayOf, type UnreadFacts } from './cause.ts'
import { notesOn, type DoctorFinding, type ProbeOutcome } from '../finding.ts'

/** Tags of the frame: what it is, and that it is nobody's business in particular, or may wake. */
const TAGS = ['probe', 'urgency.digest']
const WAKING_TAGS = ['probe', 'urgency.interrupt']

const notes = notesOn('live')

/** How it is probed. */
export interface ProbeWish {
  /** How long to wait for `seen`; a probe that was not seen by then is not shown later. */
  readonly timeoutMs: number
  /** Whether idle sessions are woken for it, which costs each of them a turn. */
  readonly wakesIdle?: boolean
}

/** Sends one to everybody who is attached, and says what became of it. */
export async function probeSessions(
  participant: Participant,
  wish: ProbeWish,
): Promise<readonly DoctorFinding[]> {
  const own = 'address' in participant ? participant.address : undefined
  const roster = await participant.roster()
  const attached = roster.filter((session) => session.address !== own && isAttached(session))
  if (attached.length === 0) {
    return [notes.off('probe', 'No session is attached.', 'start one in a runtime and ask again')]
  }
  const probed = attached.slice(0, MAX_PROBES)
  const outcomes = await Promise.all(
    probed.map(async (session) => {
      const isWaking = wish.wakesIdle === true && isWakeable(session)
      return { session, isWaking, outcome: await probe(participant, session, { ...wish, isWaking }) }
    }),
  )
  const there = new Set((await participant.roster()).map(({ address }) => address))
  const left = attached.length - probed.length
  return [
    ...outcomes.map(({ session, isWaking, outcome }) =>
      findingOf(outcome, { session, isWaking, isGone: !there.has(session.address) }),
    ),
    ...(left === 0 ? [] : [notes.off('probe', `${left} more sessions are attached and were not probed.`)]),
  ]
}

function isAttached({ subscriptions, mailbox }: RosterSession): boolean {
  return subscriptions > 0 || mailbox !== null
}

/** One in a turn reads without being woken, and one that waits for its person must not be. */
function isWakeable(session: RosterSession): boolean {
  const state = session.activity?.state ?? 'idle'
  return state === 'idle' && wakeWayOf(session) !== undefined
}

async function probe(
  participant: Participant,
  { name = '', address, delivery = null }: RosterSession,
  { timeoutMs, isWaking }: ProbeWish & { readonly isWaking: boolean },
): Promise<ProbeOutcome> {
  const sent = await participant.advise('probe from agentd doctor', {
    scope: address,
    ttlMs: timeoutMs,
    provenance: { method: isWaking ? WAKING_TAGS : TAGS },
  })
  const found =
    sent.recipientCount + sent.queuedCount === 0
      ? await participant.receipts(sent.frameId)
      : await participant.receipts(sent.frameId, { wait: 'all', timeoutMs })
  return { ...outcomeOf(address, delivery, found), name }
}

/** What becomes of a probe at a session of this daemon. */
type Fate = Exclude<ProbeOutcome['state'], 'nobody'>

/** A session may have passed its mailbox on meanwhile: whoever was sent to counts. */
function outcomeOf(
  address: string,
  delivery: ProbeOutcome['delivery'],
  { acceptedAt, receipts }: Receipts,
): Omit<ProbeOutcome, 'name'> {
  const here = receipts.filter(isHere)
  const receipt = here.find((one) => one.address === address) ?? here[0]
  const state = receipt?.state ?? 'nobody'
  return { address, state, via: receipt?.via, afterMs: afterMs(receipt, acceptedAt), delivery }
}

/** The probe is for a session of this daemon; one of the same address may be on another node. */
function isHere(receipt: Receipt): receipt is Receipt & { readonly state: Fate } {
  return receipt.node === undefined
}

function afterMs(receipt: Receipt | undefined, acceptedAt: string): number | undefined {
  if (receipt?.state !== 'seen') return undefined
  return Math.max(0, Date.parse(receipt.at) - Date.parse(acceptedAt))
}

function findingOf(probe: ProbeOutcome, facts: UnreadFacts): DoctorFinding {
  return { ...sentenceOf(probe, facts), probe }
}

function sentenceOf(probe: ProbeOutcome, facts: UnreadFacts): DoctorFinding {
  const { state, via, afterMs: ms } = probe
  const who = calledBy(probe)
  const declared = declaredBy(probe)
  switch (state) {
    case 'seen':
      return notes.ok(
        'probe',
        `${who}: seen after ${ms ?? 0} ms, by ${via ?? 'a way it did not name'}${declared}.`,
      )
    case 'handed':
      return notes.ok(
        'probe',
        `${who}: written to it, by ${via ?? 'a way it did not name'}; its next event says that it was shown${declared}.`,
      )
    case 'queued':
    case 'expired': {
      const { state: how, clause, fix } = causeOf(facts)
      return notes[how]('probe', `${who}: ${clause}${declared}.`, fix)
    }
    case 'emitted':
      return notes.warn(
        'probe',
        `${who}: written to its stream, and it has not said that it saw it${declared}.`,
      )
    case 'dropped':
      return notes.warn('probe', `${who}: left out by the session, and shown to nobody${declared}.`)
    case 'nobody':
      return facts.isGone
        ? notes.warn('probe', `${who}: gone; its session ended before it could be reached${declared}.`)
        : notes.fail('probe', `${who}: nobody; it is on the roster and takes nothing${declared}.`)
    default:
      return unreachable(state)
  }
}

/** `api-refactor (~alice/cc@s1)` */
function calledBy({ name, address }: ProbeOutcome): string {
  return name === '' ? address : `${name} (${address})`
}

/** `; it declares busy hook, idle inbox` */
function declaredBy({ delivery }: ProbeOutcome): string {
  const ways = Object.entries(delivery ?? {}).filter(([, driver]) => driver !== undefined)
  if (ways.length === 0) return '; it does not declare how it is reached'
  return `; it declares ${ways.map(([when, driver]) => `${when} ${driver ?? ''}`).join(', ')}`
}
