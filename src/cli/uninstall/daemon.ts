/**
 * The daemon that runs, stopped. It is never started for that.
 */
import type { CommandContext } from '../run/command-context.ts'
import { EXIT } from '../run/exit.ts'
import { findDaemon, stopDaemon } from '../run/stop-daemon.ts'
import type { Part } from './part.ts'

/** @throws HostRefusal for a socket that is not ours to speak to */
export async function findRunning(context: CommandContext): Promise<Part> {
  const client = await findDaemon(context)
  const pid = client === undefined ? undefined : (await client.health()).pid
  await client?.close()
  return {
    rows: pid === undefined ? [] : [{ place: 'the daemon', what: `stopped, pid ${pid}` }],
    // Asked again: a hook may have started one meanwhile, and the service may have ended it.
    async take() {
      const stopped = await stopDaemon(context)
      if (stopped.kind === 'absent')
        return { lines: [], notes: [], failures: [], data: { daemon: { stopped: false } } }
      const { kind, pid: stoppedPid } = stopped
      const message = kind === 'late' ? stopped.message : ''
      return {
        lines: kind === 'gone' ? [`agentd stopped, pid ${stoppedPid}`] : [],
        notes: [],
        failures: kind === 'late' ? [{ exit: EXIT.deadline, trouble: { code: 'deadline', message } }] : [],
        data: { daemon: { stopped: kind === 'gone', pid: stoppedPid } },
      }
    },
  }
}
