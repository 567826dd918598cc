/**
 * `agentd report`: what a bug report needs, and nothing private.
 */
import { writeNew } from '../../../host/files/new-file.ts'
import { Command } from 'commander'
import { UsageError } from '../../../core/errors.ts'
import { safeBlock, safeLine } from '../../../core/text/safe-text.ts'
import type { Report } from '../../report/gather.ts'
import { runs, type CommandContext } from '../../run/command-context.ts'
import { EXIT, type ExitCode } from '../../run/exit.ts'
import { readCount, readTextOption } from '../../run/options.ts'
import { GROUPS } from '../../help/groups.ts'

/** Lines of the log where nobody says how many; and how many there may be. */
const USUAL_LINES = 40
const MAX_LINES = 1_000

const READ_IT = 'Read it before you send it: what looks private to you is, and is yours to take out.'

/** The command. */
export function reportCommand(): Command {
  return new Command('report')
    .helpGroup(GROUPS.daemon)
    .summary('What a bug report needs, and nothing private')
    .description('What a bug report needs: versions, findings, figures; names, paths and texts taken out')
    .option('--to <file>', 'write it there, for you alone (default: stdout)')
    .option('--lines <count>', `lines of the log (default: ${USUAL_LINES}, at most ${MAX_LINES})`)
    .addHelpText('after', '\nIt sends nothing to anybody.\n\nExample: agentd report --to agentd-report.md')
    .action(runs(report))
}

async function report(context: CommandContext): Promise<ExitCode> {
  const { output, options } = context
  const lines = readCount(options, 'lines') ?? USUAL_LINES
  if (lines > MAX_LINES) throw new UsageError(`--lines is ${lines}; it must be at most ${MAX_LINES}.`)
  const { gatherReport } = await import('../../report/gather.ts')
  const gathered = await gatherReport(context, lines)
  const text = formatReport(gathered)
  const file = readTextOption(options, 'to')
  if (file !== undefined) writeNew(file, text)
  output.data({ sections: gathered, written: file ?? null })
  output.answer(safeBlock(text).trimEnd())
  if (file !== undefined) output.note(`written to ${safeLine(file)}`)
  output.note(READ_IT)
  return EXIT.done
}

/** For an issue: a heading, and the lines as they are. */
function formatReport(report: Report): string {
  const parts = report.map(({ title, lines }) => {
    const body = lines.length === 0 ? ['none'] : lines
    return `## ${title}\n\n${body.map((line) => `    ${safeLine(line)}`).join('\n')}\n`
  })
  return parts.join('\n')
}
