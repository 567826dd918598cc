/**
 * `agentd hook`: what the hooks of an agent runtime run.
 *
 * As a rule the launcher takes the short way (`hook-fast.ts`) and this file is only read for its help.
 */
import { Command } from 'commander'
import { DAEMON_ENTRY } from '../../../host/package.ts'
import { runs, type CommandContext } from '../../run/command-context.ts'
import { runHook } from '../../fast/hook-fast.ts'
import { GROUPS } from '../../help/groups.ts'

const NOTES = `
Reads one event as JSON on stdin and answers it in the words of that runtime. It ends within a second and
always with 0, whatever happens; with --wait it waits until something urgent comes for the idle session, and
then ends with 2 and the messages on stderr, which wakes Claude Code.

Example: agentd setup claude-code`

/** The command. @param runtimes - ids, for its help */
export function hookCommand(runtimes: readonly string[]): Command {
  return new Command('hook')
    .helpGroup(GROUPS.agents)
    .summary('What the hooks of a runtime run')
    .description('What the hooks of a runtime run; "agentd setup" puts them there')
    .argument('<runtime>', `${runtimes.join(', ')}; a hint, not more`)
    .option('--wait', 'wait for something urgent and wake the session with it (asyncRewake of Claude Code)')
    .addHelpText('after', NOTES)
    .action(runs(hook))
}

function hook({ args, options, socket }: CommandContext): Promise<never> {
  const [runtime = ''] = args
  const argv = options['wait'] === true ? [runtime, '--wait'] : [runtime]
  return runHook({ argv, socket, daemon: DAEMON_ENTRY })
}
