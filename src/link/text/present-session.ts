/**
 * One session as another node knows it.
 *
 * @see FED-51, FED-62
 */
import { isEntity } from '../../aee/envelope/entity.ts'
import { invalidField } from '../../aee/envelope/fault.ts'
import { anyOf, type MemberRule } from '../../aee/envelope/member-rule.ts'
import { readMember, type RecordMembers } from '../../aee/envelope/record.ts'
import { MAX_ENTITIES } from '../../core/limits.ts'
import { isJsonObject } from '../../core/text/json-object.ts'
import { readAddress } from '../../protocol/address/label.ts'
import { ADDRESS, FLAG, shortText } from './member-rules.ts'
import { requireMembers } from './members.ts'
import { AgentdError } from '../../core/errors.ts'
import { orRefusal } from '../../core/thrown.ts'

/** Under the names it has on the wire. */
export interface PresentSession {
  /** `~alice/cc-opus@s1` */
  readonly address: string
  readonly instrument: string
  readonly session_id: string
  /** Tool class. */
  readonly tool?: string
  /** Whether it holds a stream. */
  readonly live: boolean
  /** Whether a frame waits for it where it holds none. */
  readonly mailbox: boolean
  readonly title?: string
  /** `git:github.com/acme/api` (FED-68). */
  readonly repository_id?: string
  readonly branch?: string
  readonly entities?: readonly string[]
}

/** Octets of a title, a repository or a branch. */
export const MAX_PRESENT_FACT_OCTETS = 256

const TEXT = shortText(MAX_PRESENT_FACT_OCTETS)

const RULES: Readonly<Record<keyof PresentSession, MemberRule>> = {
  address: ADDRESS,
  instrument: shortText(32),
  session_id: shortText(128),
  tool: shortText(32),
  live: FLAG,
  mailbox: FLAG,
  title: TEXT,
  repository_id: TEXT,
  branch: TEXT,
  entities: anyOf(
    `a list of at most ${MAX_ENTITIES} entities`,
    (value) => Array.isArray(value) && value.length <= MAX_ENTITIES && value.every(isEntityValue),
  ),
}
const OPTIONAL: ReadonlySet<string> = new Set(['tool', 'title', 'repository_id', 'branch', 'entities'])

/** @throws AgentdError `field-missing` or `field-invalid`, field below `at` */
export function readPresent(value: unknown, at: string): PresentSession {
  if (!isJsonObject(value)) throw invalidField(at, 'must be an object')
  const fault = orRefusal(() => requireSession(value))
  if (fault instanceof AgentdError)
    throw new AgentdError('field-invalid', `In ${at}: ${fault.message}`, { field: `${at}.${fault.field}` })
  return takeSession(value)
}

/** What is needed to count it and to write to it, and nothing of what it is about. */
export function factsOf({
  address,
  instrument,
  session_id,
  tool,
  live,
  mailbox,
}: PresentSession): PresentSession {
  return { address, instrument, session_id, ...(tool !== undefined && { tool }), live, mailbox }
}

function requireSession(value: RecordMembers): void {
  requireMembers(value, RULES, OPTIONAL)
  const { instrument, sessionId } = readAddress(String(readMember(value, 'address'))) ?? {}
  if (instrument !== readMember(value, 'instrument') || sessionId !== readMember(value, 'session_id'))
    throw invalidField('address', 'must be made of its instrument and its session_id')
}

function takeSession(value: RecordMembers): PresentSession {
  const textOf = (name: keyof PresentSession): string => String(readMember(value, name))
  const listed = readMember(value, 'entities')
  const optional = (['tool', 'title', 'repository_id', 'branch'] as const).flatMap((name) =>
    readMember(value, name) === undefined ? [] : [[name, textOf(name)] as const],
  )
  return {
    address: textOf('address'),
    instrument: textOf('instrument'),
    session_id: textOf('session_id'),
    live: readMember(value, 'live') === true,
    mailbox: readMember(value, 'mailbox') === true,
    ...Object.fromEntries(optional),
    ...(Array.isArray(listed) && { entities: listed.map(String) }),
  }
}

function isEntityValue(value: unknown): boolean {
  return typeof value === 'string' && isEntity(value)
}
