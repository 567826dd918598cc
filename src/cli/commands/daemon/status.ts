/**
 * `agentd status`: how the daemon is, on one screen. Starts nothing.
 */
import { Command } from 'commander'
import { formatSpan } from '../../../core/text/durations.ts'
import {
  AgentdUnreachable,
  connect,
  type AgentdClient,
  type Health,
  type RingHealth,
  type RosterPage,
} from '../../../client/index.ts'
import { safeLine } from '../../../core/text/safe-text.ts'
import { runs, type CommandContext } from '../../run/command-context.ts'
import { formatCount } from '../../../core/text/counts.ts'
import { EXIT, type ExitCode } from '../../run/exit.ts'
import { SOON_MS } from '../../run/patience.ts'
import { formatBytes, formatNumber } from '../../terminal/quantities.ts'
import { GROUPS } from '../../help/groups.ts'

/** Sessions called by name; the roster has them all. */
const MAX_SHOWN_NAMES = 8

/** The command. */
export function statusCommand(): Command {
  return new Command('status')
    .helpGroup(GROUPS.daemon)
    .description('How the daemon is and what it keeps')
    .addHelpText(
      'after',
      `
With --quiet, only the socket, whether a daemon runs or not: it ends with 0 where one answers, and with 69 where none does.

Example: agentd status`,
    )
    .action(runs(status))
}

async function status(context: CommandContext): Promise<ExitCode> {
  const client = await connectOrName(context)
  try {
    const health = await client.health()
    const roster = await client.rosterPage({ limit: MAX_SHOWN_NAMES })
    context.output.data({ ...health, socket: client.socketPath })
    nameSocket(client.socketPath, context)
    context.output.say(formatHealth({ health, roster, socket: client.socketPath }, context))
    return EXIT.done
  } finally {
    await client.close()
  }
}

/** Where nobody answers, a script is told the place all the same. @throws AgentdUnreachable */
async function connectOrName(context: CommandContext): Promise<AgentdClient> {
  try {
    return await connect({ socket: context.socket, answerMs: SOON_MS })
  } catch (error) {
    if (error instanceof AgentdUnreachable) nameSocket(error.socketPath, context)
    throw error
  }
}

/** What a script asks for: `export AGENTD_SOCKET="$(agentd status --quiet)"`. */
function nameSocket(path: string, { output }: CommandContext): void {
  if (output.quiet) output.answer(path)
}

interface Shown {
  readonly health: Health
  readonly roster: RosterPage
  readonly socket: string
}

function formatHealth({ health, roster, socket }: Shown, { output }: CommandContext): string {
  const { bold, dim, green, yellow, red } = output.paint
  const paint = { healthy: green, degraded: yellow, unhealthy: red }[health.status]
  const waiting = health.waiting ? `${formatNumber(health.waiting)} waiting at a prompt, ` : ''
  const rows: readonly (readonly [string, string])[] = [
    ['principal', health.principal],
    ['socket', socket],
    ['process', `pid ${health.pid}, up ${formatSpan(health.uptimeMs)}`],
    [
      'sessions',
      `${formatNumber(health.sessions)} on the roster, ${waiting}${formatCount(health.subscriptions, 'stream')} open`,
    ],
    ...called(roster),
    ...linked(health),
    ...retention(health.ring),
    ['readable by', 'this user and root: directory 0700, socket and files 0600'],
    ['to forget', 'agentd history --forget, by --frame, --sender, --kind or --before'],
    ...health.details.map((detail): [string, string] => ['note', detail]),
  ]
  const width = Math.max(...rows.map(([name]) => name.length))
  return [
    `${bold('agentd')} ${safeLine(health.version)} is ${paint(health.status)}`,
    ...rows.map(([name, value]) => `  ${dim(name.padEnd(width))}  ${safeLine(value)}`),
  ].join('\n')
}

/** Those that came first, by name; none at a daemon that gives no names. */
function called({ sessions, total = sessions.length }: RosterPage): readonly [string, string][] {
  const names = sessions.flatMap(({ name }) => name ?? [])
  if (names.length === 0) return []
  const more = total > names.length ? ` and ${formatNumber(total - names.length)} more` : ''
  return [['called', `${names.join(', ')}${more}`]]
}

/** The nodes it is linked with; nothing without a link. */
function linked({ links }: Health): readonly [string, string][] {
  if (links === undefined) return []
  const nodes = [...links.here.map((node) => `${node} here`), ...links.away.map((node) => `${node} away`)]
  return [['linked with', nodes.length === 0 ? 'nobody heard of yet' : nodes.join(', ')]]
}

/** What is kept, for how long, and where (AC-192). */
function retention(ring: RingHealth | null): readonly [string, string][] {
  if (ring === null) return [['keeps', 'nothing for replay']]
  const where = ring.enabled ? 'on disk' : 'in memory, gone when the daemon stops'
  const { retention: bounds } = ring
  const most: [string, string][] =
    bounds === undefined
      ? []
      : [
          [
            'at most',
            `${formatNumber(bounds.maxFrames)} frames, ${formatBytes(bounds.maxBytes)}, ${formatSpan(bounds.maxAgeMs)}`,
          ],
        ]
  return [
    [
      'keeps',
      `${formatNumber(ring.frames)} ${ring.frames === 1 ? 'frame' : 'frames'}, ${formatBytes(ring.bytes)}, ${where}`,
    ],
    ...most,
  ]
}
