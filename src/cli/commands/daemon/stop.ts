/**
 * `agentd stop`: ends the daemon and waits until it is gone.
 */
import { connect as connectSocket, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { Command } from 'commander'
import { systemErrorCode } from '../../../core/thrown.ts'
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
  const held = await hold(socketPath)
  terminate(pid)
  const isGone = await within(GONE_MS, async (isOver) => {
    await held.closed
    while (isAlive(pid, startTime) && !isOver()) await pause(LOOK_EVERY_MS)
  })
  held.socket.destroy()
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

/** A connection that rests between two requests: the daemon closes it when it stops listening. */
async function hold(socketPath: string): Promise<{ socket: Socket; closed: Promise<void> }> {
  const socket = connectSocket(socketPath)
  const closed = new Promise<void>((resolve) => {
    socket.on('error', () => {})
    socket.once('close', () => resolve())
  })
  const answered = new Promise<void>((resolve) => {
    socket.once('data', () => resolve())
  })
  socket.write('GET /v1/health HTTP/1.1\r\nhost: agentd\r\n\r\n')
  await Promise.race([answered, closed])
  return { socket, closed }
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
