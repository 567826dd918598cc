/**
 * The door of the library: the daemon of this user, with the machine's own clock.
 */
import { join } from 'node:path'
import { systemClock } from '../core/clock.ts'
import { readEnvironment, readPersonKey } from '../host/config/paths.ts'
import { findInstalledCommand, runStartCommand } from '../host/process/installed-command.ts'
import { tellableStartTime } from '../host/process/processes.ts'
import { connectWith, type AgentdClient, type SocketOptions } from './client.ts'
import type { ClientParts } from './http/connection.ts'
import { AgentdUnreachable } from './http/errors.ts'

/** Which daemon, and how it is found. */
export interface ConnectOptions extends SocketOptions {
  /**
   * Start the daemon in the background where none listens, as the command `agentd` does: by the one on the path, or that of
   * the package agentd-bus beside this program. Default false.
   */
  readonly start?: boolean | undefined
}

/** The machine's own clock and dice. A session lives as long as the process that registers it. */
const SYSTEM_PARTS: ClientParts = {
  clock: systemClock,
  random: Math.random,
  pid: process.pid,
  startTimeOf: (pid) => tellableStartTime(pid),
  readPersonKey: () => readPersonKey(readEnvironment()),
}

/**
 * Finds the daemon, and starts it where it is told to.
 *
 * @throws AgentdUnreachable when nobody answers, or it could not be started; HostRefusal when the socket is not this
 *   user's alone; UsageError when its path is too long; or the signal's reason
 */
export async function connect(options: ConnectOptions = {}): Promise<AgentdClient> {
  try {
    return await connectWith(SYSTEM_PARTS, options)
  } catch (error) {
    // One that is there and silent has the place: another cannot start.
    const isAbsent = error instanceof AgentdUnreachable && !error.isSilent
    if (options.start !== true || !isAbsent) throw error
    await startDaemon(error.socketPath, options)
    return connectWith(SYSTEM_PARTS, options)
  }
}

/** By the command that is installed: no part of the daemon is in the library. */
async function startDaemon(socketPath: string, { socket, signal }: ConnectOptions): Promise<void> {
  const environment = readEnvironment()
  const command = findInstalledCommand(environment, [import.meta.url, join(process.cwd(), 'program.js')])
  if (command === undefined) {
    const how = 'there is no command "agentd" on the path, nor in a package agentd-bus beside this program'
    throw new AgentdUnreachable(socketPath, how)
  }
  const variables = { ...environment.env, ...(socket !== undefined && { AGENTD_SOCKET: socketPath }) }
  const { isDone, said } = await runStartCommand(command, variables, signal)
  signal?.throwIfAborted()
  if (!isDone)
    throw new AgentdUnreachable(
      socketPath,
      `${command.join(' ')} start ended with "${said.replace(/\.$/, '')}"`,
    )
}
