/**
 * `agentd audit`: whether the record of what happened is still what was written. Needs no daemon.
 *
 * @see docs/requirements.md §§2.3, 2.4, AEE-C13…AEE-C17
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Command } from 'commander'
import { UsageError } from '../../../core/errors.ts'
import { stateDir } from '../../../host/config/paths.ts'
import { safeLine } from '../../../core/text/safe-text.ts'
import { auditFile, type Audit } from '../../evidence/audit-file.ts'
import { runs, type CommandContext } from '../../run/command-context.ts'
import { formatCount } from '../../../core/text/counts.ts'
import { EXIT, type ExitCode } from '../../run/exit.ts'
import type { Output } from '../../terminal/output.ts'
import { reportTrouble } from '../../run/report.ts'
import { formatTable } from '../../terminal/table.ts'

/** What the daemon writes, below its state directory, where it is told to. */
const EVIDENCE = ['volt.ndjson', 'ward.ndjson']

/** The command. */
export function auditCommand(): Command {
  return new Command('audit')
    .description('Look whether the evidence is still what was written')
    .addHelpText('after', '\nExample: agentd audit verify')
    .addCommand(
      new Command('verify')
        .description('Verify VOLT ledgers and WARD chains, your own when none is named')
        .argument('[file...]', 'files of either kind, one JSON object a line')
        .addHelpText(
          'after',
          '\nEnds with 0 when all are whole, 1 when one is not, 2 when one cannot be read.\n\nExample: agentd audit verify evidence/volt.ndjson',
        )
        .action(runs(verify)),
    )
}

function verify(context: CommandContext): ExitCode {
  const { args, output } = context
  const outcomes = (args.length > 0 ? args : ownEvidence(context)).map((path) => verifyFile(path, output))
  if (outcomes.includes(EXIT.usage)) return EXIT.usage
  return outcomes.includes(EXIT.refused) ? EXIT.refused : EXIT.done
}

function ownEvidence({ environment }: CommandContext): readonly string[] {
  const directory = join(stateDir(environment), 'evidence')
  const paths = EVIDENCE.map((name) => join(directory, name)).filter((path) => existsSync(path))
  if (paths.length > 0) return paths
  throw new UsageError(`There is no evidence in ${directory}; name the file to verify.`)
}

/** One that cannot be read is told of, and the others are looked at all the same. */
function verifyFile(path: string, output: Output): ExitCode {
  let audit: Audit
  try {
    audit = auditFile(path)
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    reportTrouble({ code: 'usage', message: error.message }, output.json)
    return EXIT.usage
  }
  const { isWhole, ...found } = audit
  output.data(found)
  output.answer(formatAudit(audit, output))
  return isWhole ? EXIT.done : EXIT.refused
}

function formatAudit(audit: Audit, { paint, columns }: Output): string {
  const { verdict, isWhole, file, format, entries, faults, faultCount, uncovered } = audit
  const what = formatCount(entries, format === 'VOLT' ? 'event' : 'receipt')
  const limits = uncovered.length === 0 ? '' : `; not covered: ${uncovered.join(', ')}`
  const head = `${(isWhole ? paint.green : paint.red)(verdict)}  ${safeLine(file)}  ${format}, ${what}${limits}`
  if (faults.length === 0) return head
  const rows = faults.map(({ line, code, message }) => [`line ${line}`, code, safeLine(message)])
  const table = formatTable([{ title: 'WHERE' }, { title: 'FAULT' }, { title: 'WHY' }], rows, {
    paint,
    columns,
  })
  const more = faultCount - faults.length
  return [head, table, ...(more > 0 ? [`and ${formatCount(more, 'fault')} more`] : [])].join('\n')
}
