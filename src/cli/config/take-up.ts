/**
 * A daemon that runs while its configuration is changed: whether it has to be told, or started again, and that offered.
 */
import type { TakesEffect } from '../../host/config/config-schema.ts'
import { findOwner } from '../../host/process/instance-owner.ts'
import { systemErrorCode } from '../../core/thrown.ts'
import type { CommandContext } from '../run/command-context.ts'
import { readFlag } from '../run/options.ts'
import { reachDaemon } from '../run/reach.ts'
import { stopDaemon } from '../run/stop-daemon.ts'
import { canAsk, confirm } from '../setup/confirm.ts'

/** What became of it at the daemon. */
export type TakenUp = 'absent' | 'told' | 'restarted' | 'waiting' | 'none-needed'

/** The process that listens at a socket; undefined where none does. */
export function runningDaemon(socketPath: string): number | undefined {
  return findOwner(socketPath)?.pid
}

/**
 * Has the daemon take a change up: at once with `--apply`, when the person says so on a terminal, or not, with the commands
 * that do it.
 *
 * @param pid - as {@link runningDaemon} found it before the change, which may have been its socket's
 * @param socket - where it listened then
 */
export async function takeUp(
  context: CommandContext,
  effect: TakesEffect,
  { pid, socket }: { readonly pid: number | undefined; readonly socket: string },
): Promise<TakenUp> {
  const { output } = context
  if (effect === 'at-once') output.note('It holds from now on.')
  if (effect === 'page')
    output.note('It holds when the page is started again: agentd ui --stop, then agentd ui.')
  if (effect === 'at-once' || effect === 'page') return 'none-needed'
  if (pid === undefined) {
    output.note('agentd is not running; it goes by that when it starts.')
    return 'absent'
  }
  const isRestart = effect === 'restart'
  const question = isRestart
    ? `agentd, pid ${pid}, has to be started again for that. Restart it now?`
    : `agentd, pid ${pid}, has not read it yet. Have it read it now?`
  const isWished = readFlag(context.options, 'apply') || (canAsk(context) && confirm(context, question))
  if (!isWished) {
    output.note(
      isRestart
        ? `agentd, pid ${pid}, goes by that when it is started again: agentd stop, then agentd start.`
        : `agentd, pid ${pid}, goes by that when it reads it: kill -HUP ${pid}`,
    )
    return 'waiting'
  }
  return isRestart ? restart(context, socket) : tell(context, pid)
}

function tell({ output }: CommandContext, pid: number): TakenUp {
  try {
    process.kill(pid, 'SIGHUP')
  } catch (error) {
    // It went just now, and reads everything when it comes again.
    if (systemErrorCode(error) !== 'ESRCH') throw error
    return 'absent'
  }
  output.note(`agentd, pid ${pid}, reads it now.`)
  return 'told'
}

async function restart(context: CommandContext, socket: string): Promise<TakenUp> {
  await stopDaemon({ ...context, socket })
  const client = await reachDaemon({ ...context, mayStart: true })
  const { pid } = await client.health()
  await client.close()
  context.output.note(`agentd was started again, pid ${pid}.`)
  return 'restarted'
}
