/** Ending what a test has left running: a whole `agentd stop` for each of some hundred tests takes as long as many of them do. */
import { setTimeout as pause } from 'node:timers/promises'
import { systemErrorCode } from '../../src/core/thrown.ts'
import { findOwner } from '../../src/host/process/instance-owner.ts'
import { processStartTime } from '../../src/host/process/processes.ts'

/** The end of a daemon in good order; one that was stopped with a signal of its own never gets there. */
const GONE_MS = 10_000

const LOOK_EVERY_MS = 5

/** Ends the daemon at a socket, if one runs there in a process of its own. */
export async function endDaemon(socketPath: string): Promise<void> {
  const owner = findOwner(socketPath)
  if (owner === undefined || owner.pid === process.pid) return
  const isAlive = (): boolean => processStartTime(owner.pid) === owner.startTime
  signal(owner.pid, 'SIGTERM')
  for (const end = Date.now() + GONE_MS; isAlive() && Date.now() < end;) await pause(LOOK_EVERY_MS)
  if (isAlive()) signal(owner.pid, 'SIGKILL')
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    // Gone by itself.
    if (systemErrorCode(error) !== 'ESRCH') throw error
  }
}
