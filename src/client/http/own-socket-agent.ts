/**
 * Connections that are made only to a socket of this user's: looked at before each connection, not before each request
 * (HD-20).
 *
 * An agent is changed, and no class made of it: who imports the client has not asked for `node:http` yet.
 */
import { Agent, type AgentOptions } from 'node:http'
import { Duplex } from 'node:stream'
import { HostRefusal } from '../../host/files/refusal.ts'
import { requireOwnSocket } from '../../host/socket/own-socket.ts'

/** What the request of a refused connection fails with is the HostRefusal. */
export function ownSocketAgent(options?: AgentOptions): Agent {
  const agent = new Agent(options)
  const create = agent.createConnection.bind(agent)
  agent.createConnection = (asked, callback) => {
    try {
      requireOwnSocket(asked.socketPath ?? '')
    } catch (error) {
      if (!(error instanceof HostRefusal) || callback === undefined) throw error
      // As an event of the request, so that whoever follows one need not be ready for two ways to fail.
      callback(error, new Duplex())
      return undefined
    }
    return create(asked, callback)
  }
  return agent
}

/** Connections that somebody else opens, inside the daemon's own process: there is no socket to look at. */
export function dialledAgent(dial: () => Duplex, options?: AgentOptions): Agent {
  const agent = new Agent(options)
  agent.createConnection = () => dial()
  return agent
}
