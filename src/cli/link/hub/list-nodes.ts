/**
 * `agentd link hub list` and `print`: who is let in, and what a server that is there already has to have.
 *
 * @see FED-12, FED-43
 */
import type { EstateNode } from '../../../authority/estate.ts'
import { formatAgo } from '../../../core/text/durations.ts'
import { readTimestampMs } from '../../../core/text/timestamp.ts'
import { audienceToken } from '../../../link/audience.ts'
import { nodeId, principalOf, type Realm } from '../../../link/realm.ts'
import { AuthorityFolder } from '../../authority/authority-folder.ts'
import type { CommandContext } from '../../run/command-context.ts'
import { EXIT, type ExitCode } from '../../run/exit.ts'
import { formatTable } from '../../terminal/table.ts'
import { hubStore } from '../../../host/links/hub-folder.ts'
import { askHeard } from './hub-engine.ts'
import { readHubRoom, roomInWords } from './hub-room.ts'
import { findEstate } from './kept/hub-estate.ts'
import type { HubFile } from './kept/hub-file.ts'
import { HubHome } from './kept/hub-home.ts'
import { accessIn } from './kept/hub-realms.ts'
import { findServer } from './hub-server.ts'
import { isLeftAlone } from './one-server.ts'
import { realmInWords } from './revoke-shared.ts'
import { tellServer } from './tell-server.ts'

/** Let in, as far as the documents go. */
const INVITED = 'invited'

/** `agentd link hub list`. */
export async function listNodes(context: CommandContext): Promise<ExitCode> {
  const { environment, output } = context
  const home = new HubHome(environment)
  const hub = home.require()
  const authority = new AuthorityFolder(environment)
  const estate = findEstate(authority, principalOf(hub.realm))
  const pid = findServer(home.pidPath)
  const admitted = new Set(hub.nodes.map(({ node }) => node))
  const { ofOwn, ofShared, unknown } = await hearOf(home, estate?.body.nodes ?? [], pid !== undefined)
  const nodes = (estate?.body.nodes ?? []).map((one, i) => describe(one, admitted.has(one.node), ofOwn[i]))
  const { realm, name, urls } = hub
  const known = { realm, name, urls, pid: pid ?? null, authorityEpoch: estate?.authorityEpoch ?? null, nodes }
  const realms = sharedRealms(hub, authority, ofShared)
  output.data({ ...known, ...(realms.length > 0 && { realms }) })
  output.say(
    `the hub of ${principalOf(realm)} at ${urls.join(', ')}: ${pid === undefined ? 'not running here' : `runs, pid ${pid}`}`,
  )
  noteRoom(context, realms.length + 1)
  if (isLeftAlone(home))
    output.note('What started it was killed, and it goes on alone; "agentd link hub run" takes its place.')
  if (unknown !== undefined) output.note(`Which of them have linked is not known: ${unknown}`)
  const rows = nodes.map((one) => [one.node, stateOf(one), heardOf(one), one.until ?? ''])
  const columns = [{ title: 'NODE' }, { title: 'STATE' }, { title: 'HEARD' }, { title: 'UNTIL' }]
  output.answer(formatTable(columns, rows, output))
  for (const one of realms) sayRealm(one, output)
  return EXIT.done
}

function noteRoom({ environment, output }: CommandContext, realms: number): void {
  const storePath = hubStore(environment)
  const room = readHubRoom(storePath, realms)
  const tight = room && roomInWords(room, storePath)
  if (tight !== undefined) output.note(tight)
}

/** When each was heard of last, in milliseconds since 1970; undefined: never, or nobody knows. */
type Heard = readonly (number | undefined)[]

/** What the hub itself has of its machines: the last word of each, which is ten seconds old at most where its link is up. */
async function hearOf(
  home: HubHome,
  own: readonly EstateNode[],
  isRunning: boolean,
): Promise<{ readonly ofOwn: Heard; readonly ofShared: readonly Heard[]; readonly unknown?: string }> {
  if (!isRunning) return { ofOwn: [], ofShared: [], unknown: 'the hub is not running here.' }
  const hub = home.require()
  const handle = principalOf(hub.realm)
  const places = [
    ...own.map(({ key, node }) => ({ realm: hub.realm, at: { handle, node }, key })),
    ...hub.realms.flatMap(({ realm, nodes }) => nodes.map((at) => ({ realm, at }))),
  ]
  const heard = await askHeard({ hub, ca: home.authority() }, places)
  if (typeof heard === 'string') return { ofOwn: [], ofShared: [], unknown: heard }
  let next = own.length
  const ofShared = hub.realms.map(({ nodes }) => heard.slice(next, (next += nodes.length)))
  return { ofOwn: heard.slice(0, own.length), ofShared }
}

/** What is told of a machine: whether it is let in, and when the hub heard of it last. */
interface Told {
  readonly state: string
  /** Absent: never, or nobody knows. */
  readonly heardAt?: string
}

/** Whoever has been heard of has linked. */
function stateOf({ state, heardAt }: Told): string {
  return state === INVITED && heardAt !== undefined ? 'linked' : state
}

function heardOf({ heardAt }: Told): string {
  return heardAt === undefined ? '' : formatAgo(Date.now() - (readTimestampMs(heardAt) ?? 0))
}

function heardAtOf(atMs: number | undefined): Pick<Told, 'heardAt'> {
  return atMs === undefined ? {} : { heardAt: new Date(atMs).toISOString() }
}

/** A realm of several people, as it is told. */
interface DescribedRealm {
  readonly realm: Realm
  readonly nodes: readonly (Told & { readonly node: string; readonly reads: string })[]
}

/** Whoever the documents let in no more is listed still, since the hub's file names them. */
function sharedRealms(
  hub: HubFile,
  authority: AuthorityFolder,
  heard: readonly Heard[],
): readonly DescribedRealm[] {
  return hub.realms.map(({ realm, nodes }, k) => ({
    realm,
    nodes: nodes.map((one, i) => {
      const access = accessIn(realm, one, authority)
      const reads = (access?.reads ?? []).map(audienceToken).join(', ')
      const state = access === undefined ? 'no member' : INVITED
      return { node: nodeId(realm, one), state, ...heardAtOf(heard[k]?.[i]), reads }
    }),
  }))
}

function sayRealm({ realm, nodes }: DescribedRealm, output: CommandContext['output']): void {
  output.say(`and of ${realmInWords(realm)}:`)
  const rows = nodes.map((one) => [one.node, stateOf(one), heardOf(one), one.reads])
  const columns = [{ title: 'NODE' }, { title: 'STATE' }, { title: 'HEARD' }, { title: 'READS' }]
  output.answer(formatTable(columns, rows, output))
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

function describe({ node, not_after: until }: EstateNode, isAdmitted: boolean, heardMs: number | undefined) {
  const isOver = until !== undefined && (readTimestampMs(until) ?? 0) <= Date.now()
  const state = isAdmitted && !isOver ? INVITED : 'revoked'
  return { node, state, ...heardAtOf(heardMs), until: until ?? null }
}
