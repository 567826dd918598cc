/**
 * `agentd roster`: who is there.
 */
import { basename } from 'node:path'
import { Command } from 'commander'
import { formatAge } from '../../../core/text/durations.ts'
import type { RosterSession } from '../../../client/index.ts'
import { quoted } from '../../../core/text/quoted.ts'
import { safeLine } from '../../../core/text/safe-text.ts'
import { runs, type CommandContext } from '../../run/command-context.ts'
import { EXIT, type ExitCode } from '../../run/exit.ts'
import { readTextOption } from '../../run/options.ts'
import { asParticipant } from '../../run/reach.ts'
import { callSession } from '../../run/session-names.ts'
import { formatTable } from '../../terminal/table.ts'
import { cutTo } from '../../../core/display/width.ts'

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

/** A table with a line for each, and one more for who waits at a prompt of its own. */
export function formatRoster(sessions: readonly RosterSession[], { output }: CommandContext): string {
  const nowMs = Date.now()
  const isWide = output.columns === undefined || output.columns >= WIDE_COLUMNS
  const rows = sessions.map((session) => [
    callSession(session),
    ...(isWide ? [safeLine(session.address)] : []),
    safeLine(session.tool),
    describeState(session),
    formatAge(nowMs - Date.parse(session.lastSeenAt)),
    [...describeActivity(session, nowMs), ...describeWork(session)].join(', '),
  ])
  const columns = [
    { title: 'NAME', paint: output.paint.cyan },
    ...(isWide ? [{ title: 'ADDRESS', paint: output.paint.dim }] : []),
    { title: 'TOOL' },
    { title: 'STATE' },
    { title: 'SEEN' },
    { title: 'ABOUT' },
  ]
  const table = formatTable(columns, rows, { paint: output.paint, columns: output.columns })
  const [head = '', ...lines] = table.split('\n')
  return [head, ...sessions.flatMap((session, i) => [lines[i] ?? '', ...formatWait(session, output)])].join(
    '\n',
  )
}

/** How a frame for it would arrive. */
function describeState({ subscriptions, mailbox }: RosterSession): string {
  if (subscriptions > 1) return `listening x${subscriptions}`
  if (subscriptions === 1) return 'listening'
  if (mailbox === null) return 'away'
  return mailbox.unread === 0 ? 'mailbox' : `${mailbox.unread} unread`
}

/** `waiting 12s`, `idle 5m`; nothing where it does not say (W-4). */
function describeActivity({ activity }: RosterSession, nowMs: number): readonly string[] {
  return activity ? [`${activity.state} ${formatAge(nowMs - Date.parse(activity.since))}`] : []
}

/** A line of its own for what a session waits for: `permission: "Claude needs your permission"` (HD-18). */
function formatWait(
  { activity }: RosterSession,
  { columns, paint }: CommandContext['output'],
): readonly string[] {
  if (activity?.state !== 'waiting') return []
  const said = [activity.reason, activity.text && quoted(activity.text)].filter(Boolean).join(': ')
  if (said === '') return []
  const line = `  ${said}`
  return [paint.yellow(columns === undefined ? line : cutTo(line, columns))]
}

function describeWork({ title, branch, cwd }: RosterSession): readonly string[] {
  const parts = [title, branch, cwd === null ? null : basename(cwd)]
  return parts.flatMap((part) => (part ? [safeLine(part)] : []))
}
