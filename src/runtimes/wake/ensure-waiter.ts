/**
 * Making sure that somebody waits to wake an idle session, where it can be woken.
 *
 * The process is ours and detached; it ends with the session, with the runtime's process, or with the daemon.
 */
import { spawn } from 'node:child_process'
import { processStartTime } from '../../host/process/processes.ts'
import { isAttended } from '../session/attended.ts'
import { daemonVariables } from '../../host/process/child-variables.ts'
import type { HookState } from '../memory/hook-state.ts'
import type { HookContext } from '../session/context.ts'
import { wakeDriver } from '../events/wake-channels.ts'

/** Tells the process that it is one, and for which file. */
export const DELIVER_OPTION = '--deliver'

/** Whether there is a way to wake the session, and the person wants it used. */
export function mayBeWoken({ event, settings }: HookContext, { wakeChannels }: HookState): boolean {
  return wakeDriver(event.runtime, wakeChannels) !== undefined && settings.wakesIdle
}

/** Harmless where nothing can be woken, and where somebody waits already. */
export function ensureWaiter(context: HookContext): void {
  const state = context.store.read(context.fileName)
  const { runtime } = context.event
  if (state?.token === undefined || !mayBeWoken(context, state)) return
  const { waiter } = state
  // The runtime arms its own again after each turn, where that does not hold it up.
  if (waiter?.kind === 'rewake' && isAttended(runtime, context.environment)) return
  if (waiter !== undefined && processStartTime(waiter.pid) !== undefined) return
  const args = [context.programs.self, 'hook', runtime.id, DELIVER_OPTION, context.fileName]
  const child = spawn(process.execPath, args, {
    cwd: '/',
    detached: true,
    env: { ...daemonVariables(context.environment), AGENTD_SOCKET: context.socketPath },
    stdio: 'ignore',
  })
  child.on('error', () => {})
  child.unref()
}
