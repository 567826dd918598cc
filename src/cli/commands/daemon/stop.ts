/**
 * `agentd stop`: ends the daemon and waits until it is gone.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { Command } from 'commander'
import { systemErrorCode } from '../../../core/thrown.ts'
import { callAndHold } from '../../../client/http/one-call.ts'
import { AgentdUnreachable, connect } from '../../../client/index.ts'
import { processStartTime } from '../../../host/process/processes.ts'
import { runs, type CommandContext } from '../../run/command-context.ts'
import { EXIT, type ExitCode } from '../../run/exit.ts'
import { reportTrouble } from '../../run/report.ts'

/** The daemon gives its readers two seconds; a loaded machine gets some more. */
const GONE_MS = 10_000

/** Between its last connection and its end there are only milliseconds, and no event to wait for. */
const LOOK_EVERY_MS = 10

/** The command. */
export function stopCommand(): Command {
  return new Command('stop')
    .description('Stop the daemon, if it is running')
    .addHelpText('after', '\nExample: agentd stop')
    .action(runs(stop))
}

async function stop(context: CommandContext): Promise<ExitCode> {
  const { output } = context
  const found = await findDaemon(context)
  if (found === undefined) {
    output.data({ stopped: false })
    output.say('agentd is not running')
    return EXIT.done
  }
  const { pid, socketPath } = found
  const startTime = processStartTime(pid)
  // It rests between two requests, and the daemon closes it when it stops listening.
  const held = await callAndHold({ socketPath, method: 'GET', path: '/v1/health', token: undefined })
  terminate(pid)
  const isGone = await within(GONE_MS, async (isOver) => {
    await held.closed
    while (isAlive(pid, startTime) && !isOver()) await pause(LOOK_EVERY_MS)
  })
  held.release()
  if (!isGone) {
    const message = `The daemon (pid ${pid}) has not ended within ${GONE_MS / 1_000} seconds.`
    reportTrouble({ code: 'deadline', message }, output.json)
    return EXIT.deadline
  }
  output.data({ stopped: true, pid })
  output.say(`agentd stopped, pid ${pid}`)
  return EXIT.done
}

async function findDaemon({
  socket,
}: CommandContext): Promise<{ pid: number; socketPath: string } | undefined> {
  try {
    const client = await connect({ socket })
    const { pid } = await client.health()
    await client.close()
    return { pid, socketPath: client.socketPath }
  } catch (error) {
    if (error instanceof AgentdUnreachable) return undefined
    throw error
  }
}

/** Whether the process is still the one that started then. */
function isAlive(pid: number, startTime: string | undefined): boolean {
  return startTime !== undefined && processStartTime(pid) === startTime
}

/** That it is gone already is what was wanted. */
function terminate(pid: number): void {
  try {
    process.kill(pid, 'SIGTERM')
  } catch (error) {
    if (systemErrorCode(error) !== 'ESRCH') throw error
  }
}

/** @returns whether the work was done within the bound */
async function within(boundMs: number, work: (isOver: () => boolean) => Promise<void>): Promise<boolean> {
  let isOver = false
  const bound = new AbortController()
  const late = pause(boundMs, false, { signal: bound.signal }).catch(() => false)
  try {
    return await Promise.race([work(() => isOver).then(() => true), late])
  } finally {
    isOver = true
    bound.abort()
  }
}
