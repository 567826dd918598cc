/**
 * A key file: one closed JSON object. Everything in it is checked here, and nothing of it is ever quoted in an
 * error, since it holds secrets.
 *
 * @see docs/requirements.md §3, AEE-086; the form is agentd's own, AEE defines none (AEE-051)
 */
import { unlessRefused } from '../../core/thrown.ts'
import { AgentdError } from '../../core/errors.ts'
import { parseJson } from '../../core/text/json.ts'
import { readTimestampMs } from '../../core/text/timestamp.ts'
import { readBase64Url } from './base64.ts'
import { isEntity } from '../envelope/entity.ts'
import { invalidField } from '../envelope/fault.ts'
import { readMember } from '../envelope/record.ts'
import type { RecordMembers } from '../envelope/record.ts'
import { isJsonObject } from '../../core/text/json-object.ts'

/** What a key can be; the names are those of `sig.alg` (AEE-048, AEE-049). */
export const ALGORITHMS = ['ed25519', 'HS256'] as const
/** What keys sign with: a pair of keys, or a shared secret. */
export type Algorithm = (typeof ALGORITHMS)[number]

/** A revoked key is kept, so that what it signed is refused by name and its id is never taken again. */
export type KeyStatus = 'trusted' | 'revoked'

/** The members of a key file, under the names they have in it. */
export interface KeyFields {
  /** Names the key in signatures, and its file: 1 to 64 of letters, digits, `.`, `_`, `-`; no leading dot. */
  readonly kid: string
  /** What it signs with. */
  readonly alg: Algorithm
  /** Whose envelopes it may sign: exact names, `agent.*` for all that begin with `agent.`, `*` for all. */
  readonly entities: readonly string[]
  /** Whether it is trusted still. */
  readonly status: KeyStatus
  /** When it was made, RFC 3339. */
  readonly created_at: string
  /** From when it holds, RFC 3339; absent: no bound. */
  readonly not_before?: string
  /** Until when it holds, RFC 3339; absent: no bound. */
  readonly not_after?: string
  /** ed25519: the JWK member `x`, 32 bytes as base64url. */
  readonly public?: string
  /** ed25519: the JWK member `d`, 32 bytes as base64url; absent from a key that only verifies. */
  readonly private?: string
  /** HS256: 32 to 512 bytes as base64url. */
  readonly secret?: string
}

/** Both halves of an Ed25519 key are as long. */
const ED25519_BYTES = 32

/** A shorter secret weakens the code it makes (RFC 7518 §3.2); a longer one adds nothing. */
const MIN_SECRET_BYTES = 32
const MAX_SECRET_BYTES = 512

/** Entities of one key; a scope of hundreds is a `prefix.*` that nobody has written. */
const MAX_ENTITIES = 64

const KID = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}$/

/** Each code unit that is no ASCII; JSON has written the controls as escapes already. */
const NOT_ASCII = /[^\n\x20-\x7e]/g

/** Ends an entity scope that stands for all names below it. */
const BELOW = '.*'

/** Member → what it must be, in the order in which faults are reported. */
const RULES: Readonly<Record<keyof KeyFields, { takes: (value: unknown) => boolean; says: string }>> = {
  kid: {
    takes: isKid,
    says: 'must be 1 to 64 of letters, digits, ".", "_" and "-", and not begin with a dot',
  },
  alg: { takes: isAlgorithm, says: `must be ${ALGORITHMS.join(' or ')}` },
  entities: {
    takes: isScopeList,
    says: `must be a list of 1 to ${MAX_ENTITIES} entities: exact names, "agent.*" for all that begin with "agent.", or "*"`,
  },
  status: {
    takes: (value) => value === 'trusted' || value === 'revoked',
    says: 'must be trusted or revoked',
  },
  created_at: { takes: isTime, says: 'must be an RFC 3339 time' },
  not_before: { takes: isTime, says: 'must be an RFC 3339 time' },
  not_after: { takes: isTime, says: 'must be an RFC 3339 time' },
  public: {
    takes: (value) => isBytes(value, ED25519_BYTES, ED25519_BYTES),
    says: `must be ${ED25519_BYTES} bytes as base64url`,
  },
  private: {
    takes: (value) => isBytes(value, ED25519_BYTES, ED25519_BYTES),
    says: `must be ${ED25519_BYTES} bytes as base64url`,
  },
  secret: {
    takes: (value) => isBytes(value, MIN_SECRET_BYTES, MAX_SECRET_BYTES),
    says: `must be ${MIN_SECRET_BYTES} to ${MAX_SECRET_BYTES} bytes as base64url`,
  },
}

