/**
 * The composition root: the one place where a daemon is put together from explicit parts.
 */
import type { Server } from 'node:http'
import { dirname } from 'node:path'
import { messageOf } from '../core/thrown.ts'
import { Broker } from '../broker/broker.ts'
import { keysDirectory, keysStamp } from '../host/aee/key-files.ts'
import type { Config } from '../host/config/config.ts'
import { removeHangMark } from '../host/socket/hang-mark.ts'
import { watchOwnSocket, type Listening } from '../host/socket/listener.ts'
import { ensurePrivateDirectory } from '../host/config/paths.ts'
import { refreshKeyHeader } from '../host/config/key-header.ts'
import { claimPersonKey, keyFaults } from '../host/config/claimed-key.ts'
import { loadPeerCredentials } from '../host/socket/peer-credentials.ts'
import { isForebear } from '../host/process/ancestry.ts'
import { pointerPaths, writePointers, type Pointers } from '../host/process/pointer-file.ts'
import { processExists, processStartTimes } from '../host/process/processes.ts'
import { pointerTo } from '../server/documents/pointer.ts'
import { CleanupStack } from './cleanup-stack.ts'
import { EnvelopeRecords } from './envelope-records.ts'
import { openEvidence } from './evidence.ts'
import { HookDeskLoader } from './serving/hook-desk.ts'
import { claimInstance } from './place/instance.ts'
import { LocalAuthority } from './local-authority.ts'
import { LocalPolicy } from './local-policy.ts'
import { createServer } from './serving/http-server.ts'
import { LinksLoader } from './serving/links-loader.ts'
import { listen } from './serving/listen.ts'
import { NeedsLoader } from './serving/needs-loader.ts'
import { TextsLoader } from './serving/texts-loader.ts'
import { openPersistence, type Persistence } from './persistence.ts'
import type { DaemonParts } from './parts.ts'
import { Settings } from './settings.ts'

/** How long readers get to take their last bytes, in milliseconds. */
const DRAIN_MS = 2_000

/** What a running daemon is made of, besides what it gives back at its end. */
interface Assembled {
  readonly settings: Settings
  readonly broker: Broker
  readonly listening: Listening
  readonly policy: LocalPolicy
  readonly links: LinksLoader
}

/** A running daemon. */
export class Daemon {
  readonly #assembled: Assembled
  readonly #held: CleanupStack

  private constructor(assembled: Assembled, held: CleanupStack) {
    this.#assembled = assembled
    this.#held = held
  }

  /**
   * Claims the place, binds it, and serves. When that fails, nothing of it is held any more.
   *
   * @throws HostRefusal when the place is not safe, PlaceTaken when another daemon is there already
   */
  static async start(parts: DaemonParts): Promise<Daemon> {
    const held = new CleanupStack()
    try {
      return new Daemon(await assemble(parts, held), held)
    } catch (error) {
      // Why it failed is what counts; that something could not be given back either is only told.
      await held.close().catch((again: unknown) => {
        parts.log.error('cleanup-failed', { message: messageOf(again) })
      })
      throw error
    }
  }

  get broker(): Broker {
    return this.#assembled.broker
  }

  get socketPath(): string {
    return this.#assembled.listening.path
  }

  /** Takes over what a new configuration may change. @returns the keys that need a restart */
  async reload(config: Config): Promise<readonly string[]> {
    const { links, policy, settings } = this.#assembled
    // First the schemas, then the rule that asks for them: nothing passes unchecked in between.
    await policy.prepare(config.aee)
    const needRestart = settings.apply(config)
    await links.look()
    return needRestart
  }

  /** Says goodbye to every reader and gives everything back. Repeated, it gives the same promise. */
  stop(): Promise<void> {
    return this.#held.close()
  }
}

