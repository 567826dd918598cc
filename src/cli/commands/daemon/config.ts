/**
 * `agentd config`: the settings that hold, where each comes from, and changing the file without breaking it.
 *
 * @see docs/configuration.md
 */
import { Command } from 'commander'
import type { CommandWork } from '../../run/command-context.ts'
import { runs } from '../../run/command-context.ts'
import { GROUPS } from '../../help/groups.ts'

const APPLY = 'have the running daemon take it up at once, by a restart where it needs one'

/** The command. */
export function configCommand(): Command {
  return new Command('config')
    .helpGroup(GROUPS.daemon)
    .summary('The settings that hold; change them')
    .description('The settings that hold and where each comes from; change them')
    .addHelpText('after', '\nExample: agentd config list')
    .addCommand(
      new Command('list')
        .description('Every setting with its value, its default, and who says so')
        .option('--changed', 'only those that are not as they are by default')
        .option('--no-pager', 'print it all at once, however long it is')
        .addHelpText('after', '\nExample: agentd config list --changed')
        .action(runs(configWork('listSettings'))),
    )
    .addCommand(
      new Command('get')
        .description('What holds for one setting; ends with 3 where nothing does')
        .argument('<key>', 'such as ring.max_frames, a section such as ring, or links.home.allow')
        .addHelpText('after', '\nExample: agentd config get ring.max_frames')
        .action(runs(configWork('getSetting'))),
    )
    .addCommand(
      new Command('set')
        .description('Write one setting into the file; everything else in it stays as it is')
        .argument('<key>', 'such as ring.max_frames')
        .argument('<value...>', 'several, or one with commas, for a setting that is a list')
        .option('--apply', APPLY)
        .addHelpText('after', '\nExample: agentd config set hooks.conflict deny')
        .action(runs(configWork('setSetting'))),
    )
    .addCommand(
      new Command('unset')
        .description('Take one setting out of the file, so that its default holds')
        .argument('<key>', 'such as ring.max_frames, or one that should not be there')
        .option('--apply', APPLY)
        .addHelpText('after', '\nExample: agentd config unset hooks.conflict')
        .action(runs(configWork('unsetSetting'))),
    )
    .addCommand(
      new Command('path')
        .description('Where the file is, whether there is one or not')
        .addHelpText('after', '\nExample: agentd config path')
        .action(runs(configWork('tellPath'))),
    )
}

/** The parser of the file is loaded by who changes it. */
function configWork(
  name: 'listSettings' | 'getSetting' | 'setSetting' | 'unsetSetting' | 'tellPath',
): CommandWork {
  return async (context) => (await import('../../config/config-work.ts'))[name](context)
}
