/**
 * `agentd audit verify`: ledgers, chains and bundles, held against what each demands of itself. Needs no daemon.
 *
 * @see docs/requirements.md §§2.3, 2.4, AEE-C13…AEE-C17
 */
import { statSync } from 'node:fs'
import { basename } from 'node:path'
import { Command } from 'commander'
import { UsageError } from '../../../core/errors.ts'
import { formatCount } from '../../../core/text/counts.ts'
import { safeLine } from '../../../core/text/safe-text.ts'
import { auditBundle } from '../../evidence/audit-bundle.ts'
import { auditInTurns, type Audit } from '../../evidence/audit-file.ts'
import { ownLedgers } from '../../evidence/own-ledgers.ts'
import { parseTip, tipFaults } from '../../evidence/tip.ts'
import { readContentFile, readStdin } from '../../input/content.ts'
import { STDIN_NAME } from '../../input/records.ts'
import { KeyFolder } from '../../keys/key-folder.ts'
import { runs, type CommandContext } from '../../run/command-context.ts'
import { EXIT, type ExitCode } from '../../run/exit.ts'
import { readTextOption } from '../../run/options.ts'
import { reportTrouble } from '../../run/report.ts'
import type { Output } from '../../terminal/output.ts'
import { withProgress } from '../../terminal/progress.ts'
import { formatTable } from '../../terminal/table.ts'

/** The command. */
export function auditVerifyCommand(): Command {
  return new Command('verify')
    .description('Verify VOLT ledgers, WARD chains and evidence bundles; your own when none is named')
    .argument('[file...]', 'files of either kind, one JSON object a line, or the folder of a bundle')
    .option('--tip <file>', 'hold them against a tip that "agentd audit tip" printed; - for stdin')
    .addHelpText(
      'after',
      `
A chain shows every change but two: that all of it was written anew, and that its end was cut off. A tip that was
kept elsewhere shows those.
Ends with 0 when all are whole, 1 when one is not, 2 when one cannot be read.

Example: agentd audit verify evidence/volt.ndjson`,
    )
    .action(runs(verify))
}

async function verify(context: CommandContext): Promise<ExitCode> {
  const { args, output, environment, options } = context
  const keys = new KeyFolder(environment).read()
  const files = args.length > 0 ? args : ownLedgers(environment)
  const outcomes: ExitCode[] = []
  for (const path of files) outcomes.push(await verifyPath(() => auditPath(path, keys, output), output))
  const tip = readTextOption(options, 'tip')
  const outcome = tip === undefined ? EXIT.done : verifyTip(tip, files, { keys, output })
  if (outcomes.includes(EXIT.usage)) return EXIT.usage
  return [...outcomes, outcome].includes(EXIT.refused) ? EXIT.refused : EXIT.done
}

type Keys = Parameters<typeof auditBundle>[1]

function auditPath(path: string, keys: Keys, output: Output): Audit | Promise<Audit> {
  if (isFolder(path)) return auditBundle(path, keys)
  const octets = statSync(path, { throwIfNoEntry: false })?.size
  return withProgress(
    output,
    `verifying ${safeLine(basename(path))}`,
    (progress) =>
      auditInTurns(path, (done) => {
        progress.advance(done)
        return progress.breathe()
      }),
    octets,
  )
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}

/** One that cannot be read is told of, and the others are looked at all the same. */
async function verifyPath(look: () => Audit | Promise<Audit>, output: Output): Promise<ExitCode> {
  let audit: Audit
  try {
    audit = await look()
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

function verifyTip(
  name: string,
  files: readonly string[],
  { keys, output }: { readonly keys: Keys; readonly output: Output },
): ExitCode {
  const tip = parseTip(name === STDIN_NAME ? readStdin() : readContentFile(name))
  const ledgers = files.filter((path) => !isFolder(path))
  const faults = tipFaults(tip, ledgers, keys)
  const verdict = faults.length === 0 ? 'INTACT' : 'BROKEN'
  const signedBy = tip.sig?.kid ?? null
  output.data({
    file: name,
    format: 'TIP',
    verdict,
    entries: tip.ledgers.length,
    at: tip.at,
    signedBy,
    faults,
  })
  const signed = signedBy === null ? 'not signed' : `signed with ${safeLine(signedBy)}`
  const count = formatCount(tip.ledgers.length, 'chain')
  const colour = faults.length === 0 ? output.paint.green : output.paint.red
  const head = `${colour(verdict)}  ${safeLine(name)}  tip of ${safeLine(tip.at)}, ${count}, ${signed}`
  const rows = faults.map(({ code, message }) => [code, safeLine(message)])
  const view = { paint: output.paint, columns: output.columns }
  const table = rows.length === 0 ? [] : [formatTable([{ title: 'FAULT' }, { title: 'WHY' }], rows, view)]
  output.answer([head, ...table].join('\n'))
  return faults.length === 0 ? EXIT.done : EXIT.refused
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
