/**
 * `agentd envelope export`: a workflow for somebody else's machine, through the boundary that the person drew.
 *
 * @see AEE-093, AEE-095
 */
import { Command } from 'commander'
import { crossBoundary, requireBoundaryRules, type BoundaryRules } from '../../../aee/boundary/boundary.ts'
import { PRIORITIES } from '../../../aee/envelope/envelope.ts'
import { readConfigFile } from '../../../host/config/config-file.ts'
import { safeLine } from '../../../core/text/safe-text.ts'
import { runs, type CommandContext } from '../../run/command-context.ts'
import { formatCount } from '../../../core/text/counts.ts'
import { readPriority } from '../../envelope/draft.ts'
import { boundaryDecision, tellDecisions, type BoundaryDecision } from '../../envelope/tell-decisions.ts'
import { EXIT, type ExitCode } from '../../run/exit.ts'
import { choiceOption, readList } from '../../run/options.ts'
import { printJson } from '../../terminal/print.ts'
import { withProgress } from '../../terminal/progress.ts'
import { asParticipant } from '../../run/reach.ts'

/** The command. */
export function envelopeExportCommand(): Command {
  return new Command('export')
    .description('Print what may leave this machine of a workflow, an envelope to each line')
    .argument('<corr>', 'the corr of its envelopes')
    .option('--intents <patterns>', 'what may leave, such as ops.*,docs.summarize (default: aee.boundary)')
    .option('--redact <paths>', 'what is blacked out, such as payload.user.email (default: aee.boundary)')
    .addOption(
      choiceOption(
        '--max-priority <priority>',
        'the highest that leaves (default: aee.boundary)',
        PRIORITIES,
      ),
    )
    .addHelpText(
      'after',
      '\nExample: agentd envelope export 01JFB2QX0K8X5K6ZJ9G2C0C1MW --intents "ops.*" > workflow.ndjson',
    )
    .action(runs(exportThread))
}

async function exportThread(context: CommandContext): Promise<ExitCode> {
  const { output, args } = context
  const rules = readRules(context)
  requireBoundaryRules(rules)
  const [corr = ''] = args
  const { items, unreadable, principal } = await withProgress(output, 'reading the workflow', () =>
    asParticipant(context, async (participant, client) => ({
      ...(await participant.thread(corr)),
      principal: client.principal,
    })),
  )
  const decisions: BoundaryDecision[] = []
  let passed = 0
  for (const { envelope } of items) {
    const crossing = crossBoundary(envelope, rules)
    decisions.push({ envelope, ...boundaryDecision(crossing) })
    if (crossing.kind === 'refused') {
      output.note(safeLine(`kept back: ${envelope.id} (${envelope.intent}): ${crossing.why}`))
      continue
    }
    passed += 1
    printJson(crossing.text)
    if (crossing.redacted.length > 0) {
      output.note(safeLine(`redacted in ${envelope.id}: ${crossing.redacted.join(', ')}`))
    }
  }
  if (readConfigFile(context.environment).aee.aocl) await tellDecisions(decisions, principal, context)
  if (items.length + unreadable === 0) {
    output.note(`nothing is retained of ${safeLine(corr)}`)
    return EXIT.done
  }
  output.note(`${passed} of ${formatCount(items.length + unreadable, 'envelope')} may leave.`)
  return passed === 0 && items.length > 0 ? EXIT.refused : EXIT.done
}

/** What the configuration says, save where an option says otherwise. */
function readRules({ environment, options }: CommandContext): BoundaryRules {
  const { boundary } = readConfigFile(environment).aee
  return {
    intents: readList(options, 'intents') ?? boundary.intents,
    redact: readList(options, 'redact') ?? boundary.redact,
    maxPriority: readPriority(options, 'maxPriority') ?? boundary.max_priority,
  }
}
