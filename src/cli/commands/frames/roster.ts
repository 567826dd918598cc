/**
 * `agentd roster`: who is there.
 */
import { basename } from 'node:path'
import { Command } from 'commander'
import { UsageError } from '../../../core/errors.ts'
import { formatAge } from '../../../core/text/durations.ts'
import type { RosterSession } from '../../../client/index.ts'
import { safeLine } from '../../../core/text/safe-text.ts'
import { runs, type CommandContext } from '../../run/command-context.ts'
import { EXIT, type ExitCode } from '../../run/exit.ts'
import { readTextOption } from '../../run/options.ts'
import { asParticipant } from '../../run/reach.ts'
import { formatTable } from '../../terminal/table.ts'

/** Addresses with a hand-given session id fit; one with a ULID is cut on a narrow terminal. */
const MAX_ADDRESS_COLUMNS = 40
const WIDE_COLUMNS = 120

/** The command. */
export function rosterCommand(): Command {
  return new Command('roster')
    .description('Who is there: the sessions your frames would reach')
    .option('--end <name>', 'end a session instead, by its address or <instrument>@<session-id>')
    .addHelpText('after', '\nExample: agentd roster\n         agentd roster --end cc@s1')
    .action(runs(roster))
}

async function roster(context: CommandContext): Promise<ExitCode> {
  const { output, options } = context
  const name = readTextOption(options, 'end')
  if (name !== undefined) return end(context, name)
  const { handle, sessions } = await asParticipant(context, async (participant) => ({
    handle: participant.handle,
    sessions: await participant.roster(),
  }))
  output.data({ handle, sessions })
  if (sessions.length === 0) output.say(`${handle} has no sessions just now`)
  else output.answer(formatRoster(sessions, context))
  return EXIT.done
}

/** Only the person may: a session's token is left aside (HD-04). */
async function end(context: CommandContext, name: string): Promise<ExitCode> {
  if (!name.includes('@')) throw new UsageError('--end takes an address, or <instrument>@<session-id>.')
  const ended = await asParticipant(context, async (_participant, client) => {
    const address = name.includes('/') ? name : `${client.principal}/${name}`
    await client.endSession(address)
    return address
  })
  context.output.data({ ended })
  context.output.say(`ended ${safeLine(ended)}`)
  return EXIT.done
}

function formatRoster(sessions: readonly RosterSession[], { output }: CommandContext): string {
  const nowMs = Date.now()
  const rows = sessions.map((session) => [
    safeLine(session.address),
    safeLine(session.tool),
    describeState(session),
    formatAge(nowMs - Date.parse(session.lastSeenAt)),
    describeWork(session),
  ])
  const most = (output.columns ?? 0) >= WIDE_COLUMNS ? {} : { most: MAX_ADDRESS_COLUMNS }
  const columns = [
    { title: 'SESSION', ...most, paint: output.paint.cyan },
    { title: 'TOOL' },
    { title: 'STATE' },
    { title: 'SEEN' },
    { title: 'ABOUT' },
  ]
  return formatTable(columns, rows, { paint: output.paint, columns: output.columns })
}

/** How a frame for it would arrive. */
function describeState({ subscriptions, mailbox }: RosterSession): string {
  if (subscriptions > 1) return `listening x${subscriptions}`
  if (subscriptions === 1) return 'listening'
  if (mailbox === null) return 'away'
  return mailbox.unread === 0 ? 'mailbox' : `${mailbox.unread} unread`
}

function describeWork({ title, branch, cwd }: RosterSession): string {
  const parts = [title, branch, cwd === null ? null : basename(cwd)]
  return safeLine(parts.filter((part) => part !== null && part !== '').join(', '))
}
