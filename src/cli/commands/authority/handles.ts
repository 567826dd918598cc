/**
 * `agentd handles`: the handles you go by on this machine, and the instruments you have declared.
 *
 * @see memo §§1, 2; ACQ-11
 */
import { Command } from 'commander'
import { Handles, TIERS, type DeclaredHandle, type Tier } from '../../../authority/handles.ts'
import { UsageError } from '../../../core/errors.ts'
import { isHandle, looksLikeInstrument } from '../../../protocol/address/handle.ts'
import { AuthorityFolder } from '../../authority/authority-folder.ts'
import { askPerson } from '../../authority/person.ts'
import { asUsage } from '../../run/as-usage.ts'
import { runs, type CommandContext } from '../../run/command-context.ts'
import { EXIT, type ExitCode } from '../../run/exit.ts'
import { choiceOption, readTextOption } from '../../run/options.ts'
import { formatTable } from '../../terminal/table.ts'
import { GROUPS } from '../../help/groups.ts'

/** The command. */
export function handlesCommand(): Command {
  return new Command('handles')
    .helpGroup(GROUPS.people)
    .summary('The handles you go by here, and your instruments')
    .description('The handles you go by here, and the instruments you have declared')
    .addHelpText('after', '\nExample: agentd handles add ~alice-work')
    .addCommand(
      new Command('add')
        .description('Go by a further handle, or declare an instrument; asks at a terminal')
        .argument('<handle>', 'such as ~alice-work')
        .addOption(choiceOption('--tier <tier>', 'whose handle it is (default: sovereign, yours)', TIERS))
        .option(
          '--of <handle>',
          'for an instrument: which of your handles it acts for (default: the principal)',
        )
        .addHelpText('after', '\nExample: agentd handles add ~cc-opus --tier instrument --of ~alice-work')
        .action(runs(add)),
    )
    .addCommand(
      new Command('list')
        .description('All of them, the principal first')
        .addHelpText('after', '\nExample: agentd handles list --json')
        .action(runs(list)),
    )
    .addCommand(
      new Command('remove')
        .description('Go by a handle no more; its sessions end. Asks at a terminal')
        .argument('<handle>', 'such as ~alice-work')
        .option('--dry-run', 'say what would be asked, and change nothing')
        .addHelpText('after', '\nExample: agentd handles remove ~alice-work')
        .action(runs(remove)),
    )
}

async function add(context: CommandContext): Promise<ExitCode> {
  const { output, options } = context
  const handle = requireHandle(context.args[0])
  const tier: Tier = readTextOption(options, 'tier') === 'instrument' ? 'instrument' : 'sovereign'
  const of = readTextOption(options, 'of')
  const folder = new AuthorityFolder(context.environment)
  const { principal, declared } = folder.handles()
  const one: DeclaredHandle = { handle, tier, ...(of !== undefined && { of }) }
  if (of !== undefined && tier === 'sovereign') throw new UsageError('--of goes with --tier instrument.')
  const next = asUsage(() => new Handles(principal, [...declared, one]))
  if (tier === 'sovereign' && looksLikeInstrument(handle))
    output.note(`${handle} begins as the handles of instruments mostly do; it counts as yours.`)
  const question = tier === 'sovereign' ? `Go by ${handle} as well?` : `Declare ${handle} an instrument?`
  if (!askPerson(context, question)) return EXIT.done
  await folder.putHandles(next)
  output.say(
    tier === 'sovereign' ? `you go by ${handle} as well` : `${handle} is an instrument of ${of ?? principal}`,
  )
  return EXIT.done
}

function list({ environment, output }: CommandContext): ExitCode {
  const handles = new AuthorityFolder(environment).handles()
  const { principal, declared } = handles
  const all: readonly DeclaredHandle[] = [{ handle: principal, tier: 'sovereign' }, ...declared]
  output.data({ principal, handles: all })
  const rows = all.map(({ handle, tier }) => [
    handle,
    tier,
    tier === 'instrument' ? handles.actorOf(handle) : '',
  ])
  const heads = [{ title: 'HANDLE', paint: output.paint.cyan }, { title: 'TIER' }, { title: 'ACTS FOR' }]
  output.answer(formatTable(heads, rows, output))
  return EXIT.done
}

async function remove(context: CommandContext): Promise<ExitCode> {
  const handle = requireHandle(context.args[0])
  const folder = new AuthorityFolder(context.environment)
  const { principal, declared } = folder.handles()
  const left = declared.filter((one) => one.handle !== handle)
  if (left.length === declared.length)
    throw new UsageError(`${handle} is not declared; see "agentd handles list".`)
  const next = asUsage(() => new Handles(principal, left))
  if (!askPerson(context, `Go by ${handle} no more, and end its sessions?`)) return EXIT.done
  await folder.putHandles(next)
  context.output.say(`${handle} is declared no more`)
  return EXIT.done
}

function requireHandle(text = ''): string {
  if (isHandle(text)) return text
  throw new UsageError(`"${text}" is no handle: write ~ and 1 to 32 of a-z, 0-9 and inner hyphens.`)
}
