/**
 * What the hub's server has to hold: two streams for each realm, and the documents that say who is in it. A process of its own brings it there, since that speaks
 * NATS and nothing else of a command does.
 *
 * @see FED-12, FED-43, FED-82
 */
import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { objectOf, parseMembers, textMember, textsOf } from '../../../core/text/json-object.ts'
import { HUB_ADMIN_ENTRY } from '../../../host/package.ts'
import { HUB_SERVER_NAME } from '../../../link/hub-config.ts'
import { bucketConfig, streamConfig } from '../../../link/hub-streams.ts'
import { bucketStream, kvSubject } from '../../../link/realm.ts'
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

/** Gives the server what it has to hold, and leaves alone what it holds already. */
export async function prepareHub(
  { hub, ca, documents }: HubContent,
  { waitMs, signal }: Patience,
): Promise<Prepared> {
  const { realm, realms, admin_seed: seed, listen } = hub
  const all = [realm, ...realms.map((one) => one.realm)]
  const asked = {
    urls: [`nats://${ownAddress(listen)}`],
    ca,
    servername: HUB_SERVER_NAME,
    seed,
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
    why: textMember(said, 'fault') ?? 'The process that speaks NATS ended without a word.',
    isUnknownKey: said['is_unknown_key'] === true,
  }
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
