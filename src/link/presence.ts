/**
 * Who is at a node: what it says of itself every ten seconds and after every change, as the value of its key.
 *
 * It holds no path: neither a folder nor a worktree is anybody else's business (FED-62).
 *
 * @see FED-51
 */
import { invalidField, missingField } from '../aee/envelope/fault.ts'
import { anyOf, oneOf } from '../aee/envelope/member-rule.ts'
import { readMember, type RecordMembers } from '../aee/envelope/record.ts'
import { hasMembers, readJsonShape } from '../core/text/json-shape.ts'
import { isJsonObject, tryParseJson } from '../core/text/json-object.ts'
import { octetLength, withinOctets } from '../core/text/octets.ts'
import { COUNT } from './text/member-rules.ts'
import { requireMembers, requireText, type MemberRules } from './text/members.ts'
import { factsOf, readPresent, type PresentSession } from './text/present-session.ts'

export interface Presence {
  /** Milliseconds since 1970 by the node's own clock; with the engine's time of the message, its offset (FED-32). */
  readonly sent_at: number
  /** `left` after a clean stop. */
  readonly state: 'here' | 'left'
  /** Versions of the link that the node reads. */
  readonly speaks: readonly number[]
  readonly sessions: readonly PresentSession[]
  /** Sessions that there was no room for; absent: none. */
  readonly more?: number
  /** Whether it does not say who is there: its list says nothing then. Absent: it does. */
  readonly untold?: true
  /** The estate of whose machine it is, where others have to be told of it; and in an accord the charter it is named by. */
  readonly estate?: string
  readonly charter?: string
}

/** Sessions of one node; protects every other node's memory. */
export const MAX_PRESENT_SESSIONS = 4_096

/** The whole text: below the `max_payload` that a server has of itself, its head and signature included. */
export const MAX_PRESENCE_OCTETS = 1_000_000

/** The head of it, with room for numbers. */
const MAX_OWN_OCTETS = 256

/** One document, as `MAX_DOCUMENT_OCTETS` in authority/document.ts. */
const MAX_DOCUMENT_OCTETS = 65_536

/** Versions that one node names. */
const MAX_VERSIONS = 16

/** Containers and members: sixteen for each session. */
const MAX_PARTS = 16 * MAX_PRESENT_SESSIONS

/** The whole, the list, a session, its list of entities. */
const MAX_DEPTH = 4

const DOCUMENT = anyOf(
  'the text of a document',
  (value) => typeof value === 'string' && withinOctets(value, 1, MAX_DOCUMENT_OCTETS),
)

const RULES: MemberRules = {
  sent_at: COUNT,
  state: oneOf(['here', 'left']),
  speaks: anyOf(
    `a list of at most ${MAX_VERSIONS} whole numbers`,
    (value) => Array.isArray(value) && value.length <= MAX_VERSIONS && value.every(Number.isSafeInteger),
  ),
  sessions: anyOf(
    `a list of at most ${MAX_PRESENT_SESSIONS} sessions`,
    (value) => Array.isArray(value) && value.length <= MAX_PRESENT_SESSIONS,
  ),
  more: COUNT,
  untold: anyOf('true, or absent', (value) => value === true),
  estate: DOCUMENT,
  charter: DOCUMENT,
}
const OPTIONAL: ReadonlySet<string> = new Set(['more', 'untold', 'estate', 'charter'])

/**
 * One line of JSON of at most {@link MAX_PRESENCE_OCTETS}. Where there is no room for all sessions, the first are told as far
 * as there is: first without what they are about, then fewer of them, and `more` says how many are not.
 *
 * @param maxOctets - fewer, where it is to be sealed
 */
export function formatPresence(presence: Presence, maxOctets = MAX_PRESENCE_OCTETS): string {
  const { sessions } = presence
  const listed = sessions.slice(0, MAX_PRESENT_SESSIONS)
  const { estate, charter } = presence
  const standing = JSON.stringify({
    ...(estate !== undefined && { estate }),
    ...(charter !== undefined && { charter }),
  })
  const room = maxOctets - MAX_OWN_OCTETS - octetLength(standing)
  const whole = fitting(
    listed.map((session) => JSON.stringify(session)),
    room,
  )
  const texts = whole.length === listed.length ? whole : fitting(listed.map(withoutFacts), room)
  const more = (presence.more ?? 0) + sessions.length - texts.length
  const { sent_at, state, speaks, untold } = presence
  const head = JSON.stringify({
    sent_at,
    state,
    speaks,
    ...(more > 0 && { more }),
    ...(untold && { untold }),
  })
  const members = standing === '{}' ? '' : `,${standing.slice(1, -1)}`
  return `${head.slice(0, -1)}${members},"sessions":[${texts.join(',')}]}`
}

/**
 * Reads it; members of a later version are passed over.
 *
 * @throws AgentdError `field-missing` or `field-invalid`
 */
export function readPresence(text: string): Presence {
  requireText(text, 'presence', MAX_PRESENCE_OCTETS)
  const members = readLarge(text)
  requireMembers(members, RULES, OPTIONAL)
  const [sentAt, listed, speaks, more] = ['sent_at', 'sessions', 'speaks', 'more'].map((name) =>
    readMember(members, name),
  )
  const [estate, charter] = ['estate', 'charter'].map((name) => readMember(members, name))
  const sessions: readonly unknown[] = Array.isArray(listed) ? listed : []
  return {
    sent_at: Number(sentAt),
    state: readMember(members, 'state') === 'left' ? 'left' : 'here',
    speaks: Array.isArray(speaks) ? speaks.map(Number) : [],
    sessions: sessions.map((session, i) => readPresent(session, `sessions[${i}]`)),
    ...(typeof more === 'number' && { more }),
    ...(readMember(members, 'untold') === true && { untold: true }),
    ...(typeof estate === 'string' && { estate }),
    ...(typeof charter === 'string' && { charter }),
  }
}

/** More parts than any request may have: a full roster names a dozen things of each session. */
function readLarge(text: string): RecordMembers {
  const { depth, members, containers } = readJsonShape(text)
  if (depth > MAX_DEPTH || members + containers > MAX_PARTS)
    throw invalidField(
      'presence',
      `must be nested at most ${MAX_DEPTH} levels, in at most ${MAX_PARTS} parts`,
    )
  const value = tryParseJson(text)
  if (!isJsonObject(value) || !hasMembers(value, members))
    throw invalidField('presence', 'must be a JSON object with no name twice')
  if (readMember(value, 'sessions') === undefined) throw missingField('sessions')
  return value
}

/** As many from the front as there is room for, in octets. */
function fitting(texts: readonly string[], room: number): readonly string[] {
  let left = room
  const end = texts.findIndex((text) => (left -= octetLength(text) + 1) < 0)
  return end === -1 ? texts : texts.slice(0, end)
}

function withoutFacts(session: PresentSession): string {
  return JSON.stringify(factsOf(session))
}
