/**
 * Charters founded, installed and taken away.
 *
 * @see FED-40, FED-44
 */
import { CHARTER, charterMembers, type Charter } from '../../authority/charter.ts'
import { draftDocument, type SignedDocument } from '../../authority/document.ts'
import { UsageError } from '../../core/errors.ts'
import { readTimestampMs } from '../../core/text/timestamp.ts'
import { readOrg } from '../../protocol/address/scope.ts'
import { asUsage } from '../run/as-usage.ts'
import type { CommandContext } from '../run/command-context.ts'
import { EXIT, type ExitCode } from '../run/exit.ts'
import { readList, readTextOption } from '../run/options.ts'
import { AuthorityFolder } from './authority-folder.ts'
import { readDocumentFile } from './document-file.ts'
import { askPerson } from './person.ts'

const FOUNDER_ROLES: readonly string[] = ['owner']

/** `agentd org init`. */
export async function initOrganisation(context: CommandContext): Promise<ExitCode> {
  const { output, options, environment } = context
  const org = requireOrg(context.args[0])
  const folder = new AuthorityFolder(environment)
  if (folder.charters().get(org.slice(1))?.document !== undefined)
    throw new UsageError(`There is a charter of ${org}; see "agentd org show ${org}".`)
  const { principal } = folder.handles()
  const roles = readList(options, 'role') ?? FOUNDER_ROLES
  const charter = { org, members: [{ handle: principal, roles }] }
  // One that was founded and taken away before goes on counting.
  const epoch = folder.nextEpoch(CHARTER, org.slice(1))
  const document = asUsage(() => draftCharter(charter, epoch, readUntil(context)))
  const made = folder.findSigner(org) === undefined ? ', and make the key that signs for it' : ''
  if (!askPerson(context, `Found ${org} with ${principal} as its first member${made}?`)) return EXIT.done
  const { kid } = await folder.signAndInstall(document, org)
  output.say(`founded ${org}; ${principal} is its first member (${roles.join(', ')})`)
  output.note(`Its charter is signed with the key ${kid}. Add members: agentd org member add ~bob --role dev`)
  return EXIT.done
}

/** `agentd org install`. */
export async function installCharter(context: CommandContext): Promise<ExitCode> {
  const document = readDocumentFile(CHARTER, context)
  const { org, members } = document.body
  const question = `Take the charter of ${org} (epoch ${document.authorityEpoch}, ${members.length} members)?`
  if (!askPerson(context, question)) return EXIT.done
  await new AuthorityFolder(context.environment).install(document)
  context.output.say(`${org} has the charter of epoch ${document.authorityEpoch} now`)
  return EXIT.done
}

/** `agentd org remove`. */
export async function removeCharter(context: CommandContext): Promise<ExitCode> {
  const org = requireOrg(context.args[0])
  if (!askPerson(context, `Take the charter of ${org} away?`)) return EXIT.done
  const isGone = await new AuthorityFolder(context.environment).remove(CHARTER, org.slice(1))
  if (!isGone) throw new UsageError(`There is no charter of ${org}; see "agentd org list".`)
  context.output.say(`the charter of ${org} is gone`)
  return EXIT.done
}

/** A charter that nobody has signed yet. @throws AgentdError `field-invalid` */
export function draftCharter(charter: Charter, epoch: number, until?: string): SignedDocument<Charter> {
  return draftDocument(CHARTER, {
    ...charterMembers(charter),
    authority_epoch: epoch,
    ...(until !== undefined && { not_after: until }),
  })
}

/** The handle of an organisation, with or without its tilde. @throws UsageError */
export function requireOrg(text = ''): string {
  const org = readOrg(text)
  if (org !== undefined) return org
  throw new UsageError(`"${text}" is no organisation: write a handle such as ~acme.`)
}

/** `--until`. @throws UsageError for what is no time */
export function readUntil({ options }: CommandContext): string | undefined {
  const text = readTextOption(options, 'until')
  if (text === undefined || readTimestampMs(text) !== undefined) return text
  throw new UsageError(`--until is "${text}"; write an RFC 3339 time such as 2027-01-01T00:00:00Z.`)
}
