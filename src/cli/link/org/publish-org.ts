/**
 * A charter that changed, handed to everybody whom a hub of this user lets in; and `agentd org publish`.
 *
 * @see FED-40, FED-43, FED-56
 */
import { CHARTER } from '../../../authority/charter.ts'
import { UsageError } from '../../../core/errors.ts'
import type { Environment } from '../../../host/config/paths.ts'
import { orgRealm } from '../../../link/realm.ts'
import { AuthorityFolder } from '../../authority/authority-folder.ts'
import { requireOrg } from '../../authority/org-charters.ts'
import { requireNoSession } from '../../authority/person.ts'
import type { CommandContext } from '../../run/command-context.ts'
import { EXIT, type ExitCode } from '../../run/exit.ts'
import type { HubFile } from '../hub/kept/hub-file.ts'
import { HubHome } from '../hub/kept/hub-home.ts'
import { findAccord } from '../hub/kept/hub-realms.ts'
import { findRealm, withoutSharedNodes } from '../hub/kept/shared-nodes.ts'
import { tellServer, tellThenCut, type Told } from '../hub/tell-server.ts'

/** `agentd org publish`. */
export async function publishOrganisation(context: CommandContext): Promise<ExitCode> {
  const { args, environment, output } = context
  requireNoSession(context)
  const org = requireOrg(args[0])
  const told = await publishWhereServed(environment, org)
  if (told === undefined)
    throw new UsageError(
      `There is no hub of ${org} here; "agentd org invite" makes one of yours its hub with the first member it lets in.`,
    )
  const charter = new AuthorityFolder(environment).accepted(CHARTER, org.slice(1))
  output.data({ org, authorityEpoch: charter?.authorityEpoch ?? null, hub: told })
  output.say(`the charter of ${org} has epoch ${charter?.authorityEpoch ?? 0}`)
  output.note(told.sentence)
  return told.state === 'unreached' ? EXIT.unreachable : EXIT.done
}

/**
 * Publishes the charter of an organisation that a hub here serves: first to everybody, and then whoever is no member any more
 * is let in no more, and roles are what they are now.
 *
 * @returns undefined where no hub of it is here
 */
export async function publishWhereServed(environment: Environment, org: string): Promise<Told | undefined> {
  const home = new HubHome(environment)
  const realm = orgRealm(org)
  const hub = home.find()
  const authority = new AuthorityFolder(environment)
  if (hub === undefined || !isServed(hub, org, authority)) return undefined
  const members = authority.charters().get(org.slice(1))?.document?.body.members ?? []
  const handles = new Set(members.map(({ handle }) => handle))
  const isGone = ({ handle }: { readonly handle: string }): boolean => !handles.has(handle)
  return home.alone(async () => {
    const now = home.require()
    const isFewer = findRealm(now, realm)?.nodes.some(isGone) === true
    const put = (): void => home.put(withoutSharedNodes(home.require(), realm, isGone))
    if (isFewer) return tellThenCut(home, authority, put)
    put()
    return tellServer(home, authority)
  })
}

/** Its own realm, or that of an accord in which it is a side. */
function isServed({ realms }: HubFile, org: string, authority: AuthorityFolder): boolean {
  return realms.some(
    ({ realm }) =>
      realm === orgRealm(org) ||
      findAccord(realm, authority)?.body.parties.some((party) => party.org === org) === true,
  )
}
