/**
 * The door of the library: the daemon of this user, with the machine's own clock.
 */
import { systemClock } from '../core/clock.ts'
import { readEnvironment, readPersonKey } from '../host/config/paths.ts'
import { connectWith, type AgentdClient, type SocketOptions } from './client.ts'
import type { ClientParts } from './http/connection.ts'

/** Which daemon, and how it is found. */
export type ConnectOptions = SocketOptions

/** The machine's own clock and dice. */
const SYSTEM_PARTS: ClientParts = {
  clock: systemClock,
  random: Math.random,
  readPersonKey: () => readPersonKey(readEnvironment()),
}

/**
 * Finds the daemon. It is not started here.
 *
 * @throws AgentdUnreachable when nobody answers, HostRefusal when the socket is not this user's alone (HD-20), UsageError
 *   when its path is too long, or the signal's reason
 */
export function connect(options: ConnectOptions = {}): Promise<AgentdClient> {
  return connectWith(SYSTEM_PARTS, options)
}
