/**
 * `agentd link hub revoke`: a machine that is lost, sold or somebody else's by now.
 *
 * @see FED-43, FED-44
 */
import type { EstateNode } from '../../../authority/estate.ts'
import { UsageError } from '../../../core/errors.ts'
import { principalOf } from '../../../link/realm.ts'
import { AuthorityFolder } from '../../authority/authority-folder.ts'
import { askPerson } from '../../authority/person.ts'
import type { CommandContext } from '../../run/command-context.ts'
import { EXIT, type ExitCode } from '../../run/exit.ts'
import { signEstate } from './kept/hub-estate.ts'
import { HubHome } from './kept/hub-home.ts'
import { requireNode } from './kept/hub-node.ts'
import { isMembersNode, revokeMembersNode } from './revoke-shared.ts'
import { tellThenCut } from './tell-server.ts'

/** The command's work. */
export async function revokeNode(context: CommandContext): Promise<ExitCode> {
  const { args, environment, output } = context
  if (isMembersNode(args[0] ?? '')) return revokeMembersNode(context)
  const node = requireNode(args[0])
  const home = new HubHome(environment)
  const hub = home.require()
  if (!hub.nodes.some((one) => one.node === node))
    throw new UsageError(`The hub lets no machine "${node}" in; see "agentd link hub list".`)
  const principal = principalOf(hub.realm)
  const question = `Cut the machine "${node}" off, for good? What it sends from now on counts nowhere.`
  if (!askPerson(context, question)) return EXIT.done
  const authority = new AuthorityFolder(environment)
  const { epoch, told } = await home.alone(async () => {
    const atMs = Date.now()
    const { authorityEpoch } = await signEstate(authority, principal, (nodes) => nodes.map(ended(node, atMs)))
    const now = home.require()
    const cut = (): void => home.put({ ...now, nodes: now.nodes.filter((one) => one.node !== node) })
    const answer = await tellThenCut(home, authority, cut)
    home.removeJoin(node)
    return { epoch: authorityEpoch, told: answer }
  })
  output.data({ node, authorityEpoch: epoch, hub: told })
  const estate = `your estate has epoch ${epoch} now`
  const isCut = told.state !== 'unreached'
  output.say(
    isCut ? `"${node}" is revoked; ${estate}` : `"${node}" is not in your estate any more; ${estate}`,
  )
  output.note(told.sentence)
  return isCut ? EXIT.done : EXIT.unreachable
}

/** What it sent before still counts, so its entry stays and ends now. */
function ended(node: string, atMs: number): (one: EstateNode) => EstateNode {
  const until = new Date(atMs).toISOString()
  return (one) => (one.node === node ? { ...one, not_after: until } : one)
}
