/**
 * The composition root: the one place where a daemon is put together from explicit parts.
 */
import { randomUUID } from 'node:crypto'
import type { Server } from 'node:http'
import { dirname } from 'node:path'
import { Broker } from '../broker/broker.ts'
import type { BrokerLimits } from '../broker/limits.ts'
import type { Clock } from '../core/clock.ts'
import { activatedListenerFd, consumeActivation } from '../host/activation.ts'
import type { Config } from '../host/config.ts'
import { claimLockFile, type InstanceLock } from '../host/instance-lock.ts'
import { listenActivated, listenPrivately, watchOwnSocket, type Listening } from '../host/listener.ts'
import { ensurePrivateDirectory } from '../host/paths.ts'
import { processStartTime } from '../host/processes.ts'
import { HostRefusal } from '../host/refusal.ts'
import { createAgentdServer } from '../server/server.ts'
import { claimLockDatabase } from '../store/lock-database.ts'
import { openMemory, type Memory } from './memory.ts'
import type { DaemonParts } from './parts.ts'

/** How long readers get to take their last bytes, in milliseconds. */
const DRAIN_MS = 2_000

/** A running daemon. */
export class Daemon {
  readonly broker: Broker
  readonly #server: Server
  readonly #listening: Listening
  readonly #lock: InstanceLock
  readonly #stopWatching: () => void
  readonly #closing: AbortController
  readonly #clock: Clock
  #stopped: Promise<void> | undefined

  private constructor(held: {
    broker: Broker
    server: Server
    listening: Listening
    lock: InstanceLock
    closing: AbortController
    parts: DaemonParts
  }) {
    this.broker = held.broker
    this.#server = held.server
    this.#listening = held.listening
    this.#lock = held.lock
    this.#closing = held.closing
    this.#clock = held.parts.clock
    const { onLost } = held.parts
    this.#stopWatching = watchOwnSocket(held.listening, () => onLost('The socket was removed or replaced.'))
  }

  /**
   * Claims the place, binds it, and serves.
   *
   * @throws HostRefusal when the place is not safe, or another daemon is there already
   */
  static async start(parts: DaemonParts): Promise<Daemon> {
    const { config, environment } = parts
    const passedFd = activatedListenerFd(environment)
    ensurePrivateDirectory(dirname(config.socketPath), environment)
    const { lock, details } = await claimInstance(parts)
    try {
      const memory = await openMemory(parts)
      const broker = createBroker(parts, memory)
      const closing = new AbortController()
      const state = { details: [...details, ...memory.details], closing: closing.signal }
      const server = createServer(parts, broker, state)
      const listening =
        passedFd === undefined
          ? await listenPrivately(server, config.socketPath)
          : await listenActivated(server, passedFd, config.socketPath)
      consumeActivation(environment)
      return new Daemon({ broker, server, listening, lock, closing, parts })
    } catch (error) {
      await lock.release()
      throw error
    }
  }

  get socketPath(): string {
    return this.#listening.path
  }

  /** Says goodbye to every reader and gives everything back. Repeated, it gives the same promise. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stopOnce()
    return this.#stopped
  }

  async #stopOnce(): Promise<void> {
    this.#stopWatching()
    this.#closing.abort()
    const closed = this.#listening.close()
    this.broker.close()
    this.#server.closeIdleConnections()
    const cut = this.#clock.after(DRAIN_MS, () => this.#server.closeAllConnections())
    await closed
    cut.cancel()
    await this.#lock.release()
  }
}

/** The right to be the one daemon at this socket: by the kernel where possible, by a lock file otherwise. */
async function claimInstance({
  config,
  onLost,
}: DaemonParts): Promise<{ lock: InstanceLock; details: string[] }> {
  const database = await claimLockDatabase(`${config.socketPath}.lock.db`)
  if (database.kind === 'claimed') return { lock: database.lock, details: [] }
  if (database.kind === 'taken') throw alreadyRunning(config)
  const file = await claimLockFile(`${config.socketPath}.lock`, {
    onLost: (reason) => onLost(reason.message),
  })
  if (file.kind === 'taken') throw alreadyRunning(config)
  return { lock: file.lock, details: [`better-sqlite3 is not available: ${database.reason}`] }
}

function alreadyRunning({ socketPath }: Config): HostRefusal {
  return new HostRefusal(`A daemon is already serving ${socketPath}, or is about to.`)
}

function createBroker({ config, clock }: DaemonParts, memory: Memory): Broker {
  return new Broker({
    principal: config.principal,
    limits: brokerLimits(config),
    ring: memory.ring,
    ledger: memory.ledger,
    inheritance: memory.inheritance,
    clock,
    processes: { startTime: (pid) => processStartTime(pid) },
    defer: setImmediate,
  })
}

function brokerLimits({ limits, leaseMs, keepAliveMs, profile }: Config): BrokerLimits {
  const isDefault = profile === 'default'
  return { ...limits, leaseMs, keepAliveMs, strictTime: isDefault, limitRates: isDefault }
}

function createServer(
  { config, clock, log, version }: DaemonParts,
  broker: Broker,
  state: { details: readonly string[]; closing: AbortSignal },
): Server {
  const facts = { version, instanceId: randomUUID(), startedAtMs: clock.nowMs(), details: state.details }
  const requireToken = config.auth === 'session'
  return createAgentdServer({
    broker,
    clock,
    log,
    facts,
    requireToken,
    closing: state.closing,
    defer: setImmediate,
  })
}
