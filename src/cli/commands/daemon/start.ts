/**
 * `agentd start`: the daemon in the background.
 */
import { Command } from 'commander'
import { safeLine } from '../../../core/text/safe-text.ts'
import { daemonLogPath } from '../../../host/config/paths.ts'
import { runs, type CommandContext } from '../../run/command-context.ts'
import { EXIT, type ExitCode } from '../../run/exit.ts'
import { startAndConnect } from '../../run/reach.ts'
import { findDaemon } from '../../run/stop-daemon.ts'
import { GROUPS } from '../../help/groups.ts'

/** The command. */
export function startCommand(): Command {
  return new Command('start')
    .helpGroup(GROUPS.daemon)
    .description('Start the daemon in the background')
    .addHelpText('after', '\nExample: agentd start')
    .action(runs(start))
}

async function start(context: CommandContext): Promise<ExitCode> {
  const running = await findDaemon(context)
  const client = running ?? (await startAndConnect(context))
  try {
    const { pid } = await client.health()
    const { output, environment } = context
    output.data({
      started: running === undefined,
      pid,
      socket: client.socketPath,
      log: daemonLogPath(environment),
    })
    output.say(`agentd ${running === undefined ? 'started' : 'is running already'}, pid ${pid}`)
    output.say(`  socket  ${safeLine(client.socketPath)}`)
    if (running === undefined) output.say(`  log     ${safeLine(daemonLogPath(environment))}`)
    return EXIT.done
  } finally {
    await client.close()
  }
}
