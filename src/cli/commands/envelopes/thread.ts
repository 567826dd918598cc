/**
 * `agentd envelope thread`: what came of a workflow.
 */
import { Command } from 'commander'
import { formatThreadSummary } from '../../../aee/thread/hop-notes.ts'
import { toHops, type Hop } from '../../../aee/thread/hops.ts'
import { formatMermaid } from '../../../aee/thread/mermaid.ts'
import type { ThreadEnvelope } from '../../../client/index.ts'
import { UsageError } from '../../../core/errors.ts'
import { safeLine } from '../../../core/text/safe-text.ts'
import { runs, type CommandContext } from '../../run/command-context.ts'
import { EXIT, type ExitCode } from '../../run/exit.ts'
import { readFlag } from '../../run/options.ts'
import { printOut } from '../../terminal/print.ts'
import { asParticipant } from '../../run/reach.ts'
import { formatHops } from '../../envelope/thread-view.ts'

/** The command. */
export function envelopeThreadCommand(): Command {
  return new Command('thread')
    .description('Draw a workflow: who asked whom, how long each hop took, what is still open')
    .argument('<corr>', 'the corr of its envelopes')
    .option('--mermaid', 'as a Mermaid sequence diagram')
    .addHelpText('after', '\nExample: agentd envelope thread 01JFB2QX0K8X5K6ZJ9G2C0C1MW --mermaid')
    .action(runs(thread))
}

async function thread(context: CommandContext): Promise<ExitCode> {
  const { output, options, args } = context
  const [corr = ''] = args
  const isDiagram = readFlag(options, 'mermaid')
  if (isDiagram && output.json) {
    throw new UsageError('--mermaid prints a diagram and --json prints JSON; give one of the two.')
  }
  const found = await asParticipant(context, (participant) => participant.thread(corr))
  const hops = toHops(found.items)
  if (isDiagram) {
    printOut(formatMermaid(hops))
    return EXIT.done
  }
  const open = hops.filter(({ isOpen }) => isOpen).map(({ item }) => item.envelope.id)
  output.data({ ...found, tree: hops.map(toBranch), open })
  if (found.items.length + found.unreadable === 0) output.say(`nothing is retained of ${safeLine(corr)}`)
  else if (hops.length > 0) {
    output.answer(formatHops(hops, output))
    output.say(formatThreadSummary(hops))
  }
  if (found.unreadable > 0) {
    output.note(`${found.unreadable} envelopes are not shown: this agentd cannot read them.`)
  }
  return EXIT.done
}

/** One node of the tree, flat: a chain may be deeper than a reader of JSON can nest. */
function toBranch(hop: Hop<ThreadEnvelope>): object {
  const { item, isAnswered: _, ...place } = hop
  return { id: item.envelope.id, ...place }
}
