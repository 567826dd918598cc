/**
 * `agentd git`: what the history of a repository says of the sessions that wrote it. Changes nothing, starts no daemon.
 *
 * @see docs/runtimes.md §5.4; docs/requirements.md §§1.1, 1.3
 */
import { Command } from 'commander'
import { systemClock } from '../../../core/clock.ts'
import { formatCount } from '../../../core/text/counts.ts'
import { formatSpan } from '../../../core/text/durations.ts'
import { safeLine } from '../../../core/text/safe-text.ts'
import { AgentdUnreachable } from '../../../client/index.ts'
import { Connection } from '../../../client/http/connection.ts'
import { readPersonKey } from '../../../host/config/paths.ts'
import { runs, type CommandContext } from '../../run/command-context.ts'
import { EXIT, type ExitCode } from '../../run/exit.ts'
import { readFlag } from '../../run/options.ts'
import { reachDaemon } from '../../run/reach.ts'
import { formatTable } from '../../terminal/table.ts'
import { GROUPS } from '../../help/groups.ts'

type Verified = Awaited<ReturnType<Awaited<ReturnType<typeof loadVerify>>['verifyCommits']>>[number]

/** What of a commit's id stands in a line, and the columns its handles take at the most. */
const SHORT_SHA = 10
const MAX_WHO_COLUMNS = 30

/** What the ring remembers of a commit, in the column of its frame. */
const FRAME_WORDS = { told: 'names it', silent: 'none', unknown: 'unknown' } as const

/** The command. */
export function gitCommand(): Command {
  return new Command('git')
    .helpGroup(GROUPS.agents)
    .summary('Who made the commits of a repository')
    .description('Who made the commits of a repository, held against what the ring remembers')
    .addHelpText('after', '\nExample: agentd git verify main..HEAD')
    .addCommand(
      new Command('verify')
        .description(
          'Look whether the trailers of commits are well-formed, and whether their sessions were there',
        )
        .argument('[range]', 'as git log takes it (default: what the upstream branch has not, or else all)')
        .option('--strict', 'commits that name nobody, or whose session said nothing then, count as wrong')
        .addHelpText(
          'after',
          `
Acted-By names a person, Executed-By a bot, Drafted-With an instrument. A frame of that instrument which names
the commit is the best there is; any frame of it within ten minutes is shown with its distance.
Ends with 0 when none is wrong, 1 when one is, 2 when git does not know the range.

Example: agentd git verify main..HEAD`,
        )
        .action(runs(verify)),
    )
}

async function verify(context: CommandContext): Promise<ExitCode> {
  const { args, output, environment, options } = context
  const { verifyCommits } = await loadVerify()
  const connection = await findConnection(context)
  try {
    const commits = await verifyCommits(
      { range: args[0], read: connection && readerOf(connection) },
      { environment, directory: process.cwd() },
    )
    const isStrict = readFlag(options, 'strict')
    const wrong = commits.filter((commit) => isWrong(commit, isStrict)).length
    output.data({
      checked: commits.length,
      wrong,
      ring: connection !== undefined,
      commits: commits.map(toData),
    })
    if (commits.length > 0) output.answer(formatCommits(commits, context))
    output.say(summaryOf(commits.length, wrong))
    if (connection === undefined) output.note('No daemon runs, so nothing was held against the ring.')
    return wrong > 0 ? EXIT.refused : EXIT.done
  } finally {
    connection?.close()
  }
}

/** What git is asked does not need the daemon, and nobody starts one to ask it what it cannot know. */
async function findConnection(context: CommandContext): Promise<Connection | undefined> {
  try {
    const client = await reachDaemon({ ...context, mayStart: false })
    const { socketPath } = client
    await client.close()
    const readKey = (): string | undefined => readPersonKey(context.environment)
    return new Connection(socketPath, { clock: systemClock, random: Math.random, readPersonKey: readKey })
  } catch (error) {
    if (error instanceof AgentdUnreachable && !error.isSilent) return undefined
    throw error
  }
}

function readerOf(connection: Connection) {
  return async (query: { kind: string; limit: number; before: string | undefined }): Promise<string> => {
    const { body } = await connection.perform({ route: 'getEvents', query })
    return body.toString('utf8')
  }
}

function isWrong({ verdict, witness }: Verified, isStrict: boolean): boolean {
  return verdict === 'wrong' || (isStrict && (verdict === 'bare' || witness?.kind === 'silent'))
}

function toData({ sha, committedMs, ...rest }: Verified): object {
  return { commit: sha, committedAt: new Date(committedMs).toISOString(), ...rest }
}

function summaryOf(count: number, wrong: number): string {
  if (count === 0) return 'no commit in that range'
  return `${formatCount(count, 'commit')}, ${wrong === 0 ? 'none' : wrong} wrong`
}

function formatCommits(commits: readonly Verified[], { output }: CommandContext): string {
  const { paint, columns } = output
  const rows = commits.flatMap((commit) => {
    const { sha, verdict, subject, actedBy, executedBy, draftedWith, faults, warnings } = commit
    const who = [actedBy, executedBy, ...draftedWith].filter((handle) => handle !== undefined).join(' ')
    const head = [verdict, sha.slice(0, SHORT_SHA), safeLine(who), frameOf(commit), safeLine(subject)]
    return [head, ...[...faults, ...warnings].map((text) => ['', '', '', '', safeLine(text)])]
  })
  const heads = [
    { title: 'VERDICT', paint: (text: string) => (text.startsWith('wrong') ? paint.red(text) : text) },
    { title: 'COMMIT' },
    { title: 'WHO', most: MAX_WHO_COLUMNS },
    { title: 'FRAME' },
    { title: 'SUBJECT' },
  ]
  return formatTable(heads, rows, { paint, columns })
}

function frameOf({ witness }: Verified): string {
  if (witness === undefined) return ''
  return witness.kind === 'near' ? `${formatSpan(witness.apartMs)} apart` : FRAME_WORDS[witness.kind]
}

function loadVerify() {
  return import('../../../runtimes/git/verify.ts')
}
