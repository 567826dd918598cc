/**
 * A need as the wire has it: who asks, what, until when, and the whole of what was sent as it came.
 */
import type { Need, NeedClosing } from '../../protocol/http/need.ts'
import type { Broker } from '../broker.ts'
import { envelopeOf, frameOf, type Retained } from '../ring/retained.ts'
import { isLate, type OpenNeed } from './open-needs.ts'

/** What is told of them is looked up here. */
export interface NeedSurroundings {
  readonly broker: Pick<Broker, 'ring' | 'sessions'>
  readonly nowMs: number
}

/**
 * What was sent, in characters of one listing together, and for how many needs it is looked up: the largest thousand
 * would be a gigabyte in one answer, and everybody else would wait for as many look-ups.
 */
const MAX_SENT_LENGTH = 4 * 1024 * 1024
const MAX_SENT = 256

/** A listing, in the order given; those that there is no room for are told without what was sent. */
export function describeNeeds(needs: readonly OpenNeed[], surroundings: NeedSurroundings): readonly Need[] {
  let left = MAX_SENT_LENGTH
  return needs.map((need, i) => {
    const sent = left > 0 && i < MAX_SENT ? sentFor(need, surroundings) : undefined
    left -= sent?.text.length ?? 0
    return { ...describeFacts(need, surroundings), ...(left >= 0 && whatWasSent(sent)) }
  })
}

/** One need. @param by - what closed it; absent while it is open or late */
export function describeNeed(need: OpenNeed, surroundings: NeedSurroundings, by?: NeedClosing): Need {
  return { ...describeFacts(need, surroundings, by), ...whatWasSent(sentFor(need, surroundings)) }
}

function describeFacts(need: OpenNeed, { broker, nowMs }: NeedSurroundings, by?: NeedClosing): Need {
  const { id, type, addressed, seq, askedAtMs, untilMs, from, text } = need
  return {
    need_id: id,
    type,
    addressed,
    event_id: seq === 0 ? null : broker.ring.eventId(seq),
    asked_at: new Date(askedAtMs).toISOString(),
    until: untilMs === undefined ? null : new Date(untilMs).toISOString(),
    ...stateOf(need, nowMs, by),
    from: describeSource(from, broker),
    text,
  }
}

function stateOf(
  need: OpenNeed,
  nowMs: number,
  by: NeedClosing | undefined,
): Pick<Need, 'state' | 'closed_by'> {
  if (by !== undefined) return { state: 'closed', closed_by: by }
  return { state: isLate(need, nowMs) ? 'late' : 'open' }
}

function describeSource(address: string | undefined, { sessions }: Pick<Broker, 'sessions'>): Need['from'] {
  const session = address === undefined ? undefined : sessions.find(address)
  const { title = null, repository = null, branch = null, cwd = null } = session?.facts ?? {}
  return {
    address: address ?? null,
    ...(session !== undefined && { name: session.name }),
    title,
    repository,
    branch,
    cwd,
    present: session !== undefined,
  }
}

/** Undefined for a prompt, and for what is retained no longer. */
function sentFor({ seq }: OpenNeed, { broker }: NeedSurroundings): Retained | undefined {
  return seq === 0 ? undefined : broker.ring.get(seq)
}

function whatWasSent(sent: Retained | undefined): Pick<Need, 'frame' | 'envelope'> {
  if (sent === undefined) return {}
  return sent.type === 'frame' ? { frame: frameOf(sent) } : { envelope: envelopeOf(sent) }
}