const REQUIRED: readonly (keyof KeyFields)[] = ['kid', 'alg', 'entities', 'status', 'created_at']

/** Algorithm → what its keys hold; the rest is another algorithm's and has no business in the file. */
const MATERIAL: Readonly<Record<Algorithm, { needs: keyof KeyFields; never: readonly (keyof KeyFields)[] }>> =
  {
    ed25519: { needs: 'public', never: ['secret'] },
    HS256: { needs: 'secret', never: ['public', 'private'] },
  }

/**
 * Reads a key file.
 *
 * @throws AgentdError `field-invalid`; `field` is the member, or `key` for the file as a whole
 */
export function readKeyFields(text: string): KeyFields {
  const record = parseKeyFile(text)
  requireKeyFields(record)
  const { needs, never } = MATERIAL[record.alg]
  requirePresent(record, needs)
  for (const name of never) {
    if (readMember(record, name) !== undefined)
      throw invalidField(name, `is no part of a key of ${record.alg}`)
  }
  const [from, to] = [record.not_before, record.not_after].map((time) => readTimestampMs(time ?? ''))
  if (from !== undefined && to !== undefined && from >= to)
    throw invalidField('not_after', 'must be later than "not_before"')
  return record
}

/**
 * The file of a key: what {@link readKeyFields} reads. In ASCII, so that it can be shown on a terminal and comes
 * unchanged through whatever it is handed over by.
 */
export function formatKeyFields(fields: KeyFields): string {
  return `${JSON.stringify(fields, undefined, 2).replaceAll(NOT_ASCII, escapeUnit)}\n`
}

/** Whether a text can name a key. */
export function isKid(value: unknown): value is string {
  return typeof value === 'string' && KID.test(value)
}

/** Whether an entity scope of a key covers an entity. */
export function scopeCovers(scope: string, entity: string): boolean {
  if (scope === '*') return true
  if (!scope.endsWith(BELOW)) return scope === entity
  const prefix = scope.slice(0, -1)
  return entity.length > prefix.length && entity.startsWith(prefix)
}

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/** The parser's own error quotes the text around the fault, and that may be a secret: it goes no further. */
function parseKeyFile(text: string): RecordMembers {
  const value = unlessRefused(() => parseJson(text, 'key'))
  if (isJsonObject(value)) return value
  throw new AgentdError('field-invalid', 'The key file must be one JSON object with no name twice.', {
    field: 'key',
  })
}

function requireKeyFields(record: RecordMembers): asserts record is RecordMembers & KeyFields {
  for (const name of Object.keys(record)) {
    // A misplaced secret may stand where a name should, so a stranger is not quoted.
    if (!Object.hasOwn(RULES, name))
      throw new AgentdError('field-invalid', `A key file holds only ${Object.keys(RULES).join(', ')}.`, {
        field: 'key',
      })
  }
  for (const name of REQUIRED) requirePresent(record, name)
  for (const [name, rule] of Object.entries(RULES)) {
    const value = readMember(record, name)
    if (value !== undefined && !rule.takes(value)) throw invalidField(name, rule.says)
  }
}

function requirePresent(record: RecordMembers, name: keyof KeyFields): void {
  if (readMember(record, name) === undefined) throw invalidField(name, `is required and ${RULES[name].says}`)
}

/** Whether a text is an algorithm a key can have. */
export function isAlgorithm(value: unknown): value is Algorithm {
  return value === 'ed25519' || value === 'HS256'
}

function isScopeList(value: unknown): boolean {
  return Array.isArray(value) && value.length >= 1 && value.length <= MAX_ENTITIES && value.every(isScope)
}

/** A star anywhere else would be taken for a pattern by whoever wrote it, and match nothing. */
function isScope(value: unknown): boolean {
  if (typeof value !== 'string') return false
  if (value === '*') return true
  const name = value.endsWith(BELOW) ? value.slice(0, -BELOW.length) : value
  return isEntity(name) && !name.includes('*')
}

function isTime(value: unknown): boolean {
  return typeof value === 'string' && readTimestampMs(value) !== undefined
}

function isBytes(value: unknown, min: number, max: number): boolean {
  if (typeof value !== 'string') return false
  const bytes = readBase64Url(value)
  return bytes !== undefined && bytes.length >= min && bytes.length <= max
}
