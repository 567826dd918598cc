/**
 * `agentd roster`: who is there.
 */
import { basename } from 'node:path'
import { Command } from 'commander'
import { formatAge } from '../../../core/text/durations.ts'
import type { RosterSession } from '../../../client/index.ts'
import { safeLine } from '../../../core/text/safe-text.ts'
import { runs, type CommandContext } from '../../run/command-context.ts'
import { EXIT, type ExitCode } from '../../run/exit.ts'
import { readTextOption } from '../../run/options.ts'
import { asParticipant } from '../../run/reach.ts'
import { callSession } from '../../run/session-names.ts'
import { formatTable } from '../../terminal/table.ts'

/** A narrower terminal has no room for addresses: names are what people write, and programs have `--json`. */
const WIDE_COLUMNS = 120

/** The command. */
export function rosterCommand(): Command {
  return new Command('roster')
    .description('Who is there: the sessions your frames would reach')
    .option('--end <name>', 'end a session instead, by its name, its address or <instrument>@<session-id>')
    .addHelpText('after', '\nExample: agentd roster\n         agentd roster --end api-refactor')
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

function formatRoster(sessions: readonly RosterSession[], { output }: CommandContext): string {
  const nowMs = Date.now()
  const isWide = output.columns === undefined || output.columns >= WIDE_COLUMNS
  const rows = sessions.map((session) => [
    callSession(session),
    ...(isWide ? [safeLine(session.address)] : []),
    safeLine(session.tool),
    describeState(session),
    formatAge(nowMs - Date.parse(session.lastSeenAt)),
    describeWork(session),
  ])
  const columns = [
    { title: 'NAME', paint: output.paint.cyan },
    ...(isWide ? [{ title: 'ADDRESS', paint: output.paint.dim }] : []),
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
