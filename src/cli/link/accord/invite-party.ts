/**
 * `agentd accord invite`: a machine of either side of an accord let in, by a hub of this user.
 *
 * @see FED-40, FED-44, FED-57
 */
import type { Key } from '../../../aee/keys/key.ts'
import type { Accord } from '../../../authority/accord.ts'
import { CHARTER, Roll, type Charter } from '../../../authority/charter.ts'
import { formatDocument, readDocument, stateOf, type SignedDocument } from '../../../authority/document.ts'
import { onlyKey } from '../../../authority/estate.ts'
import { grantsOf } from '../../../authority/granting.ts'
import { verifyDocument } from '../../../authority/signing.ts'
import { UsageError } from '../../../core/errors.ts'
import { writeInvitation } from '../../../link/joining/invitation.ts'
import type { JoinRequest } from '../../../link/joining/request.ts'
import { realmForm } from '../../../link/realm.ts'
import { AuthorityFolder } from '../../authority/authority-folder.ts'
import { asUsage } from '../../run/as-usage.ts'
import type { CommandContext } from '../../run/command-context.ts'
import { EXIT, type ExitCode } from '../../run/exit.ts'
import { HubHome } from '../hub/kept/hub-home.ts'
import { findAccord } from '../hub/kept/hub-realms.ts'
import { withSharedNode } from '../hub/kept/shared-nodes.ts'
import { tellServer } from '../hub/tell-server.ts'
import { keyWords } from '../key-words.ts'
import { askBesideFile, handOver } from '../org/handed-over.ts'
import { requireRequest } from '../org/request-file.ts'

/** Who is let in, and by whom. */
interface Invited {
  readonly request: JoinRequest
  /** Of the side that the machine is of, and the key that the accord names for it. */
  readonly charter: SignedDocument<Charter>
  readonly charterKey: string
  /** Names of the grants that the machine may use or answer. */
  readonly grants: readonly string[]
  readonly host: { readonly charter: SignedDocument<Charter>; readonly key: Key; readonly publicX: string }
}

/** The command's work. */
export async function inviteParty(context: CommandContext): Promise<ExitCode> {
  const { args, environment, output } = context
  const home = new HubHome(environment)
  home.require()
  const authority = new AuthorityFolder(environment)
  const invited = requireInvited(authority, requireRequest(args[0] ?? ''))
  const { charter, grants, host, request } = invited
  const { handle, key, nkey: nkeyPublic, node, realm } = request
  const { org } = charter.body
  const question = `Let ${handle}/${node} of ${org} in, under ${grants.join(', ')}? The key of ${handle} is ${keyWords(key)}.`
  if (!askBesideFile(context, question)) return EXIT.done
  await takeCharter(authority, invited)
  await home.alone(async () =>
    home.put(withSharedNode(home.require(), realm, { handle, node, org, nkeyPublic })),
  )
  const told = await tellServer(home, authority)
  const text = invitationOf(home, invited)
  const path = handOver(context, text)
  output.data({ org, handle, node, grants, invitation: path ?? text, hub: told })
  if (path !== undefined)
    output.say(
      `${handle}/${node} of ${org} may link under ${grants.join(', ')}: the invitation is in ${path}`,
    )
  output.note(`It holds no secret. ${handle} adds it there with: agentd link add FILE`)
  output.note(`Say the key of ${host.charter.body.org} over another way: ${keyWords(host.publicX)}`)
  output.note(told.sentence)
  return EXIT.done
}

/** @throws UsageError for a request that the accord, the charter or the keys do not bear out */
function requireInvited(authority: AuthorityFolder, request: JoinRequest): Invited {
  const { handle, key, realm } = request
  if (realmForm(realm).form !== 'accord')
    throw new UsageError('This is a request for an organisation; "agentd org invite" takes it.')
  const accord = findAccord(realm, authority)
  if (accord === undefined || stateOf(accord, Date.now()) !== 'in force')
    throw new UsageError(
      'No accord that is in force here is the one of this request; see "agentd accord list".',
    )
  const charter = asUsage(() => readDocument(CHARTER, request.charter ?? ''))
  const { org, members } = charter.body
  const charterKey = accord.body.parties.find((one) => one.org === org)?.key
  if (charterKey === undefined) throw new UsageError(`${org} is no side of the accord of this request.`)
  asUsage(() => verifyDocument(charter, onlyKey(org, charterKey), Date.now()))
  const newest = newestOf(authority, charter)
  const member = newest.body.members.find((one) => one.handle === handle)
  if (member?.key !== key)
    throw new UsageError(
      members.some((one) => one.handle === handle)
        ? `The charter of ${org} does not name the key of ${handle} that signs this request (${keyWords(key)}); "agentd org invite" puts it there.`
        : `The charter of ${org} does not name ${handle}.`,
    )
  const grants = grantsOf(accord.body, { org, handle }, new Roll(newest.body)).map(({ grant }) => grant)
  if (grants.length === 0) throw new UsageError(`The accord grants ${handle} of ${org} nothing.`)
  return { request, charter: newest, charterKey, grants, host: requireHost(authority, accord, org) }
}

/** What was accepted here before and is newer says more. */
function newestOf(authority: AuthorityFolder, charter: SignedDocument<Charter>): SignedDocument<Charter> {
  const here = authority.charters().get(charter.body.org.slice(1))?.document
  return here === undefined || here.authorityEpoch < charter.authorityEpoch ? charter : here
}

/** The side that this user signs for, the other one first: whoever is let in is shown its key. @throws UsageError */
function requireHost(
  authority: AuthorityFolder,
  { body: { parties } }: SignedDocument<Accord>,
  guest: string,
): Invited['host'] {
  const other = parties.toSorted((a, b) => Number(a.org === guest) - Number(b.org === guest))
  for (const { org, key: publicX } of other) {
    const key = authority.findSigner(org, (one) => one.publicFields()?.public === publicX)
    const charter = authority.charters().get(org.slice(1))?.document
    if (key !== undefined && charter !== undefined) return { charter, key, publicX }
  }
  const names = parties.map(({ org }) => org).join(' or ')
  throw new UsageError(`Who lets machines in signs for ${names}, and has a charter of it; you do not here.`)
}

async function takeCharter(authority: AuthorityFolder, { charter, charterKey }: Invited): Promise<void> {
  const { org } = charter.body
  authority.trust(org, charter.signatures[0]?.kid ?? '', charterKey)
  if (authority.charters().get(org.slice(1))?.document?.signedText !== charter.signedText)
    await authority.install(charter)
}

function invitationOf(home: HubHome, { host, request: { handle, node, realm } }: Invited): string {
  const at = { realm, handle, node, urls: home.require().urls, ca: home.authority(), domain: null }
  const by = { charter: formatDocument(host.charter), org_key: host.publicX }
  return writeInvitation({ type: 'agentd.invitation', v: 1, ...at, ...by }, (bytes) => host.key.sign(bytes))
}
