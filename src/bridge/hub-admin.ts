/**
 * A process of its own for a moment: it gives a hub its streams, and the documents that its nodes read. `agentd link hub` starts
 * it, since the client's packages come in through this folder alone.
 *
 * One line of JSON on stdin says what is asked, one on stdout what came of it.
 *
 * @see FED-12, FED-43, FED-82
 */
import { realpathSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import type { JetStreamManager, StoredMsg, StreamConfig } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/transport-node'
import {
  isJsonObject,
  objectOf,
  parseMembers,
  textMember,
  textsOf,
  type JsonObject,
} from '../core/text/json-object.ts'
import { messageOf, systemErrorCode } from '../core/thrown.ts'
import { HEADER_SIGNATURE, verifyBatch } from '../link/batch.ts'

/** How long a connection and each of its answers may take. */
const ANSWER_MS = 10_000

/** A server that was started just now is asked again until it listens. */
const RETRY_MS = 100

/** The engine's code for a stream, and for a message, that is not there. */
const NO_STREAM = 10_059
const NO_MESSAGE = 10_037
const NOTHING_THERE: ReadonlySet<unknown> = new Set([NO_STREAM, NO_MESSAGE])

/** What came of it. */
interface Done {
  /** The version of the server. */
  readonly server: string
  /** The streams that were not there before. */
  readonly made: readonly string[]
  /** When the last word was taken from each machine that was asked for, in their order; milliseconds since 1970, null: none was. */
  readonly heard: readonly (number | null)[]
}

/** Why nothing came of it. */
interface Fault {
  readonly fault: string
  /** The server is there, and goes by another configuration than the one that names this key. */
  readonly is_unknown_key?: true
}

async function main(): Promise<void> {
  let said: Done | Fault
  try {
    said = await prepare(parseMembers(await text(process.stdin)) ?? {})
  } catch (error) {
    said = { fault: faultOf(error), ...(isUnknownKey(error) && { is_unknown_key: true }) }
  }
  process.stdout.write(`${JSON.stringify(said)}\n`)
}

async function prepare(asked: JsonObject): Promise<Done> {
  const connection = await connect(asked)
  try {
    const { jetstreamManager } = await import('@nats-io/jetstream')
    const manager = await jetstreamManager(connection, { timeout: ANSWER_MS, checkAPI: false })
    const made: string[] = []
    for (const config of configsOf(asked)) {
      if (await makeStream(manager, config)) made.push(config.name)
    }
    for (const document of objectsOf(asked['documents'])) await putDocument(connection, manager, document)
    const heard: (number | null)[] = []
    for (const place of objectsOf(asked['places'])) heard.push(await heardAt(manager, place))
    return { server: connection.info?.version ?? '', made, heard }
  } finally {
    await connection.close()
  }
}

async function connect(asked: JsonObject): Promise<NatsConnection> {
  const nats = await loadTransport()
  const waitMs = Number(asked['wait_ms'] ?? 0)
  return nats.connect({
    servers: [...textsOf(asked, 'urls')],
    name: 'agentd link hub',
    authenticator: nats.nkeyAuthenticator(new TextEncoder().encode(textMember(asked, 'seed') ?? '')),
    timeout: ANSWER_MS,
    waitOnFirstConnect: waitMs > 0,
    maxReconnectAttempts: Math.ceil(waitMs / RETRY_MS),
    reconnectTimeWait: RETRY_MS,
    reconnectJitter: 0,
    reconnectJitterTLS: 0,
    tls: pinned(asked),
  })
}

/** The authority of the hub and the name in its certificate, whatever address it has (FED-14). */
function pinned(asked: JsonObject): { readonly ca?: string; readonly servername?: string } {
  const [ca, servername] = ['ca', 'servername'].map((name) => textMember(asked, name))
  return ca === undefined || servername === undefined ? {} : { ca, servername }
}

/** @throws Error that says what to install, where it is not */
async function loadTransport() {
  try {
    return await import('@nats-io/transport-node')
  } catch (error) {
    const what = 'npm install -g @nats-io/transport-node@3.3.1 @nats-io/jetstream@3.3.1'
    throw new Error(`The client of NATS is not installed; run "${what}".`, { cause: error })
  }
}

/** Why the server did not take it, as a sentence. */
function faultOf(error: unknown): string {
  const chain = chainOf(error)
  const names = namesOf(chain)
  if (isUnknownKey(error)) return 'It does not know the key of this hub: it runs with another configuration.'
  if (chain.some((one) => CERTIFICATE.test(systemErrorCode(one) ?? '')))
    return 'It shows another certificate than this hub has.'
  if (names.includes('JetStreamNotEnabled')) return 'It has no JetStream.'
  const said = messageOf(error)
  return /[.!]$/.test(said) ? said : `${said || 'It does not answer'}.`
}

function isUnknownKey(error: unknown): boolean {
  return namesOf(chainOf(error)).includes('AuthorizationError')
}

function chainOf(error: unknown): readonly unknown[] {
  return [error, ...(error instanceof Error ? [error.cause] : [])]
}

function namesOf(chain: readonly unknown[]): readonly string[] {
  return chain.map((one) => (one instanceof Error ? one.name : ''))
}

/** What a certificate is refused with, by Node's TLS. */
const CERTIFICATE = /^(?:UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|CERT_|ERR_TLS_CERT_)/

/** @returns whether it was not there before; what is there stays as it is, bounds that somebody has changed included */
async function makeStream(
  manager: JetStreamManager,
  config: Partial<StreamConfig> & { name: string },
): Promise<boolean> {
  try {
    await manager.streams.info(config.name)
    return false
  } catch (error) {
    if (codeOf(error) !== NO_STREAM) throw error
  }
  await manager.streams.add(config)
  return true
}

/** Puts a document there unless it is there. */
async function putDocument(
  connection: NatsConnection,
  manager: JetStreamManager,
  document: JsonObject,
): Promise<void> {
  const [stream, subject, wanted] = ['stream', 'subject', 'text'].map((name) => textMember(document, name))
  if (stream === undefined || subject === undefined || wanted === undefined) return
  if ((await lastAt(manager, stream, subject))?.string() === wanted) return
  const { jetstream } = await import('@nats-io/jetstream')
  await jetstream(connection, { timeout: ANSWER_MS }).publish(subject, wanted, { timeout: ANSWER_MS })
}

/** When the last message of a subject was taken; null: there is none, or another key than the one that is given has signed it. */
async function heardAt(manager: JetStreamManager, place: JsonObject): Promise<number | null> {
  const [stream = '', subject = ''] = ['stream', 'subject'].map((name) => textMember(place, name))
  const message = await lastAt(manager, stream, subject)
  if (message === undefined) return null
  const key = textMember(place, 'key')
  const signature = message.header.get(HEADER_SIGNATURE)
  const isTheirs = key === undefined || verifyBatch(signature, key, subject, message.string())
  return isTheirs ? message.time.getTime() : null
}

async function lastAt(
  manager: JetStreamManager,
  stream: string,
  subject: string,
): Promise<StoredMsg | undefined> {
  try {
    return (await manager.streams.getMessage(stream, { last_by_subj: subject })) ?? undefined
  } catch (error) {
    if (NOTHING_THERE.has(codeOf(error))) return undefined
    throw error
  }
}

function configsOf(asked: JsonObject): readonly (Partial<StreamConfig> & { name: string })[] {
  return objectsOf(asked['streams']).flatMap((config) => (isNamed(config) ? [config] : []))
}

function objectsOf(listed: unknown): readonly JsonObject[] {
  const all: readonly unknown[] = Array.isArray(listed) ? listed : []
  return all.map(objectOf)
}

/** What `agentd link hub` says is a stream's configuration is passed on as it is. */
function isNamed(config: unknown): config is Partial<StreamConfig> & { name: string } {
  return isJsonObject(config) && textMember(config, 'name') !== undefined
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url))
  await main()
