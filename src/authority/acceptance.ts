/**
 * Which document counts: the one that is there, if it may take the place of the last that was accepted; else that one.
 *
 * What was accepted stays beside it as its own text, so that nothing older is ever taken again, whoever brings it and
 * however long after.
 *
 * @see FED-40: a lower `authority_epoch` than one seen is refused for ever
 */
import { AgentdError } from '../core/errors.ts'
import { orRefusal } from '../core/thrown.ts'
import { readDocument, stateOf, type DocumentForm, type SignedDocument } from './document.ts'
import { verifyDocument, type SignerKeys } from './signing.ts'

/** The files of one document. */
export interface DocumentTexts {
  /** As somebody put it there; undefined where it was taken away. */
  readonly current: string | undefined
  /** The last that was accepted. */
  readonly accepted: string | undefined
  /** The epoch up to which all were revoked; absent: none was. */
  readonly revokedEpoch?: number | undefined
  /** The epoch of the last that was taken away: it stands in for nothing any more; absent: none was. */
  readonly removedEpoch?: number | undefined
}

/** What a document is judged by. */
export interface JudgedBy {
  readonly keys: SignerKeys
  /** Wall time in milliseconds. */
  readonly nowMs: number
  /** As {@link DocumentTexts}. */
  readonly revokedEpoch?: number | undefined
}

/** What came of it. */
export interface Verdict<Body> {
  /** What counts; undefined where nothing does. */
  readonly document: SignedDocument<Body> | undefined
  /** Why what is there does not count, as a refusal; undefined where it does, or nothing is there. */
  readonly refusal: AgentdError | undefined
  /** Whether what is there has to be written down as accepted. */
  readonly isNew: boolean
  /** The epoch of what was taken away and has to be written down as that; absent: nothing has. */
  readonly goneEpoch?: number | undefined
}

/**
 * Judges what is there. A document that was taken away counts no more, whatever takes its place that cannot be read; its
 * epoch is remembered.
 */
export function judgeDocument<Body>(
  form: DocumentForm<Body>,
  { current, accepted, revokedEpoch, removedEpoch = 0 }: DocumentTexts,
  judge: JudgedBy,
): Verdict<Body> {
  const by = { ...judge, revokedEpoch }
  const former = accepted === undefined ? undefined : readFormer(form, accepted)
  const mayStandIn =
    former !== undefined && !isRevoked(former, revokedEpoch) && former.authorityEpoch > removedEpoch
  if (current === undefined) {
    const goneEpoch = mayStandIn ? former.authorityEpoch : undefined
    return { document: undefined, refusal: undefined, isNew: false, goneEpoch }
  }
  const found = orRefusal(() => requireNext(readDocument(form, current), former, by))
  if (!(found instanceof AgentdError))
    return { document: found, refusal: undefined, isNew: found.signedText !== former?.signedText }
  const stands =
    mayStandIn && !(orRefusal(() => verifyDocument(former, by.keys, by.nowMs)) instanceof AgentdError)
  return { document: stands ? former : undefined, refusal: found, isNew: false }
}

/**
 * The document, when it may take the place of the last that was accepted.
 *
 * @param former - the last that was accepted, of the same name
 * @throws AgentdError `field-invalid` for one that is older, revoked, over, or another of the same epoch; as `verifyDocument`
 */
export function requireNext<Body>(
  document: SignedDocument<Body>,
  former: SignedDocument<Body> | undefined,
  { keys, nowMs, revokedEpoch }: JudgedBy,
): SignedDocument<Body> {
  const { form, authorityEpoch, signedText } = document
  verifyDocument(document, keys, nowMs)
  if (isRevoked(document, revokedEpoch))
    throw refused(
      `This ${form.noun} has authority epoch ${authorityEpoch}, and epoch ${revokedEpoch} was revoked`,
      'authority_epoch',
    )
  if (former === undefined) return requireNotOver(document, nowMs)
  if (form.idOf(document.body) !== form.idOf(former.body))
    throw refused(`This ${form.noun} is another one's`, form.noun)
  // One that was accepted counts until its end, and says so itself then.
  if (signedText === former.signedText) return document
  if (authorityEpoch < former.authorityEpoch)
    throw refused(
      `This ${form.noun} has authority epoch ${authorityEpoch}, and epoch ${former.authorityEpoch} was accepted before`,
      'authority_epoch',
    )
  if (authorityEpoch === former.authorityEpoch)
    throw refused(
      `Another ${form.noun} of authority epoch ${authorityEpoch} was accepted before`,
      'authority_epoch',
    )
  return requireNotOver(document, nowMs)
}

function isRevoked({ authorityEpoch }: { readonly authorityEpoch: number }, revokedEpoch = 0): boolean {
  return authorityEpoch <= revokedEpoch
}

function requireNotOver<Body>(document: SignedDocument<Body>, nowMs: number): SignedDocument<Body> {
  if (stateOf(document, nowMs) !== 'over') return document
  const ended = new Date(document.notAfterMs ?? 0).toISOString()
  throw refused(`This ${document.form.noun} was in force until ${ended}`, 'not_after')
}

/** What cannot be read any more remembers nothing. */
function readFormer<Body>(form: DocumentForm<Body>, text: string): SignedDocument<Body> | undefined {
  const former = orRefusal(() => readDocument(form, text))
  return former instanceof AgentdError ? undefined : former
}

function refused(why: string, field: string): AgentdError {
  return new AgentdError('field-invalid', `${why}.`, { field })
}
