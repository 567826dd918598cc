/**
 * Accords signed, taken, listed and taken back.
 *
 * @see FED-40, FED-44, FED-57
 */
import { ACCORD, type Accord } from '../../authority/accord.ts'
import type { Verdict } from '../../authority/acceptance.ts'
import { formatDocument, readDocument, stateOf, type SignedDocument } from '../../authority/document.ts'
import { scopeOfGrant } from '../../authority/grant.ts'
import { signDocument } from '../../authority/signing.ts'
import type { Key } from '../../aee/keys/key.ts'
import { UsageError } from '../../core/errors.ts'
import { safeLine } from '../../core/text/safe-text.ts'
import { readEditedFile, replaceEditedFile } from '../../host/files/edited-file.ts'
import type { CommandContext } from '../run/command-context.ts'
import { EXIT, type ExitCode } from '../run/exit.ts'
import { readTextOption } from '../run/options.ts'
import { accordInWords, grantInWords, partiesInWords, timesInWords } from './accord-words.ts'
import { AuthorityFolder } from './authority-folder.ts'
import { readDocumentFile } from './document-file.ts'
import { requireOrg } from './org-charters.ts'
import { askPerson, requirePerson } from './person.ts'

/** A side that this user signs for, and the key that the accord names for it. */
interface Signer {
  readonly org: string
  readonly key: Key
}

/** `agentd accord sign`: the file holds the signature afterwards. */
export function signAccord(context: CommandContext): ExitCode {
  const { args, environment, output } = context
  const [path = ''] = args
  requirePerson(context)
  const file = readEditedFile(path, environment.uid)
  if (file.bytes === undefined) throw new UsageError(`There is no file ${path}.`)
  const document = readDocument(ACCORD, file.bytes.toString('utf8'))
  if (stateOf(document, Date.now()) === 'over') throw new UsageError('This accord is over; draft a new one.')
  const signers = requireSigners(context, document)
  const names = signers.map(({ org }) => org).join(' and ')
  for (const line of accordInWords(document, Date.now())) output.say(safeLine(line))
  if (!askPerson(context, `Sign this for ${names}?`)) return EXIT.done
  const signed = signers.reduce((text, { org, key }) => signDocument(text, org, key), document)
  replaceEditedFile(file, Buffer.from(formatDocument(signed)))
  output.say(`signed for ${names}: ${path}`)
  const missing = ACCORD.signersOf(document.body).filter(
    (org) => !signed.signatures.some(({ by }) => by === org),
  )
  output.note(
    missing.length === 0
      ? `Both sides have signed it. Each takes it: agentd accord install ${path}`
      : `It counts only when ${missing.join(' and ')} has signed the same text.`,
  )
  return EXIT.done
}

/** `agentd accord install`. */
export async function installAccord(context: CommandContext): Promise<ExitCode> {
  const { environment, output } = context
  requirePerson(context)
  const document = readDocumentFile(ACCORD, context)
  for (const line of accordInWords(document, Date.now())) output.say(safeLine(line))
  const parties = partiesInWords(document.body)
  if (!askPerson(context, `Take this accord between ${parties}?`)) return EXIT.done
  await new AuthorityFolder(environment).install(document)
  output.say(`the accord between ${parties} of epoch ${document.authorityEpoch} is installed`)
  return EXIT.done
}

/** `agentd accord revoke`. */
export async function revokeAccord(context: CommandContext): Promise<ExitCode> {
  const { args, environment, output } = context
  requirePerson(context)
  const folder = new AuthorityFolder(environment)
  const id = requireAccord(args[0], [...folder.accords().keys()])
  const parties = id
    .split('_')
    .map((org) => `~${org}`)
    .join(' and ')
  if (!askPerson(context, `Revoke the accord between ${parties}?`)) return EXIT.done
  const epoch = await folder.revoke(ACCORD, id)
  if (epoch === undefined) throw new UsageError(`There is no accord ${id} that could be read.`)
  output.say(
    `the accord between ${parties} is revoked; nothing up to epoch ${epoch} is ever taken here again`,
  )
  return EXIT.done
}

/** `agentd accord list`. */
export function listAccords({ environment, output }: CommandContext): ExitCode {
  const nowMs = Date.now()
  const found = [...new AuthorityFolder(environment).accords()]
  output.data({ accords: found.map(([id, verdict]) => describe(id, verdict, nowMs)) })
  if (found.length === 0) output.say('there are no accords; "agentd accord draft" writes one')
  for (const [id, { document, refusal }] of found) {
    if (document !== undefined) {
      const { authorityEpoch, body } = document
      output.say(`${output.paint.cyan(id)}  epoch ${authorityEpoch}, ${timesInWords(document, nowMs)}`)
      for (const grant of body.grants) output.say(`  ${grantInWords(grant)}`)
    } else output.say(`${id}  ${refusal === undefined ? 'revoked' : 'refused'}`)
    if (refusal !== undefined) output.note(`${id}: ${safeLine(refusal.message)}`)
  }
  return EXIT.done
}

function describe(id: string, { document, refusal }: Verdict<Accord>, nowMs: number) {
  const state = refusal === undefined ? 'revoked' : 'refused'
  return {
    accord: id,
    authorityEpoch: document?.authorityEpoch ?? null,
    state: document === undefined ? state : stateOf(document, nowMs),
    notBefore: timeOf(document?.notBeforeMs),
    notAfter: timeOf(document?.notAfterMs),
    grants: (document?.body.grants ?? []).map((grant) => ({
      ...grant,
      scope: scopeOfGrant(grant),
      inWords: grantInWords(grant),
    })),
    refusal: refusal?.message ?? null,
  }
}

function timeOf(ms: number | undefined): string | null {
  return ms === undefined ? null : new Date(ms).toISOString()
}

/** Sides whose named key is here. @throws UsageError where there is none */
function requireSigners(context: CommandContext, { body }: SignedDocument<Accord>): readonly Signer[] {
  const named = readTextOption(context.options, 'org')
  const wanted = named === undefined ? undefined : requireOrg(named)
  const folder = new AuthorityFolder(context.environment)
  const signers = body.parties.flatMap(({ org, key: pinned }) => {
    const key = folder.findSigner(org, (one) => one.publicFields()?.public === pinned)
    return key === undefined || (wanted !== undefined && wanted !== org) ? [] : [{ org, key }]
  })
  if (signers.length > 0) return signers
  const sides = wanted ?? body.parties.map(({ org }) => org).join(' or ')
  throw new UsageError(`No key that this accord names is here to sign with for ${sides}.`)
}

/** The id that is meant: itself, or the handle of a side that only one of them has. @throws UsageError */
export function requireAccord(text = '', ids: readonly string[]): string {
  const org = text.replace(/^~/, '')
  const found = ids.filter((id) => id === text || id.split('_').includes(org))
  const [id] = found
  if (id !== undefined && found.length === 1) return id
  if (ids.length === 0) throw new UsageError('There are no accords here.')
  throw new UsageError(`Say which accord: ${(found.length === 0 ? ids : found).join(', ')}.`)
}
