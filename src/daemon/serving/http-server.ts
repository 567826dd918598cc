/**
 * The daemon's HTTP server, put together: who is let in, what a request is judged by, and what is served inside it.
 */
import { randomUUID } from 'node:crypto'
import type { Server } from 'node:http'
import type { Broker } from '../../broker/broker.ts'
import { personKeyCheck, type ClaimedKey } from '../../host/config/claimed-key.ts'
import type { AuthMode } from '../../host/config/config.ts'
import type { Environment } from '../../host/config/paths.ts'
import { descriptorLimit, shareDescriptors, type DescriptorShares } from '../../host/socket/descriptors.ts'
import type { FindPeer } from '../../host/socket/peer-credentials.ts'
import { Admission } from '../../server/request/admission.ts'
import { MemoryBudget, type MemoryBounds } from '../../server/request/memory-budget.ts'
import type { EnvelopeRecorder, ServerParts } from '../../server/request/context.ts'
import type { LinksPort } from '../../server/ports/link-port.ts'
import type { TextPort } from '../../server/ports/text-port.ts'
import { createAgentdServer } from '../../server/server.ts'
import type { HookDeskLoader } from './hook-desk.ts'
import { InnerConnections } from './inner-connections.ts'
import { McpConnections } from './mcp-connections.ts'
import type { NeedsLoader } from './needs-loader.ts'

/** Of what the daemon is built from, what serving takes. */
interface ServingParts extends ServerSurroundings {
  readonly config: { readonly socketPath: string }
  readonly environment: Environment
  readonly version: string
  readonly onStop: () => void
}

/** What goes through as it is. */
type ServerSurroundings = Pick<ServerParts, 'clock' | 'debug' | 'log'>

/** What may be reloaded. */
interface LiveSettings {
  readonly auth: AuthMode
  readonly memory: MemoryBounds
}

/** What the daemon has made before it can serve. */
interface Made {
  readonly broker: Broker
  readonly settings: LiveSettings
  readonly records: EnvelopeRecorder
  readonly details: () => readonly string[]
  readonly closing: AbortSignal
  readonly findPeer: FindPeer | undefined
  readonly personKey: ClaimedKey
  readonly hooks: HookDeskLoader
  readonly needs: NeedsLoader
  readonly texts: TextPort
  readonly links: LinksPort
}

/** The server; the caller binds it. */
export function createServer(parts: ServingParts, made: Made): Server {
  const { clock, debug, environment, log, onStop } = parts
  const { broker, closing, findPeer, hooks, links, needs, personKey, records, settings, texts } = made
  const shares = shareDescriptors(descriptorLimit())
  const inner = new InnerConnections()
  const server = createAgentdServer({
    broker,
    clock,
    log,
    debug,
    facts: factsOf(parts, made),
    admission: createAdmission(environment, shares, findPeer),
    memory: new MemoryBudget(settings.memory),
    peerPidOf: (socket) => InnerConnections.peerPidOf(socket) ?? findPeer?.(socket)?.pid,
    records,
    hooks: hooks.get,
    needs: needs.get,
    texts,
    links,
    mcp: createMcp(parts, { inner, personKey, hooks, admitted: shares.connections }),
    requiresToken: () => settings.auth === 'session',
    isPersonKey: personKeyCheck(personKey),
    // Its answer first.
    stop: () => void setImmediate(onStop),
    closing,
    defer: setImmediate,
  })
  inner.serve(server)
  return server
}

function factsOf({ clock, config, version }: ServingParts, { findPeer, details }: Made) {
  return {
    version,
    socketPath: config.socketPath,
    instanceId: randomUUID(),
    startedAtMs: clock.nowMs(),
    checksPeers: findPeer !== undefined,
    details,
  }
}

function createMcp(
  { clock, config, log, version }: ServingParts,
  {
    personKey,
    ...made
  }: { inner: InnerConnections; personKey: ClaimedKey; hooks: HookDeskLoader; admitted: number },
): McpConnections {
  const { socketPath } = config
  const key = 'key' in personKey ? personKey.key : undefined
  return new McpConnections({ clock, log, version, socketPath, personKey: key, ...made })
}

function createAdmission(
  environment: Environment,
  shares: DescriptorShares,
  findPeer: FindPeer | undefined,
): Admission {
  return new Admission({
    maxConnections: shares.connections,
    maxTurnedAway: shares.arrivals,
    // Root may speak to anybody's daemon; it could do anything else as well.
    isOwner: (socket) => [environment.uid, 0, undefined].includes(findPeer?.(socket)?.uid),
    isInside: (socket) => InnerConnections.has(socket),
  })
}
