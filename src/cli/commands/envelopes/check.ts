/**
 * `agentd envelope check`: how far texts conform to the draft, rule by rule. Needs no daemon.
 *
 * @see AEE-041, AEE-042
 */
import { Command } from 'commander'
import { orRefusal } from '../../../core/thrown.ts'
import {
  checkConformance,
  type ConformanceReport,
  type RuleResult,
} from '../../../aee/conformance/conformance.ts'
import { UsageError } from '../../../core/errors.ts'
import { decodeText } from '../../../core/text/json.ts'
import { MAX_ENVELOPE_OCTETS } from '../../../core/limits.ts'
import { safeLine } from '../../../core/text/safe-text.ts'
import { runs, type CommandContext } from '../../run/command-context.ts'
import { EXIT, type ExitCode } from '../../run/exit.ts'
import { choiceOption, readFlag, readTextOption } from '../../run/options.ts'
import type { Output } from '../../terminal/output.ts'
import { readRecords, STDIN_NAME, type JsonRecord } from '../../input/records.ts'

/** The command. */
export function envelopeCheckCommand(): Command {
  return new Command('check')
    .description('Check envelopes against the draft, rule by rule; exit code 1 when one falls short')
    .argument('[file...]', 'JSON, or a record to each line; - reads stdin (default)')
    .addOption(
      choiceOption('--level <level>', 'what each has to reach (default: mve-required)', [
        'mve-required',
        'mve-5',
      ]),
    )
    .option('--all', 'show the rules that hold too')
    .addHelpText('after', '\nExample: agentd envelope check trace.ndjson --level mve-5')
    .action(runs(check))
}

async function check(context: CommandContext): Promise<ExitCode> {
  const { output, options, args } = context
  const isLogEnough = readTextOption(options, 'level') === 'mve-5'
  const showsAll = readFlag(options, 'all')
  const counts = { checked: 0, short: 0 }
  for (const file of args.length === 0 ? [STDIN_NAME] : args) {
    for await (const record of readRecords(file)) {
      const judged = judge(record)
      counts.checked += 1
      const reaches = judged.level === 'MVE-Required' || (isLogEnough && judged.level === 'MVE-5')
      const report = reaches ? withoutFailures(judged) : judged
      if (!reaches) counts.short += 1
      output.data({ file, line: record.line, ...report })
      say({ file, line: record.line, report, reaches, showsAll }, output)
    }
  }
  if (counts.checked === 0) throw new UsageError('There is nothing to check.')
  if (counts.checked > 1) output.say(`${counts.checked} checked, ${counts.short} fall short`)
  return counts.short === 0 ? EXIT.done : EXIT.refused
}

/** What a line that is good enough fails is asked of envelopes only, so it does not apply to the line. */
function withoutFailures({ level, rules }: ConformanceReport): ConformanceReport {
  return { level, rules: rules.filter(({ outcome }) => outcome !== 'fail') }
}

function judge({ bytes }: JsonRecord): ConformanceReport {
  if (bytes.length > MAX_ENVELOPE_OCTETS) {
    // Only its beginning was kept, which may end within a character.
    const message = `It is over ${MAX_ENVELOPE_OCTETS} octets, the limit of one envelope.`
    return { level: 'none', rules: [{ rule: 'AEQ-24', outcome: 'fail', message }] }
  }
  const text = orRefusal(() => decodeText(bytes, 'envelope', 'envelope-malformed'))
  if (typeof text === 'string') return checkConformance(text)
  return { level: 'none', rules: [{ rule: 'AEE-001', outcome: 'fail', message: text.message }] }
}

/** One report, for people. */
interface Finding {
  readonly file: string
  readonly line: number | undefined
  readonly report: ConformanceReport
  readonly reaches: boolean
  readonly showsAll: boolean
}

function say({ file, line, report, reaches, showsAll }: Finding, output: Output): void {
  const { paint } = output
  const where = `${file === STDIN_NAME ? 'stdin' : safeLine(file)}${line === undefined ? '' : `:${line}`}`
  const level = report.level === 'none' ? 'no level' : report.level
  output.say(`${where}: ${reaches ? paint.green(level) : paint.red(level)}`)
  for (const rule of report.rules) {
    if (showsAll || rule.outcome !== 'pass') output.say(`  ${formatRule(rule, output)}`)
  }
}

function formatRule({ rule, outcome, message, field }: RuleResult, { paint }: Output): string {
  const paintOutcome = outcome === 'fail' ? paint.red : outcome === 'warn' ? paint.yellow : paint.dim
  const where = field === undefined || message.includes(`"${field}"`) ? '' : ` [${field}]`
  return `${paintOutcome(outcome)} ${rule.padEnd(7)} ${safeLine(`${message}${where}`)}`
}
