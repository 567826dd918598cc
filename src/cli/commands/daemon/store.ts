/**
 * `agentd store`: the file of retained frames, while no daemon has it.
 */
import { resolve } from 'node:path'
import { Command } from 'commander'
import { safeLine } from '../../../core/text/safe-text.ts'
import { runs, type CommandContext } from '../../run/command-context.ts'
import { EXIT, type ExitCode } from '../../run/exit.ts'
import { reportTrouble } from '../../run/report.ts'
import { formatCount } from '../../../core/text/counts.ts'
import { GROUPS } from '../../help/groups.ts'

/** The command. */
export function storeCommand(): Command {
  return new Command('store')
    .helpGroup(GROUPS.daemon)
    .description('Take back a store that was set aside')
    .addHelpText(
      'after',
      '\nExample: agentd store adopt ~/.local/state/agentd/ring.corrupt-2026-11-20T09-12-44-031Z',
    )
    .addCommand(
      new Command('adopt')
        .argument('<file>', 'the store that was set aside; it is copied and stays as it is')
        .description('Check a store and put it at its place; what stands there is set aside')
        .addHelpText(
          'after',
          '\nExample: agentd store adopt ~/.local/state/agentd/ring.corrupt-2026-11-20T09-12-44-031Z',
        )
        .action(runs(adopt)),
    )
}

async function adopt({ args, environment, output, socket }: CommandContext): Promise<ExitCode> {
  const { adoptStore } = await import('../../../daemon/main.ts')
  const file = resolve(args[0] ?? '')
  const adoption = await adoptStore({ environment, flags: { socket }, file })
  if (adoption.kind === 'refused') {
    const { message, mayPass } = adoption
    const exit = mayPass ? EXIT.lost : EXIT.unsafe
    reportTrouble({ code: mayPass ? 'busy' : 'unsafe', message }, output.json, exit)
    return exit
  }
  const { path, frames, aside } = adoption
  output.data({ adopted: file, path, frames, aside: aside ?? null })
  output.say(`${safeLine(file)} is the store now, with ${formatCount(frames, 'item')}.`)
  if (aside !== undefined) output.say(`What stood there is ${safeLine(aside)}.`)
  output.note('It takes effect with the next start of the daemon; readers that resume are told of a gap.')
  return EXIT.done
}
