/**
 * Opening a connection to a hub: the packages of its client, loaded here and nowhere else, and what is asked of them.
 *
 * @see FED-10, FED-13, FED-14, FED-82
 */
import type { JetStreamClient, JetStreamManager } from '@nats-io/jetstream'
import type { Authenticator, ConnectionOptions, NatsConnection } from '@nats-io/transport-node'
import { systemErrorCode } from '../../core/thrown.ts'
import { HUB_SERVER_NAME } from '../../link/hub-config.ts'
import { isPlain, type LinkFile } from '../../link/link-file.ts'
import { inboxPrefix, ownNode } from '../../link/realm.ts'
import { NotInstalled } from './faults.ts'

/** How long a connection and its first words may take. */
const CONNECT_MS = 10_000

/** A hub that does not answer this often in a row is gone: noticed within 20 seconds. */
const PING_MS = 5_000
const MAX_PINGS_OUT = 3

/** What the engine is asked for is small; behind a large batch on a slow line it still takes its time. */
export const REQUEST_MS = 20_000

/** The last versions whose whole tree runs on every Node that agentd runs on (FED-10). */
const INSTALL = 'npm install -g @nats-io/transport-node@3.3.1 @nats-io/jetstream@3.3.1'

/** What is open. */
export interface Opened {
  readonly connection: NatsConnection
  readonly engine: JetStreamClient
  readonly manager: JetStreamManager
}

type Transport = typeof import('@nats-io/transport-node')

export interface Packages {
  readonly transport: Transport
  readonly jetstream: typeof import('@nats-io/jetstream')
}

/** @throws NotInstalled that says what to install */
export async function loadPackages(): Promise<Packages> {
  try {
    const [transport, jetstream] = await Promise.all([
      import('@nats-io/transport-node'),
      import('@nats-io/jetstream'),
    ])
    return { transport, jetstream }
  } catch (error) {
    if (systemErrorCode(error) !== 'ERR_MODULE_NOT_FOUND') throw error
    throw new NotInstalled(`The client of NATS is not installed; run "${INSTALL}".`, { cause: error })
  }
}

/** @param requestMs - how long the engine may be without an answer @throws whatever the client throws */
export async function openHub(
  { transport, jetstream }: Packages,
  link: LinkFile,
  requestMs: number,
): Promise<Opened> {
  const connection = await transport.connect(optionsOf(link, authenticatorOf(link, transport)))
  const options = { timeout: requestMs, ...(link.domain !== null && { domain: link.domain }) }
  const manager = await jetstream.jetstreamManager(connection, { ...options, checkAPI: false })
  return { connection, manager, engine: jetstream.jetstream(connection, options) }
}

function optionsOf(link: LinkFile, authenticator: Authenticator): ConnectionOptions {
  return {
    servers: [...link.urls],
    name: `agentd ${link.node}`,
    authenticator,
    inboxPrefix: inboxPrefix(link.realm, ownNode(link)),
    timeout: CONNECT_MS,
    reconnect: false,
    pingInterval: PING_MS,
    maxPingOut: MAX_PINGS_OUT,
    // An error for each request in case it fails, with a stack that nobody reads, was a tenth of what a batch costs.
    noAsyncTraces: true,
    ...(!isPlain(link) && { tls: pinned(link) }),
  }
}

/** Where no authority is pinned, the public ones and the name that was dialled count. */
function pinned({ ca }: LinkFile): { readonly ca?: string; readonly servername?: string } {
  return ca === null ? {} : { ca, servername: HUB_SERVER_NAME }
}

function authenticatorOf({ credential }: LinkFile, transport: Transport): Authenticator {
  return 'nkey' in credential
    ? transport.nkeyAuthenticator(Buffer.from(credential.nkey))
    : transport.credsAuthenticator(Buffer.from(credential.creds))
}
