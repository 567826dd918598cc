/**
 * Members of an organisation that this user signs for.
 *
 * @see FED-40, FED-44
 */
import { readKeyFields } from '../../../aee/keys/fields.ts'
import type { Charter, Member } from '../../../authority/charter.ts'
import type { SignedDocument } from '../../../authority/document.ts'
import { UsageError } from '../../../core/errors.ts'
import { readOwnFile } from '../../../host/files/own-file.ts'
import { isHandle } from '../../../protocol/address/handle.ts'
import { asUsage } from '../../run/as-usage.ts'
import type { CommandContext } from '../../run/command-context.ts'
import { EXIT, type ExitCode } from '../../run/exit.ts'
import { readList, readTextOption } from '../../run/options.ts'
import { AuthorityFolder } from '../../authority/authority-folder.ts'
import { draftCharter, requireOrg } from '../../authority/org-charters.ts'
import { askPerson } from '../../authority/person.ts'
import { publishWhereServed } from './publish-org.ts'

/** `agentd org member add`. */
export async function addMember(context: CommandContext): Promise<ExitCode> {
  const handle = requireMember(context.args[0])
  const folder = new AuthorityFolder(context.environment)
  const former = signedHere(folder, context)
  const before = former.body.members.find((one) => one.handle === handle)
  const member = memberOf(context, handle, before)
  const others = former.body.members.filter((one) => one.handle !== handle)
  const next = nextCharter(former, [...others, member])
  const roles = member.roles.length === 0 ? 'no role' : member.roles.join(', ')
  const what = before === undefined ? `Add ${handle} to ${former.body.org}` : `Give ${handle} other roles`
  if (!askPerson(context, `${what} (${roles})?`)) return EXIT.done
  await folder.signAndInstall(next, former.body.org)
  context.output.say(`${handle} is a member of ${former.body.org} (${roles})`)
  return publishNext(context, former.body.org)
}

/** `agentd org member remove`. */
export async function removeMember(context: CommandContext): Promise<ExitCode> {
  const handle = requireMember(context.args[0])
  const folder = new AuthorityFolder(context.environment)
  const former = signedHere(folder, context)
  const { org, members } = former.body
  const left = members.filter((one) => one.handle !== handle)
  if (left.length === members.length) throw new UsageError(`${handle} is no member of ${org}.`)
  const next = nextCharter(former, left)
  if (!askPerson(context, `Remove ${handle} from ${org}?`)) return EXIT.done
  await folder.signAndInstall(next, org)
  context.output.say(`${handle} is no member of ${org} any more`)
  return publishNext(context, org)
}

/** Where the hub is, everybody is told at once. */
async function publishNext({ environment, output }: CommandContext, org: string): Promise<ExitCode> {
  const told = await publishWhereServed(environment, org)
  if (told !== undefined) output.note(told.sentence)
  return told?.state === 'unreached' ? EXIT.unreachable : EXIT.done
}

/** The charter of the next epoch, with other members; nobody has signed it. @throws UsageError */
export function nextCharter(
  former: SignedDocument<Charter>,
  members: readonly Member[],
): SignedDocument<Charter> {
  const { authorityEpoch, notAfterMs, body } = former
  const until = notAfterMs === undefined ? undefined : new Date(notAfterMs).toISOString()
  return asUsage(() => draftCharter({ org: body.org, members }, authorityEpoch + 1, until))
}

/** What is not said anew stays as it was. */
function memberOf(context: CommandContext, handle: string, before: Member | undefined): Member {
  const key = readMemberKey(context) ?? before?.key
  const entities = readList(context.options, 'entities') ?? before?.entities
  return {
    handle,
    roles: readList(context.options, 'role') ?? before?.roles ?? [],
    ...(key !== undefined && { key }),
    ...(entities !== undefined && { entities }),
  }
}

function readMemberKey({ environment, options }: CommandContext): string | undefined {
  const path = readTextOption(options, 'key')
  if (path === undefined) return undefined
  const file = readOwnFile(path, environment.uid)
  const key = file.kind === 'text' ? asUsage(() => readKeyFields(file.text).public) : undefined
  if (key !== undefined) return key
  throw new UsageError(`The file ${path} holds no public key; ask for what "agentd keys export" prints.`)
}

/** The charter that is meant, when its organisation's key is here. @throws UsageError with the choices */
function signedHere(folder: AuthorityFolder, { options }: CommandContext): SignedDocument<Charter> {
  const named = readTextOption(options, 'org')
  const mine = [...folder.charters().values()].flatMap(({ document }) =>
    document !== undefined && folder.findSigner(document.body.org) !== undefined ? [document] : [],
  )
  const wanted = named === undefined ? mine : mine.filter(({ body }) => body.org === requireOrg(named))
  const [found] = wanted
  if (found !== undefined && wanted.length === 1) return found
  if (mine.length === 0)
    throw new UsageError('You sign for no organisation here; "agentd org init ~acme" founds one.')
  const choices = mine.map(({ body }) => body.org).join(', ')
  throw new UsageError(`Say which organisation with --org: ${choices}.`)
}

/** The charter of an organisation that this user signs for. @throws UsageError */
export function requireSignedHere(folder: AuthorityFolder, org: string): SignedDocument<Charter> {
  const found = folder.charters().get(org.slice(1))?.document
  if (found !== undefined && folder.findSigner(org) !== undefined) return found
  throw new UsageError(
    `You do not sign for ${org} here; "agentd org list" says which organisations there are.`,
  )
}

function requireMember(text = ''): string {
  if (isHandle(text)) return text
  throw new UsageError(
    `"${text}" is no handle of a member: write ~ and 1 to 32 of a-z, 0-9 and inner hyphens.`,
  )
}
