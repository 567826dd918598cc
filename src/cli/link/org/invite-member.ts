/**
 * `agentd org invite`: a member's machine let in, by the organisation's key and its hub.
 *
 * @see FED-40, FED-44, FED-56
 */
import type { Key } from '../../../aee/keys/key.ts'
import type { Charter, Member } from '../../../authority/charter.ts'
import { formatDocument, type SignedDocument } from '../../../authority/document.ts'
import { UsageError } from '../../../core/errors.ts'
import { writeInvitation } from '../../../link/joining/invitation.ts'
import type { JoinRequest } from '../../../link/joining/request.ts'
import { realmForm } from '../../../link/realm.ts'
import { AuthorityFolder } from '../../authority/authority-folder.ts'
import type { CommandContext } from '../../run/command-context.ts'
import { EXIT, type ExitCode } from '../../run/exit.ts'
import { readList } from '../../run/options.ts'
import { HubHome } from '../hub/kept/hub-home.ts'
import { withSharedNode } from '../hub/kept/shared-nodes.ts'
import { tellServer } from '../hub/tell-server.ts'
import { askBesideFile, handOver } from './handed-over.ts'
import { keyWords } from '../key-words.ts'
import { nextCharter, requireSignedHere } from './org-members.ts'
import { requireRequest } from './request-file.ts'

/** What is to be done. */
interface Invited {
  readonly org: string
  readonly request: JoinRequest
  readonly former: SignedDocument<Charter>
  readonly member: Member
}

/** The command's work. */
export async function inviteMember(context: CommandContext): Promise<ExitCode> {
  const { args, environment, output } = context
  const home = new HubHome(environment)
  home.require()
  const authority = new AuthorityFolder(environment)
  const invited = requireInvited(context, authority, requireRequest(args[0] ?? ''))
  const { org, request, member } = invited
  const { handle, node, key } = request
  if (!askBesideFile(context, questionOf(invited))) return EXIT.done
  const text = await home.alone(async () => {
    const charter = await signedCharter(authority, invited)
    const { nkey: nkeyPublic, realm } = request
    home.put(withSharedNode(home.require(), realm, { handle, node, nkeyPublic }))
    return invitationOf(home, authority, { request, charter })
  })
  const told = await tellServer(home, authority)
  const orgKey = signerOf(requireSignedHere(authority, org), authority).publicFields()?.public ?? ''
  const path = handOver(context, text)
  output.data({ org, handle, node, roles: member.roles, invitation: path ?? text, hub: told })
  if (path !== undefined) output.say(`${handle}/${node} may link to ${org} now: the invitation is in ${path}`)
  output.note(`It holds no secret. ${handle} adds it there with: agentd link add FILE`)
  output.note(`Say the key of ${org} over another way: ${keyWords(orgKey)}`)
  output.note(`That of ${handle}, as the request has it: ${keyWords(key)}`)
  output.note(told.sentence)
  return EXIT.done
}

/** The charter that follows from a request. @throws UsageError for another key than the one that the charter names */
function requireInvited(context: CommandContext, authority: AuthorityFolder, request: JoinRequest): Invited {
  const form = realmForm(request.realm)
  if (form.form !== 'org')
    throw new UsageError('This is a request for an accord; "agentd accord invite" takes it.')
  const { org } = form
  const former = requireSignedHere(authority, org)
  const before = former.body.members.find((one) => one.handle === request.handle)
  if (before?.key !== undefined && before.key !== request.key)
    throw new UsageError(
      `The charter of ${org} names another key of ${request.handle} (${keyWords(before.key)}) than this request (${keyWords(request.key)}). ` +
        `Where their machines are linked with each other they have one; if ${request.handle} has lost it: agentd org member remove ${request.handle}`,
    )
  const roles = readList(context.options, 'role') ?? before?.roles ?? []
  const entities = readList(context.options, 'entities') ?? before?.entities
  const member = { handle: request.handle, roles, key: request.key, ...(entities && { entities }) }
  return { org, request, former, member }
}

function questionOf({ org, request, member }: Invited): string {
  const roles = member.roles.length === 0 ? 'no role' : member.roles.join(', ')
  const { handle, node, key } = request
  return `Let ${handle}/${node} into ${org} (${roles})? The key of ${handle} is ${keyWords(key)}.`
}

/** The charter with the member as they are now; the former one where nothing about them is new. */
async function signedCharter(
  authority: AuthorityFolder,
  { org, former, member }: Invited,
): Promise<SignedDocument<Charter>> {
  const others = former.body.members.filter((one) => one.handle !== member.handle)
  const next = nextCharter(former, [...others, member])
  const isNew = JSON.stringify(next.body.members) !== JSON.stringify(former.body.members)
  if (!isNew) return former
  await authority.signAndInstall(next, org)
  return requireSignedHere(authority, org)
}

function invitationOf(
  home: HubHome,
  authority: AuthorityFolder,
  { request, charter }: { readonly request: JoinRequest; readonly charter: SignedDocument<Charter> },
): string {
  const { realm, handle, node } = request
  const key = signerOf(charter, authority)
  const at = { realm, handle, node, urls: home.require().urls, ca: home.authority(), domain: null }
  const by = { charter: formatDocument(charter), org_key: key.publicFields()?.public ?? '' }
  return writeInvitation({ type: 'agentd.invitation', v: 1, ...at, ...by }, (bytes) => key.sign(bytes))
}

/** The key that has signed the charter: whoever is invited is told of one. */
function signerOf({ body, signatures }: SignedDocument<Charter>, authority: AuthorityFolder): Key {
  const kid = signatures[0]?.kid
  return authority.findSigner(body.org, (key) => key.kid === kid) ?? authority.signerFor(body.org)
}
