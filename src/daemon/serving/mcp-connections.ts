/**
 * The tools of agent runtimes, served in the daemon: one server per connection, as many as may be, loaded when the first
 * one comes.
 *
 * @see docs/http.md §10 "MCP"; OP-08
 */
import { AgentdError } from '../../core/errors.ts'
import type { McpPlace, McpService } from '../../server/request/context.ts'
import type { McpConnectionsParts } from './mcp-parts.ts'

/** Connections served at once, where descriptors allow: one for each runtime session of a busy machine, and more. */
export const MAX_MCP_CONNECTIONS = 256

/** Of the connections that are admitted, what these may take at the most: one in so many. */
const CONNECTION_SHARE = 2

/** When it is worth while to come again, in milliseconds. */
const RETRY_MS = 1_000

export class McpConnections implements McpService {
  readonly #parts: McpConnectionsParts
  readonly #most: number
  /** Set by the first connection. */
  #server: Promise<McpPlace['serve']> | undefined
  #held = 0

  constructor(parts: McpConnectionsParts) {
    this.#parts = parts
    this.#most = Math.min(MAX_MCP_CONNECTIONS, Math.floor(parts.admitted / CONNECTION_SHARE))
  }

  /** @throws AgentdError `busy` when as many are served as may be, or what loading throws */
  async reserve(): Promise<McpPlace> {
    if (this.#held >= this.#most) {
      throw new AgentdError('busy', `The daemon serves ${this.#most} connections of MCP at the most.`, {
        retryAfterMs: RETRY_MS,
      })
    }
    this.#held += 1
    let isHeld = true
    const release = (): void => {
      if (isHeld) this.#held -= 1
      isHeld = false
    }
    try {
      this.#server ??= this.#load()
      return { serve: await this.#server, release }
    } catch (error) {
      this.#server = undefined
      release()
      throw error
    }
  }

  /** Nobody pays for what nobody uses: the libraries of MCP come with the first connection. */
  async #load(): Promise<McpPlace['serve']> {
    const { createTools } = await import('./tools.ts')
    return createTools(this.#parts)
  }
}
