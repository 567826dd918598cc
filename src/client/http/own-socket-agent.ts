/**
 * Connections that are made only to a socket of this user's: looked at before each connection, not before each request
 * (HD-20).
 */
import { Agent, type AgentOptions, type ClientRequestArgs } from 'node:http'
import { Duplex } from 'node:stream'
import { HostRefusal } from '../../host/files/refusal.ts'
import { requireOwnSocket } from '../../host/socket/own-socket.ts'

/** What the request of a refused connection fails with is the HostRefusal. */
export class OwnSocketAgent extends Agent {
  override createConnection(
    options: ClientRequestArgs,
    callback?: (error: Error | null, stream: Duplex) => void,
  ): Duplex | null | undefined {
    try {
      requireOwnSocket(options.socketPath ?? '')
    } catch (error) {
      if (!(error instanceof HostRefusal) || callback === undefined) throw error
      // As an event of the request, so that whoever follows one need not be ready for two ways to fail.
      callback(error, new Duplex())
      return undefined
    }
    return super.createConnection(options, callback)
  }
}

/** Connections that somebody else opens, inside the daemon's own process: there is no socket to look at. */
export class DialledAgent extends Agent {
  readonly #dial: () => Duplex

  constructor(dial: () => Duplex, options?: AgentOptions) {
    super(options)
    this.#dial = dial
  }

  override createConnection(): Duplex {
    return this.#dial()
  }
}
