/**
 * `agentd resolve`: who is reachable under a handle, and where: the local half of discovery, which on one machine is a socket.
 *
 * @see MCPDNS, as far as one machine goes; docs/http.md §1
 */
import { Command } from 'commander'
import type { AgentdClient, RosterNode, RosterSession } from '../../../client/index.ts'
import { AgentdError, UsageError } from '../../../core/errors.ts'
import { formatCount } from '../../../core/text/counts.ts'
import { isHandle } from '../../../protocol/address/handle.ts'
import { runs, type CommandContext } from '../../run/command-context.ts'
import { EXIT, type ExitCode } from '../../run/exit.ts'
import { asParticipant } from '../../run/reach.ts'
import { formatNodes } from '../../roster/node-lines.ts'
import { formatRoster } from '../../roster/roster-table.ts'
import { GROUPS } from '../../help/groups.ts'

/** The command. */
export function resolveCommand(): Command {
  return new Command('resolve')
    .helpGroup(GROUPS.read)
    .description('Who is reachable under a handle, and where')
    .argument('[handle]', 'such as ~alice (default: yours)')
    .addHelpText(
      'after',
      '\nExample: agentd resolve ~alice\n\nExits with 3 for a handle that nobody here answers for.',
    )
    .action(runs(resolve))
}

/** A handle that this machine answers for. */
interface Resolved {
  readonly handle: string
  readonly principal: string
  readonly socket: string
  readonly stream: string
  readonly version: string
  readonly sessions: readonly RosterSession[]
  /** Other machines of the handle's, and who is on them; absent without a link. */
  readonly nodes?: readonly RosterNode[]
}

async function resolve(context: CommandContext): Promise<ExitCode> {
  const { args, output } = context
  const [given] = args
  if (given !== undefined && !isHandle(given)) {
    throw new UsageError(`"${given}" is no handle; a handle is such as ~alice.`)
  }
  const { principal, found } = await asParticipant(context, async (_participant, client) => ({
    principal: client.principal,
    found: await look(client, given ?? client.principal),
  }))
  if (found === undefined) {
    output.data({ handle: given, principal, sessions: [] })
    output.note(`${given} is not reachable here: this machine's agentd answers for ${principal}.`)
    return EXIT.nobody
  }
  output.data(found)
  output.say(`principal  ${found.principal}\nsocket     ${found.socket}\nstream     ${found.stream}`)
  output.say(`sessions   ${formatCount(found.sessions.length, 'session')}, agentd ${found.version}`)
  const { sessions, nodes } = found
  if (nodes !== undefined && nodes.length > 0) output.say(formatNodes(nodes, Date.now()))
  const isAnybody = sessions.length + (nodes ?? []).reduce((sum, node) => sum + node.sessions.length, 0) > 0
  if (isAnybody) output.answer(formatRoster({ sessions, nodes }, output))
  return EXIT.done
}

/** @returns undefined for a handle that is none of this daemon's */
async function look(client: AgentdClient, handle: string): Promise<Resolved | undefined> {
  const { principal, socketPath: socket } = client
  const { version } = await client.health()
  try {
    const sessions = await client.roster(handle)
    const { nodes } = await client.rosterPage({ handle, nodes: 'all' })
    const stream = `/v1/handles/${handle}/stream`
    const found = { handle, principal, socket, stream, version, sessions }
    return nodes === undefined ? found : { ...found, nodes }
  } catch (error) {
    if (error instanceof AgentdError && error.field === 'handle') return undefined
    throw error
  }
}
