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
import { notesOn, type DoctorFinding, type ProbeOutcome } from '../finding.ts'

/** Tags of the frame: what it is, and that it is nobody's business in particular. */
const TAGS = ['probe', 'urgency.digest']

const notes = notesOn('live')

/** @param timeoutMs - how long to wait for `seen`; a probe that was not seen by then is not shown later */
export async function probeSessions(
  participant: Participant,
  timeoutMs: number,
): Promise<readonly DoctorFinding[]> {
  const own = 'address' in participant ? participant.address : undefined
  const roster = await participant.roster()
  const attached = roster.filter((session) => session.address !== own && isAttached(session))
  if (attached.length === 0) {
    return [notes.off('probe', 'No session is attached.', 'start one in a runtime and ask again')]
  }
  const probed = attached.slice(0, MAX_PROBES)
  const outcomes = await Promise.all(probed.map((session) => probe(participant, session, timeoutMs)))
  const left = attached.length - probed.length
  return [
    ...outcomes.map(findingOf),
    ...(left === 0 ? [] : [notes.off('probe', `${left} more sessions are attached and were not probed.`)]),
  ]
}

function isAttached({ subscriptions, mailbox }: RosterSession): boolean {
  return subscriptions > 0 || mailbox !== null
}

async function probe(
  participant: Participant,
  { name = '', address, delivery = null }: RosterSession,
  timeoutMs: number,
): Promise<ProbeOutcome> {
  const sent = await participant.advise('probe from agentd doctor', {
    scope: address,
    ttlMs: timeoutMs,
    provenance: { method: TAGS },
  })
  const found =
    sent.recipientCount + sent.queuedCount === 0
      ? await participant.receipts(sent.frameId)
      : await participant.receipts(sent.frameId, { wait: 'all', timeoutMs })
  return { ...outcomeOf(address, delivery, found), name }
}

/** A session may have passed its mailbox on meanwhile: whoever was sent to counts. */
function outcomeOf(
  address: string,
  delivery: ProbeOutcome['delivery'],
  { acceptedAt, receipts }: Receipts,
): Omit<ProbeOutcome, 'name'> {
  const receipt = receipts.find((one) => one.address === address) ?? receipts[0]
  const state = receipt?.state ?? 'nobody'
  return { address, state, via: receipt?.via, afterMs: afterMs(receipt, acceptedAt), delivery }
}

function afterMs(receipt: Receipt | undefined, acceptedAt: string): number | undefined {
  if (receipt?.state !== 'seen') return undefined
  return Math.max(0, Date.parse(receipt.at) - Date.parse(acceptedAt))
}

function findingOf(probe: ProbeOutcome): DoctorFinding {
  return { ...sentenceOf(probe), probe }
}

function sentenceOf(probe: ProbeOutcome): DoctorFinding {
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
      return notes.warn(
        'probe',
        `${who}: waiting in the mailbox, which nobody has read yet${declared}.`,
        'give the session a prompt and ask again',
      )
    case 'emitted':
      return notes.warn(
        'probe',
        `${who}: written to its stream, and it has not said that it saw it${declared}.`,
      )
    case 'expired':
      return notes.warn('probe', `${who}: ran out in the mailbox, unread${declared}.`)
    case 'dropped':
      return notes.warn('probe', `${who}: left out by the session, and shown to nobody${declared}.`)
    case 'nobody':
      return notes.fail('probe', `${who}: nobody; the session was on the roster and took nothing${declared}.`)
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
