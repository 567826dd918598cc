/**
 * All documents of one kind as their files stand in the folder: each judged, and what of each has to be written down.
 *
 * @see FED-40
 */
import { readMember } from '../aee/envelope/record.ts'
import { AgentdError } from '../core/errors.ts'
import { isJsonObject } from '../core/text/json-object.ts'
import { parseJson } from '../core/text/json.ts'
import { unlessRefused } from '../core/thrown.ts'
import { judgeDocument, type JudgedBy, type Verdict } from './acceptance.ts'
import { documentName, formatDocument, type DocumentForm, type SignedDocument } from './document.ts'

/** One file of the folder. */
export interface DocumentFile {
  /** Without its folder: `charter.acme.json`, or `charter.acme.accepted.json`. */
  readonly name: string
  readonly text: string
}

/** Documents there are, by id: `acme` → what came of it. */
export type Shelf<Body> = ReadonlyMap<string, Verdict<Body>>

const SUFFIX = '.json'
const ACCEPTED = '.accepted'
const REVOKED = '.revoked'
const REMOVED = '.removed'

/** The file of a document, such as `charter.acme.json`. */
export function documentFile(noun: string, id: string): string {
  return `${noun}.${id}${SUFFIX}`
}

/** Where its last accepted text is kept. */
export function acceptedFile(noun: string, id: string): string {
  return `${noun}.${id}${ACCEPTED}${SUFFIX}`
}

/** Where is kept that a document was revoked, and up to which epoch. */
export function revocationOf(noun: string, id: string, epoch: number): DocumentFile {
  return { name: `${noun}.${id}${REVOKED}${SUFFIX}`, text: epochText(epoch) }
}

/** Where is kept that a document was taken away, and which: until it is there again it stands in for nothing. */
export function removalOf(noun: string, id: string, epoch: number): DocumentFile {
  return { name: `${noun}.${id}${REMOVED}${SUFFIX}`, text: epochText(epoch) }
}

/**
 * The epoch up to which a document was revoked; 0 where it never was. A file that says nothing readable revokes every one:
 * what somebody has taken back does not count again because of it.
 */
export function revokedEpochOf(noun: string, id: string, files: readonly DocumentFile[]): number {
  return epochIn(files, revocationOf(noun, id, 0).name)
}

/** Judges every document of a kind; one whose file bears another's name is refused. */
export function judgeShelf<Body>(
  form: DocumentForm<Body>,
  files: readonly DocumentFile[],
  by: JudgedBy,
): Shelf<Body> {
  const texts = new Map(files.map(({ name, text }) => [name, text]))
  const ids = files.flatMap(({ name }) => idOf(form.noun, name) ?? [])
  return new Map(
    [...new Set(ids)].map((id) => {
      const current = texts.get(documentFile(form.noun, id))
      const accepted = texts.get(acceptedFile(form.noun, id))
      const revokedEpoch = revokedEpochOf(form.noun, id, files)
      const removedEpoch = epochIn(files, removalOf(form.noun, id, 0).name)
      const found = judgeDocument(form, { current, accepted, revokedEpoch, removedEpoch }, by)
      return [id, underItsName(found, id)] as const
    }),
  )
}

/** The files that a document is installed as: itself, and that it was accepted. */
export function filesOf<Body>(document: SignedDocument<Body>): readonly DocumentFile[] {
  const { form, body } = document
  const text = formatDocument(document)
  const id = form.idOf(body)
  return [
    { name: acceptedFile(form.noun, id), text },
    { name: documentFile(form.noun, id), text },
  ]
}

function underItsName<Body>(verdict: Verdict<Body>, id: string): Verdict<Body> {
  const { document } = verdict
  if (document === undefined || document.form.idOf(document.body) === id) return verdict
  const { noun } = document.form
  const why = `The file ${documentFile(noun, id)} holds ${documentName(document)} and must be named after it.`
  return {
    document: undefined,
    refusal: new AgentdError('field-invalid', why, { field: noun }),
    isNew: false,
  }
}

function epochText(epoch: number): string {
  return `${JSON.stringify({ authority_epoch: epoch })}\n`
}

/** The epoch in a file; 0 without one, and above all others where it cannot be read. */
function epochIn(files: readonly DocumentFile[], name: string): number {
  const file = files.find((one) => one.name === name)
  if (file === undefined) return 0
  const value = unlessRefused(() => parseJson(file.text, name))
  const epoch = isJsonObject(value) ? readMember(value, 'authority_epoch') : undefined
  return typeof epoch === 'number' && Number.isSafeInteger(epoch) ? epoch : Number.MAX_SAFE_INTEGER
}

/** What a file is about; undefined for one of another kind. */
function idOf(noun: string, name: string): string | undefined {
  if (!name.startsWith(`${noun}.`) || !name.endsWith(SUFFIX)) return undefined
  const id = name.slice(noun.length + 1, -SUFFIX.length)
  const mark = [ACCEPTED, REVOKED, REMOVED].find((one) => id.endsWith(one))
  return mark === undefined ? id : id.slice(0, -mark.length)
}
