/**
 * `agentd stop`: asks the daemon to end and waits until it is gone.
 */
import { Command } from 'commander'
import { runs, type CommandContext } from '../../run/command-context.ts'
import { EXIT, type ExitCode } from '../../run/exit.ts'
import { reportTrouble } from '../../run/report.ts'
import { stopDaemon } from '../../run/stop-daemon.ts'

/** The command. */
export function stopCommand(): Command {
  return new Command('stop')
    .description('Stop the daemon, if it is running')
    .addHelpText('after', '\nExample: agentd stop')
    .action(runs(stop))
}

async function stop(context: CommandContext): Promise<ExitCode> {
  const { output } = context
  const stopped = await stopDaemon(context)
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
  output.data({ stopped: true, pid })
  output.say(`agentd stopped, pid ${pid}`)
  return EXIT.done
}
