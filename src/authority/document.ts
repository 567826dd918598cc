/**
 * A signed document: who is in an organisation, what two organisations grant each other. Canonical JSON of at most 64 KiB,
 * a number that only ever grows, a time in which it holds, and the signatures of those whose word it is.
 *
 * A kind of document is a {@link DocumentForm}; everything here is the same for all of them. The words and the form are
 * a local profile: the drafts name such documents and define none.
 *
 * @see FED-40; memo §6
 */
import { canonicalJson } from '../aee/envelope/canonical.ts'
import { invalidField, missingField } from '../aee/envelope/fault.ts'
import { anyOf, type MemberRule } from '../aee/envelope/member-rule.ts'
import { readMember, type RecordMembers } from '../aee/envelope/record.ts'
import { AgentdError } from '../core/errors.ts'
import { orRefusal } from '../core/thrown.ts'
import { isJsonObject } from '../core/text/json-object.ts'
import { parseJson } from '../core/text/json.ts'
import { octetLength } from '../core/text/octets.ts'
import { readTimestampMs } from '../core/text/timestamp.ts'
import { readSignatures, type DocumentSignature, type SignatureMember } from './document-signature.ts'

/** Octets of a document with its signatures; protects whoever reads one before anybody has vouched for it. */
export const MAX_DOCUMENT_OCTETS = 65_536

/** The one version there is; what a later one adds is not passed over in silence. */
const VERSION = 1

/** One kind of document. */
export interface DocumentForm<Body> {
  /** The value of `type`, such as `agentd.charter`. */
  readonly type: string
  /** One word for it in a sentence and in a file's name: 1 to 16 of `a-z`. */
  readonly noun: string
  readonly signatures: SignatureMember
  /** Its own members, all of them required but `optional`; whatever else stands there is refused. */
  readonly rules: Readonly<Record<string, MemberRule>>
  readonly optional?: ReadonlySet<string>
  /** Reads them. @throws AgentdError `field-invalid` for what only together is wrong */
  readonly readBody: (members: RecordMembers) => Body
  /** The handles whose signatures it takes, each exactly one. */
  readonly signersOf: (body: Body) => readonly string[]
  /** Where the document names the one key that a party signs it with: the JWK member `x` of that. */
  readonly pinnedKey?: (body: Body, signer: string) => string | undefined
  /** What tells it from others of its kind: 1 to 65 of `a-z 0-9 - _`; with `noun` the name of its file. */
  readonly idOf: (body: Body) => string
}

/** A document that has its form; whether its signatures hold is `verifyDocument`. */
export interface SignedDocument<Body> {
  readonly form: DocumentForm<Body>
  readonly body: Body
  /** Grows with every change and never goes back. */
  readonly authorityEpoch: number
  /** The first and the last moment at which it holds, in milliseconds since 1970; undefined: no bound. */
  readonly notBeforeMs: number | undefined
  readonly notAfterMs: number | undefined
  readonly signatures: readonly DocumentSignature[]
  /** Canonical JSON of everything but the signatures: what is signed, and what two of one epoch are compared by. */
  readonly signedText: string
}

/** How a document stands at some moment. */
export type DocumentState = 'in force' | 'not yet in force' | 'over'

/** A form, as far as a refusal names it. */
interface Named {
  readonly noun: string
}

const isTime = (value: unknown): boolean => typeof value === 'string' && readTimestampMs(value) !== undefined
const isEpoch = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 1

/** What every document has, in the order in which faults are reported. */
const COMMON: Readonly<Record<string, MemberRule>> = {
  v: anyOf(`${VERSION}, the one version this agentd reads`, (value) => value === VERSION),
  authority_epoch: anyOf('a whole number of 1 or more', isEpoch),
  not_before: anyOf('an RFC 3339 time', isTime),
  not_after: anyOf('an RFC 3339 time', isTime),
}

const OPTIONAL: ReadonlySet<string> = new Set(['not_before', 'not_after'])

/**
 * Reads a document from its text.
 *
 * @throws AgentdError `field-invalid` or `field-missing`, field the member, or the form's noun for the whole
 */
