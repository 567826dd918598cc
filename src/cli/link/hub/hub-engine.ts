/**
 * What the hub's server has to hold: two streams for each realm, and the documents that say who is in it. A process of its own brings it there, since that speaks
 * NATS and nothing else of a command does.
 *
 * @see FED-12, FED-43, FED-82
 */
import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { listMember, objectOf, parseMembers, textMember, textsOf } from '../../../core/text/json-object.ts'
import { HUB_ADMIN_ENTRY } from '../../../host/package.ts'
import { HUB_SERVER_NAME } from '../../../link/hub-config.ts'
import { bucketConfig, streamConfig } from '../../../link/hub-streams.ts'
import { bucketStream, kvSubject, nodeKey, type NodeAt, type Realm } from '../../../link/realm.ts'
import { readListen, type HubFile } from './kept/hub-file.ts'
import type { Published } from './kept/hub-realms.ts'

/** What a hub is to hold. */
export interface HubContent {
  readonly hub: HubFile
  /** The authority of its certificate, as PEM. */
  readonly ca: string
  /** What it hands on. */
  readonly documents: readonly Published[]
}

/** How long it may take. */
export interface Patience {
  /** How long a server that does not listen yet is waited for. */
  readonly waitMs: number
  /** Gives up; what it came to then says nothing. */
  readonly signal?: AbortSignal
}

/** What came of it: how the server is, or why it could not be reached, as a sentence. */
export type Prepared =
  | { readonly kind: 'ready'; readonly server: string; readonly made: readonly string[] }
  | {
      readonly kind: 'fault'
      readonly why: string
      /** It is there, and has not taken up the configuration that this hub was given last. */
      readonly isUnknownKey: boolean
    }

/** Its connection and its few requests have bounds of their own; this one is for a process that hangs all the same. */
const ADMIN_TIMEOUT_MS = 60_000

const NO_WORD = 'The process that speaks NATS ended without a word.'

/** Gives the server what it has to hold, and leaves alone what it holds already. */
export async function prepareHub(
  { hub, ca, documents }: HubContent,
  { waitMs, signal }: Patience,
): Promise<Prepared> {
  const { realm, realms } = hub
  const all = [realm, ...realms.map((one) => one.realm)]
  const asked = {
    ...entryOf(hub, ca),
    wait_ms: waitMs,
    streams: all.flatMap((one) => [streamConfig(one), bucketConfig(one)]),
    documents: documents.map((one) => ({
      stream: bucketStream(one.realm),
      subject: kvSubject(one.realm, one.key),
      text: one.text,
    })),
  }
  const said = objectOf(parseMembers(await runAdmin(JSON.stringify(asked), signal)))
  const server = textMember(said, 'server')
  if (server !== undefined) return { kind: 'ready', server, made: textsOf(said, 'made') }
  return {
    kind: 'fault',
    why: textMember(said, 'fault') ?? NO_WORD,
    isUnknownKey: said['is_unknown_key'] === true,
  }
}

/** A machine in a realm of the hub. */
export interface Place {
  readonly realm: Realm
  readonly at: NodeAt
  /** What it signs with; absent: whatever stands there is taken for its word. A name that was given again has another key. */
  readonly key?: string
}

/**
 * When the hub heard of each machine last: each says every ten seconds that it is there, while its link is up (FED-51).
 *
 * @returns in the order of the places, milliseconds since 1970, undefined: never; or why the hub cannot be asked, as a sentence
 */
export async function askHeard(
  { hub, ca }: Omit<HubContent, 'documents'>,
  places: readonly Place[],
): Promise<readonly (number | undefined)[] | string> {
  const asked = {
    ...entryOf(hub, ca),
    places: places.map(({ realm, at, key }) => ({
      stream: bucketStream(realm),
      subject: kvSubject(realm, nodeKey(realm, at)),
      key,
    })),
  }
  const said = objectOf(parseMembers(await runAdmin(JSON.stringify(asked), undefined)))
  const heard = listMember(said, 'heard')
  if (textMember(said, 'server') === undefined) return textMember(said, 'fault') ?? NO_WORD
  return places.map((_, i) => (typeof heard[i] === 'number' ? heard[i] : undefined))
}

/** Where the server is, and what it lets a hub's own person in by. */
function entryOf({ admin_seed: seed, listen }: HubFile, ca: string) {
  return { urls: [`nats://${ownAddress(listen)}`], ca, servername: HUB_SERVER_NAME, seed }
}

/** The secret goes in by stdin: arguments and variables are seen by others. */
async function runAdmin(line: string, signal: AbortSignal | undefined): Promise<string> {
  const child = spawn(process.execPath, [HUB_ADMIN_ENTRY], {
    stdio: ['pipe', 'pipe', 'inherit'],
    timeout: ADMIN_TIMEOUT_MS,
    ...(signal !== undefined && { signal }),
  })
  // Given up, or not to be started: that it says nothing is what it comes to.
  child.on('error', () => {})
  // One that ended before it has read everything says so by saying nothing.
  child.stdin.on('error', () => {})
  child.stdin.end(`${line}\n`)
  return text(child.stdout)
}

/** A server that listens on all addresses is at this one too. */
function ownAddress(listen: string): string {
  const { host, port } = readListen(listen) ?? { host: '', port: 0 }
  if (host === '0.0.0.0') return `127.0.0.1:${port}`
  return host === '[::]' ? `[::1]:${port}` : listen
}
