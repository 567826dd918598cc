/**
 * `agentd stop`: asks the daemon to end and waits until it is gone.
 */
import { Command } from 'commander'
import { runs, type CommandContext } from '../../run/command-context.ts'
import { EXIT, type ExitCode } from '../../run/exit.ts'
import { readFlag } from '../../run/options.ts'
import { reportTrouble } from '../../run/report.ts'
import { stopByForce, stopDaemon } from '../../run/stop-daemon.ts'
import { GROUPS } from '../../help/groups.ts'

/** The command. */
export function stopCommand(): Command {
  return new Command('stop')
    .helpGroup(GROUPS.daemon)
    .description('Stop the daemon, if it is running')
    .option('--force', 'kill it when it does not answer')
    .addHelpText('after', '\nExample: agentd stop')
    .action(runs(stop))
}

async function stop(context: CommandContext): Promise<ExitCode> {
  const { output, options } = context
  const stopped = await (readFlag(options, 'force') ? stopByForce(context) : stopDaemon(context))
  if (stopped.kind === 'absent') {
    output.data({ stopped: false })
    output.say('agentd is not running')
    return EXIT.done
  }
  const { kind, pid } = stopped
  if (kind === 'late') {
    reportTrouble({ code: 'deadline', message: stopped.message }, output.json)
    return EXIT.deadline
  }
  output.data({ stopped: true, pid, ...(kind === 'killed' && { killed: true }) })
  output.say(
    kind === 'killed' ? `agentd did not answer and was killed, pid ${pid}` : `agentd stopped, pid ${pid}`,
  )
  return EXIT.done
}