export function readDocument<Body>(form: DocumentForm<Body>, text: string): SignedDocument<Body> {
  if (text.length > MAX_DOCUMENT_OCTETS || octetLength(text) > MAX_DOCUMENT_OCTETS) throw tooLarge(form)
  const value = orRefusal(() => parseJson(text, form.noun))
  if (value instanceof AgentdError || !isJsonObject(value)) throw notOne(form)
  const signatures = readSignatures(readMember(value, form.signatures), form.signatures)
  const { [form.signatures]: _, ...members } = value
  return { ...draftDocument(form, members), signatures }
}

/**
 * A document that nobody has signed yet.
 *
 * @param members - all of them but the signatures, `type` and `v` included
 * @throws AgentdError as {@link readDocument}
 */
export function draftDocument<Body>(form: DocumentForm<Body>, members: RecordMembers): SignedDocument<Body> {
  requireMembers(form, members)
  const [notBeforeMs, notAfterMs] = [timeOf(members, 'not_before'), timeOf(members, 'not_after')]
  if (notBeforeMs !== undefined && notAfterMs !== undefined && notBeforeMs >= notAfterMs)
    throw invalidField('not_after', 'must be later than "not_before"')
  return {
    form,
    body: form.readBody(members),
    authorityEpoch: Number(readMember(members, 'authority_epoch')),
    notBeforeMs,
    notAfterMs,
    signatures: [],
    signedText: canonicalJson(members),
  }
}

/** What is signed, member by member: for whoever makes the next document out of this one. */
export function membersOf<Body>({ signedText, form }: SignedDocument<Body>): RecordMembers {
  const value = parseJson(signedText, form.noun)
  return isJsonObject(value) ? value : {}
}

/** The document as text: what {@link readDocument} reads. @throws AgentdError `field-invalid` when it is too large */
export function formatDocument<Body>(document: SignedDocument<Body>): string {
  const { form, signatures } = document
  const signed = form.signatures === 'sig' ? signatures[0] : signatures
  const text = `${canonicalJson({ ...membersOf(document), [form.signatures]: signed ?? null })}\n`
  if (octetLength(text) > MAX_DOCUMENT_OCTETS) throw tooLarge(form)
  return text
}

/** What is called `charter.acme`: a document among others of this user. */
export function documentName<Body>({ form, body }: SignedDocument<Body>): string {
  return `${form.noun}.${form.idOf(body)}`
}

/** @param nowMs - wall time; both bounds belong to the time in which it holds */
export function stateOf(
  { notBeforeMs, notAfterMs }: Pick<SignedDocument<unknown>, 'notBeforeMs' | 'notAfterMs'>,
  nowMs: number,
): DocumentState {
  if (notBeforeMs !== undefined && nowMs < notBeforeMs) return 'not yet in force'
  return notAfterMs !== undefined && nowMs > notAfterMs ? 'over' : 'in force'
}

function requireMembers<Body>({ type, rules, optional }: DocumentForm<Body>, members: RecordMembers): void {
  if (readMember(members, 'type') !== type) throw invalidField('type', `must be ${type}`)
  const all = { ...COMMON, ...rules }
  const stranger = Object.keys(members).find((name) => name !== 'type' && !Object.hasOwn(all, name))
  if (stranger !== undefined)
    throw new AgentdError(
      'field-unknown',
      `A document of type ${type} holds only ${Object.keys(all).join(', ')}.`,
      {
        field: stranger,
      },
    )
  for (const [name, rule] of Object.entries(all)) {
    const value = readMember(members, name)
    if (value === undefined && (OPTIONAL.has(name) || optional?.has(name) === true)) continue
    if (value === undefined) throw missingField(name)
    const fault = rule(value)
    if (fault !== undefined) throw invalidField(name, fault)
  }
}

function timeOf(members: RecordMembers, name: string): number | undefined {
  return readTimestampMs(String(readMember(members, name)))
}

function notOne({ noun }: Named): AgentdError {
  return new AgentdError(
    'field-invalid',
    `This is no ${noun}: it must be one JSON object with no name twice.`,
    {
      field: noun,
    },
  )
}

function tooLarge({ noun }: Named): AgentdError {
  return new AgentdError('field-invalid', `A document is at most ${MAX_DOCUMENT_OCTETS} octets of JSON.`, {
    field: noun,
  })
}
