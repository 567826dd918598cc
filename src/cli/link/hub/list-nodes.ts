/**
 * `agentd link hub list` and `print`: who is let in, and what a server that is there already has to have.
 *
 * @see FED-12, FED-43
 */
import type { EstateNode } from '../../../authority/estate.ts'
import { readTimestampMs } from '../../../core/text/timestamp.ts'
import { audienceToken } from '../../../link/audience.ts'
import { nodeId, principalOf, type Realm } from '../../../link/realm.ts'
import { AuthorityFolder } from '../../authority/authority-folder.ts'
import type { CommandContext } from '../../run/command-context.ts'
import { EXIT, type ExitCode } from '../../run/exit.ts'
import { formatTable } from '../../terminal/table.ts'
import { hubStore } from '../../../host/links/hub-folder.ts'
import { readHubRoom, roomInWords } from './hub-room.ts'
import { findEstate } from './kept/hub-estate.ts'
import type { HubFile } from './kept/hub-file.ts'
import { HubHome } from './kept/hub-home.ts'
import { accessIn } from './kept/hub-realms.ts'
import { findServer } from './hub-server.ts'
import { isLeftAlone } from './one-server.ts'
import { realmInWords } from './revoke-shared.ts'
import { tellServer } from './tell-server.ts'

/** `agentd link hub list`. */
export function listNodes(context: CommandContext): ExitCode {
  const { environment, output } = context
  const home = new HubHome(environment)
  const hub = home.require()
  const estate = findEstate(new AuthorityFolder(environment), principalOf(hub.realm))
  const pid = findServer(home.pidPath)
  const admitted = new Set(hub.nodes.map(({ node }) => node))
  const nodes = (estate?.body.nodes ?? []).map((one) => describe(one, admitted.has(one.node)))
  const { realm, name, urls } = hub
  const known = { realm, name, urls, pid: pid ?? null, authorityEpoch: estate?.authorityEpoch ?? null, nodes }
  const realms = sharedRealms(hub, new AuthorityFolder(environment))
  output.data({ ...known, ...(realms.length > 0 && { realms }) })
  output.say(
    `the hub of ${principalOf(realm)} at ${urls.join(', ')}: ${pid === undefined ? 'not running here' : `runs, pid ${pid}`}`,
  )
  const storePath = hubStore(environment)
  const room = readHubRoom(storePath, realms.length + 1)
  const tight = room && roomInWords(room, storePath)
  if (tight !== undefined) output.note(tight)
  if (isLeftAlone(home))
    output.note('What started it was killed, and it goes on alone; "agentd link hub run" takes its place.')
  const rows = nodes.map(({ node, state, until }) => [node, state, until ?? ''])
  output.answer(formatTable([{ title: 'NODE' }, { title: 'STATE' }, { title: 'UNTIL' }], rows, output))
  for (const one of realms) sayRealm(one, output)
  return EXIT.done
}

/** A realm of several people, as it is told. */
interface DescribedRealm {
  readonly realm: Realm
  readonly nodes: readonly { readonly node: string; readonly state: string; readonly reads: string }[]
}

/** Whoever the documents let in no more is listed still, since the hub's file names them. */
function sharedRealms(hub: HubFile, authority: AuthorityFolder): readonly DescribedRealm[] {
  return hub.realms.map(({ realm, nodes }) => ({
    realm,
    nodes: nodes.map((one) => {
      const access = accessIn(realm, one, authority)
      const reads = (access?.reads ?? []).map(audienceToken).join(', ')
      return { node: nodeId(realm, one), state: access === undefined ? 'no member' : 'invited', reads }
    }),
  }))
}

function sayRealm({ realm, nodes }: DescribedRealm, output: CommandContext['output']): void {
  output.say(`and of ${realmInWords(realm)}:`)
  const rows = nodes.map(({ node, state, reads }) => [node, state, reads])
  output.answer(formatTable([{ title: 'NODE' }, { title: 'STATE' }, { title: 'READS' }], rows, output))
}

/** `agentd link hub print`. */
export function printAccounts({ environment, output }: CommandContext): ExitCode {
  const text = new HubHome(environment).accounts()
  output.data({ accounts: text })
  output.answer(text.trimEnd())
  return EXIT.done
}

/** `agentd link hub tell`. */
export async function tellHub({ environment, output }: CommandContext): Promise<ExitCode> {
  const home = new HubHome(environment)
  home.require()
  const told = await tellServer(home, new AuthorityFolder(environment))
  output.data(told)
  output.say(told.sentence)
  return told.state === 'told' ? EXIT.done : EXIT.unreachable
}

function describe({ node, not_after: until }: EstateNode, isAdmitted: boolean) {
  const isOver = until !== undefined && (readTimestampMs(until) ?? 0) <= Date.now()
  return { node, state: isAdmitted && !isOver ? 'invited' : 'revoked', until: until ?? null }
}