/** Puts a daemon together, bottom up; whatever is taken goes onto the stack at once, and the lock first. */
async function assemble(parts: DaemonParts, held: CleanupStack): Promise<Assembled> {
  const { config, environment } = parts
  ensurePrivateDirectory(dirname(config.socketPath), environment)
  const instance = await claimInstance(config, parts.onLost)
  held.defer(() => instance.lock.release())
  const settings = new Settings(config)
  const memory = await openPersistence(parts, settings.retention)
  held.defer(() => memory.close())
  const evidence = await openEvidence(parts, { ring: memory.ring, held })
  const details = [...instance.details, ...memory.details, ...evidence.details]
  const faults = (): readonly string[] => [
    ...details,
    ...keyFaults(personKey, settings.auth),
    ...policy.faults,
    ...authority.faults,
    ...records.faults,
    ...links.faults,
    ...memory.ring.health().details,
  ]
  const links = new LinksLoader({ daemon: parts, settings })
  const policy = new LocalPolicy({ daemon: parts, settings, details: faults })
  held.defer(() => policy.close())
  await policy.prepare(settings.aee)
  const authority = claimAuthority(parts, policy, held)
  const records = new EnvelopeRecords({ daemon: parts, aee: () => settings.aee, evidence: evidence.files })
  held.defer(() => records.close())
  const personKey = claimPersonKey(parts.environment)
  refreshKeyHeader(parts.environment)
  const findPeer = await loadPeerCredentials(parts.environment.platform)
  const broker = createBroker(parts, {
    settings,
    memory,
    policy,
    authority,
    links,
    asksPeers: findPeer !== undefined,
  })
  held.defer(() => broker.close())
  broker.observe((retained) => records.accepted(retained))
  if (evidence.files.length > 0) broker.handOvers.add((retained, via) => records.handedOver(retained, via))
  const hooks = new HookDeskLoader({ daemon: parts, broker, records: memory.hooks })
  const needs = new NeedsLoader({ broker, clock: parts.clock })
  const isOnDisk = memory.ring.health().enabled
  const texts = new TextsLoader({ daemon: parts, broker, isOnDisk })
  const closing = new AbortController()
  const server = createServer(parts, {
    broker,
    settings,
    records,
    details: faults,
    closing: closing.signal,
    findPeer,
    personKey,
    hooks,
    needs,
    texts,
    links: links.port,
  })
  const listening = await listen(parts, server)
  removeHangMark(config.socketPath)
  const pointers = pointAt(parts)
  held.defer(() => pointers.remove())
  held.defer(() => drain({ parts, broker, closing, listening, server }))
  // While their paths are still there: what a bridge brings at its end is taken.
  held.defer(() => links.close())
  // First: what hooks remember is written down into a store that is open.
  held.defer(() => hooks.close())
  held.defer(() => needs.close())
  held.defer(() => texts.close())
  held.defer(watchOwnSocket(listening, () => parts.onLost('The socket was removed or replaced.')))
  void broker.warmUp()
  void hooks.resume()
  void texts.resume()
  void links.resume(broker, { charters: authority, accords: authority, policy })
  return { settings, broker, listening, policy, links }
}

/** Says where it is to be asked, once it is; that it cannot be said costs no more than that. */
function pointAt({ config, environment, log, version }: DaemonParts): Pointers {
  const paths = pointerPaths(environment, config.socketPath)
  const pointers = writePointers(paths, pointerTo({ ...config, version }))
  for (const message of pointers.faults) log.warn('pointer', { message })
  return pointers
}

/** Takes nobody new, tells everybody who is there, and waits until they have gone, or not much longer. */
async function drain({
  parts,
  broker,
  closing,
  listening,
  server,
}: {
  parts: DaemonParts
  broker: Broker
  closing: AbortController
  listening: Listening
  server: Server
}): Promise<void> {
  closing.abort()
  const closed = listening.close()
  broker.close()
  server.closeIdleConnections()
  const cut = parts.clock.after(DRAIN_MS, () => server.closeAllConnections())
  await closed.finally(() => cut.cancel())
}

function createBroker(
  parts: DaemonParts,
  made: {
    settings: Settings
    memory: Persistence
    policy: LocalPolicy
    authority: LocalAuthority
    links: LinksLoader
    asksPeers: boolean
  },
): Broker {
  const { asksPeers, authority, links, memory, policy, settings } = made
  return new Broker({
    principal: parts.config.principal,
    authority,
    limits: settings.limits,
    ring: memory.ring,
    ledger: memory.ledger,
    inheritance: memory.inheritance,
    clock: parts.clock,
    processes: {
      startTime: processStartTimes(),
      exists: processExists,
      isForebear: asksPeers ? isForebear : undefined,
    },
    policy,
    remote: links.remote,
    defer: setImmediate,
  })
}

/** @throws HostRefusal for handles that cannot be read */
function claimAuthority(daemon: DaemonParts, policy: LocalPolicy, held: CleanupStack): LocalAuthority {
  const stamp = (): string => keysStamp(keysDirectory(daemon.config.stateDir))
  const keys = { find: (kid: string) => policy.findKey(kid) }
  const authority = new LocalAuthority({ daemon, keys, keysStamp: stamp })
  held.defer(() => authority.close())
  return authority
}
