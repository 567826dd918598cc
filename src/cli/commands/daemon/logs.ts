/**
 * `agentd logs`: the daemon's log, wherever it is.
 *
 * @see docs/operations.md
 */
import { existsSync } from 'node:fs'
import { Command } from 'commander'
import { safeLine } from '../../../core/text/safe-text.ts'
import type { DaemonLog } from '../../../host/process/daemon-log.ts'
import { formatLogLine, logTimeMs, readLogLine } from '../../logs/log-line.ts'
import { linesOf, whichLog } from '../../logs/which-log.ts'
import { runs, type CommandContext } from '../../run/command-context.ts'
import { EXIT, type ExitCode } from '../../run/exit.ts'
import { untilInterrupted } from '../../run/interrupt.ts'
import { readCount, readFlag, readPastTime } from '../../run/options.ts'
import { printJson } from '../../terminal/print.ts'
import { GROUPS } from '../../help/groups.ts'

/** Lines that are shown where nobody says how many, nor since when. */
const USUAL_LINES = 50

/** The command. */
export function logsCommand(): Command {
  return new Command('logs')
    .helpGroup(GROUPS.daemon)
    .summary("The daemon's log, wherever it is")
    .description("The daemon's log, wherever it is: a file, or the journal of systemd")
    .option('-f, --follow', 'go on with what comes, across restarts, until Ctrl-C')
    .option('-n, --lines <count>', `the last so many (default: ${USUAL_LINES}, or all since --since)`)
    .option('--since <time>', 'written then or later: how long ago, such as 2h, or an RFC 3339 time')
    .addHelpText(
      'after',
      '\nWith --json each line is as the daemon wrote it. Ends with 3 where there is no log.\n\nExample: agentd logs -f',
    )
    .action(runs(logs))
}

async function logs(context: CommandContext): Promise<ExitCode> {
  const { output, options } = context
  const since = readPastTime(options, 'since', Date.now())
  const sinceMs = since === undefined ? undefined : Date.parse(since)
  const wish = {
    lines: readCount(options, 'lines') ?? (sinceMs === undefined ? USUAL_LINES : undefined),
    follows: readFlag(options, 'follow'),
  }
  const log = await whichLog(context)
  const absence = absenceOf(log, wish.follows)
  if (absence !== undefined) {
    output.note(safeLine(absence))
    return EXIT.nothing
  }
  output.note(safeLine(log.kind === 'journal' ? `log: the journal of ${log.unit}` : `log: ${placeOf(log)}`))
  return untilInterrupted(async (signal) => {
    const lines = linesOf(log, { ...wish, signal }, sinceMs)
    await show(lines, log.kind === 'journal' ? undefined : sinceMs, context)
    return EXIT.done
  }, EXIT.done)
}

/** Why there is nothing to read, as a sentence; a file that is followed may come. */
function absenceOf(log: DaemonLog, follows: boolean): string | undefined {
  if (log.kind === 'foreground')
    return `agentd, pid ${log.pid}, runs in the foreground: its log goes to whoever started it, and is not kept.`
  if (log.kind === 'journal' || follows || existsSync(log.path) || existsSync(`${log.path}.1`))
    return undefined
  return `There is no log yet: ${log.path} is made by the first start in the background ("agentd start").`
}

function placeOf(log: DaemonLog): string {
  return log.kind === 'file' ? log.path : ''
}

/** What does not say when it was written belongs to what stands above it. */
async function show(
  lines: AsyncIterable<Buffer>,
  sinceMs: number | undefined,
  { output }: CommandContext,
): Promise<void> {
  let isShown = sinceMs === undefined
  for await (const octets of lines) {
    const line = readLogLine(octets)
    const atMs = logTimeMs(line)
    if (sinceMs !== undefined && atMs !== undefined) isShown = atMs >= sinceMs
    if (!isShown) continue
    if (output.json) printJson(line.fields === undefined ? JSON.stringify({ text: line.text }) : line.text)
    else output.answer(formatLogLine(line, output.paint))
  }
}
