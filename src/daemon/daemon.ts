/**
 * The composition root: the one place where a daemon is put together from explicit parts.
 */
import { randomUUID } from 'node:crypto'
import type { Server } from 'node:http'
import { dirname } from 'node:path'
import { Broker } from '../broker/broker.ts'
import { activatedListenerFd, consumeActivation } from '../host/socket/activation.ts'
import type { Config } from '../host/config/config.ts'
import { descriptorLimit, shareDescriptors } from '../host/socket/descriptors.ts'
import { listenActivated, listenPrivately, watchOwnSocket, type Listening } from '../host/socket/listener.ts'
import { ensurePrivateDirectory } from '../host/config/paths.ts'
import { loadPeerCredentials } from '../host/socket/peer-credentials.ts'
import { processStartTime } from '../host/process/processes.ts'
import { Admission } from '../server/request/admission.ts'
import { createAgentdServer } from '../server/server.ts'
import { EnvelopeRecords } from './envelope-records.ts'
import { openEvidence } from './evidence.ts'
import { claimInstance, type Instance } from './instance.ts'
import { LocalPolicy } from './local-policy.ts'
import { openPersistence, type Persistence } from './persistence.ts'
import type { DaemonParts } from './parts.ts'
import { Settings } from './settings.ts'

/** How long readers get to take their last bytes, in milliseconds. */
const DRAIN_MS = 2_000

/** What a running daemon holds. */
interface Held {
  readonly parts: DaemonParts
  readonly settings: Settings
  readonly broker: Broker
  readonly server: Server
  readonly listening: Listening
  readonly instance: Instance
  readonly policy: LocalPolicy
  readonly records: EnvelopeRecords
  readonly closing: AbortController
}

/** A running daemon. */
export class Daemon {
  readonly #held: Held
  readonly #stopWatching: () => void
  #stopped: Promise<void> | undefined

  private constructor(held: Held) {
    this.#held = held
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
    ensurePrivateDirectory(dirname(config.socketPath), environment)
    const instance = await claimInstance(config, parts.onLost)
    try {
      const settings = new Settings(config)
      const memory = await openPersistence(parts, settings.retention)
      const evidence = await openEvidence(parts, memory.ring)
      const details = [...instance.details, ...memory.details, ...evidence.details]
      const faults = (): readonly string[] => [
        ...details,
        ...policy.faults,
        ...records.faults,
        ...memory.ring.health().details,
      ]
      const policy = new LocalPolicy({ daemon: parts, settings, details: faults })
      await policy.prepare(settings.aee)
      const records = new EnvelopeRecords({
        daemon: parts,
        aee: () => settings.aee,
        evidence: evidence.files,
      })
      const broker = createBroker(parts, { settings, memory, policy })
      broker.observe((retained) => records.accepted(retained))
      const closing = new AbortController()
      const made = {
        broker,
        settings,
        records,
        details: faults,
      }
      const server = await createServer(parts, { ...made, closing: closing.signal })
      const listening = await listen(parts, server)
      void broker.recollect()
      return new Daemon({ parts, settings, broker, server, listening, instance, policy, records, closing })
    } catch (error) {
      await instance.lock.release()
      throw error
    }
  }

  get broker(): Broker {
    return this.#held.broker
  }

  get socketPath(): string {
    return this.#held.listening.path
  }

  /** Takes over what a new configuration may change. @returns the keys that need a restart */
  async reload(config: Config): Promise<readonly string[]> {
    const { policy, settings } = this.#held
    // First the schemas, then the rule that asks for them: nothing passes unchecked in between.
    await policy.prepare(config.aee)
    return settings.apply(config)
  }

  /** Says goodbye to every reader and gives everything back. Repeated, it gives the same promise. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stopOnce()
    return this.#stopped
  }

  async #stopOnce(): Promise<void> {
    const { broker, closing, instance, listening, parts, policy, records, server } = this.#held
    this.#stopWatching()
    closing.abort()
    const closed = listening.close()
    broker.close()
    policy.close()
    records.close()
    server.closeIdleConnections()
    const cut = parts.clock.after(DRAIN_MS, () => server.closeAllConnections())
    await closed
    cut.cancel()
    await instance.lock.release()
  }
}

function createBroker(
  parts: DaemonParts,
  { settings, memory, policy }: { settings: Settings; memory: Persistence; policy: LocalPolicy },
): Broker {
  return new Broker({
    principal: parts.config.principal,
    limits: settings.limits,
    ring: memory.ring,
    ledger: memory.ledger,
    inheritance: memory.inheritance,
    clock: parts.clock,
    processes: { startTime: (pid) => processStartTime(pid) },
    policy,
    defer: setImmediate,
  })
}

async function createServer(
  { clock, environment, log, version }: DaemonParts,
  made: {
    broker: Broker
    settings: Settings
    records: EnvelopeRecords
    details: () => readonly string[]
    closing: AbortSignal
  },
): Promise<Server> {
  const { broker, closing, details, records, settings } = made
  const peerUid = await loadPeerCredentials(environment.platform)
  const shares = shareDescriptors(descriptorLimit())
  const admission = new Admission({
    maxConnections: shares.connections,
    maxTurnedAway: shares.arrivals,
    // Root may speak to anybody's daemon; it could do anything else as well.
    isOwner: (socket) => [environment.uid, 0, undefined].includes(peerUid?.(socket)),
  })
  const facts = {
    version,
    instanceId: randomUUID(),
    startedAtMs: clock.nowMs(),
    checksPeers: peerUid !== undefined,
    details,
  }
  const requiresToken = (): boolean => settings.auth === 'session'
  return createAgentdServer({
    broker,
    clock,
    log,
    facts,
    admission,
    records,
    requiresToken,
    closing,
    defer: setImmediate,
  })
}

/** On the socket a service manager passed, or on our own. */
async function listen({ config, environment }: DaemonParts, server: Server): Promise<Listening> {
  const passedFd = activatedListenerFd(environment)
  const { arrivals } = shareDescriptors(descriptorLimit())
  if (passedFd === undefined) return listenPrivately(server, config.socketPath, arrivals)
  const listening = await listenActivated(server, passedFd, config.socketPath, arrivals)
  consumeActivation(environment)
  return listening
}
