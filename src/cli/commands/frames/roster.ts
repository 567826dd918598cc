/**
 * `agentd roster`: who is there.
 */
import { Command } from 'commander'
import { safeLine } from '../../../core/text/safe-text.ts'
import { runs, type CommandContext } from '../../run/command-context.ts'
import { EXIT, type ExitCode } from '../../run/exit.ts'
import { readFlag, readTextOption } from '../../run/options.ts'
import { asParticipant } from '../../run/reach.ts'
import { formatNodes, readNodes } from '../../roster/node-lines.ts'
import { formatRoster } from '../../roster/roster-table.ts'
import { GROUPS } from '../../help/groups.ts'

/** The command. */
export function rosterCommand(): Command {
  return new Command('roster')
    .helpGroup(GROUPS.read)
    .description('Who is there: the sessions your frames would reach')
    .option('--here', 'this machine alone, without those it is linked with')
    .option('--end <name>', 'end a session instead, by its name, its address or <instrument>@<session-id>')
    .addHelpText('after', '\nExample: agentd roster\n         agentd roster --end api-refactor')
    .action(runs(roster))
}

async function roster(context: CommandContext): Promise<ExitCode> {
  const { output, options } = context
  const name = readTextOption(options, 'end')
  if (name !== undefined) return end(context, name)
  const { handle, sessions, nodes } = await asParticipant(context, async (participant) => ({
    handle: participant.handle,
    sessions: await participant.roster(),
    nodes: readFlag(options, 'here') ? undefined : await readNodes(participant),
  }))
  output.data(nodes === undefined ? { handle, sessions } : { handle, sessions, nodes })
  const isNobody = sessions.length === 0 && (nodes ?? []).every(({ sessions: there }) => there.length === 0)
  if (isNobody) output.say(`${handle} has no sessions just now`)
  else output.answer(formatRoster({ sessions, nodes }, output))
  if (nodes !== undefined && nodes.length > 0) output.say(formatNodes(nodes, Date.now()))
  return EXIT.done
}

/** Only the person may: a session's token is left aside (HD-04). */
async function end(context: CommandContext, name: string): Promise<ExitCode> {
  const ended = await asParticipant(context, async (_participant, client) => {
    const address = name.includes('@') ? addressOf(name, client.principal) : await client.scopeOf(name)
    await client.endSession(address)
    return address
  })
  context.output.data({ ended })
  context.output.say(`ended ${safeLine(ended)}`)
  return EXIT.done
}

function addressOf(name: string, principal: string): string {
  return name.includes('/') ? name : `${principal}/${name}`
}
