/**
 * What makes a machine a node of a realm: where the hub is, what it is known by there, the key it signs with, and the
 * document that names that key. Once as it is handed over (a join file), once as it is kept (a link file).
 *
 * Both hold secrets: they are files that only their owner reads, and nothing in them is ever quoted in an error.
 *
 * @see FED-14, FED-40, FED-41
 */
import { invalidField } from '../aee/envelope/fault.ts'
import { anyOf, type MemberRule } from '../aee/envelope/member-rule.ts'
import { readMember, type RecordMembers } from '../aee/envelope/record.ts'
import { AgentdError } from '../core/errors.ts'
import { unlessRefused } from '../core/thrown.ts'
import { isJsonObject } from '../core/text/json-object.ts'
import { octetLength, withinOctets } from '../core/text/octets.ts'
import { parseJson } from '../core/text/json.ts'
import { isLoopbackUrl, isTlsUrl } from './text/hub-url.ts'
import { CA, COUNT, DOMAIN, FLAG, HANDLE, KEY, NODE, URLS, documentText } from './text/member-rules.ts'
import { requireMembers, type MemberRules } from './text/members.ts'
import { isRealm, type Realm } from './realm.ts'

/** How a node shows the server who it is: a seed of an NKEY, or a `.creds` file's text. */
export type HubCredential = { readonly nkey: string } | { readonly creds: string }

/** As it is handed over. */
export interface JoinFile {
  readonly type: 'agentd.join'
  readonly v: 1
  readonly realm: Realm
  /** This machine's name in the realm. */
  readonly node: string
  /** `nats://192.168.1.10:4222`, 1 to 8 of them. */
  readonly urls: readonly string[]
  /** The one authority that signs the hub's certificate, as PEM; null: those that this machine trusts anyway, or no TLS. */
  readonly ca: string | null
  /** JetStream domain, behind a leaf node. */
  readonly domain: string | null
  /** The person has said that the network may read everything: WireGuard, Tailscale, SSH. */
  readonly trust_network: boolean
  readonly credential: HubCredential
  /** Seed of the key that signs this node's batches: 32 bytes as base64url. */
  readonly node_key: string
  /** The public key that the estate is signed with, 32 bytes as base64url; it is pinned. */
  readonly estate_key: string
  /** The estate's text as it was when the file was made. */
  readonly estate: string
}

/** As it is kept. */
export interface LinkFile extends Omit<JoinFile, 'type'> {
  readonly type: 'agentd.link'
  /** What was accepted before does not leave; milliseconds since 1970. */
  readonly since_ms: number
  readonly added_at_ms: number
  /** In a realm of several people, whose machine this is: `~bob`. */
  readonly handle?: string
  /** Under an accord, of which of its two organisations this machine is: `~acme`. */
  readonly org?: string
  /** The text of the organisation's charter as it was when the link was added, and the public key that it is signed with. */
  readonly charter?: string
  readonly org_key?: string
}

/** Either file: an estate, a CA and a credential, each with escapes. */
export const MAX_LINK_FILE_OCTETS = 262_144

const MAX_CREDS_OCTETS = 8_192
const VERSION = 1

const NKEY_SEED = /^SU[A-Z2-7]{56}$/

const COMMON: MemberRules = {
  v: anyOf(`${VERSION}, the one version this agentd reads`, (value) => value === VERSION),
  realm: anyOf('a realm such as p.alice', (value) => typeof value === 'string' && isRealm(value)),
  node: NODE,
  urls: URLS,
  ca: CA,
  domain: DOMAIN,
  trust_network: FLAG,
  credential: anyOf('{"nkey":"SU…"} or {"creds":"…"}', isCredential),
  node_key: KEY,
  estate_key: KEY,
  estate: documentText('an estate'),
}

const JOIN: MemberRules = { type: isOnly('agentd.join'), ...COMMON }
const LINK: MemberRules = {
  type: isOnly('agentd.link'),
  ...COMMON,
  since_ms: COUNT,
  added_at_ms: COUNT,
  handle: HANDLE,
  org: HANDLE,
  charter: documentText('a charter'),
  org_key: KEY,
}

/** What a link of one person's own machines has not. */
const OF_SEVERAL: ReadonlySet<string> = new Set(['handle', 'org', 'charter', 'org_key'])

/** Reads what was handed over. @throws AgentdError `field-missing` or `field-invalid`, which quotes nothing */
export function decodeJoin(text: string): JoinFile {
  const members = readFile(text, 'join')
  requireJoin(members)
  return { type: 'agentd.join', ...takeCommon(members) }
}

/** Reads what is kept. @throws AgentdError as {@link decodeJoin} */
export function decodeLink(text: string): LinkFile {
  const members = readFile(text, 'link')
  requireLink(members)
  const { since_ms, added_at_ms, handle, org, charter, org_key } = members
  return {
    type: 'agentd.link',
    ...takeCommon(members),
    since_ms,
    added_at_ms,
    ...(handle !== undefined && { handle }),
    ...(org !== undefined && { org }),
    ...(charter !== undefined && { charter }),
    ...(org_key !== undefined && { org_key }),
  }
}

/** The file's text, secrets and all. @throws AgentdError `field-invalid` for what {@link decodeJoin} would refuse */
export function encodeJoin(file: JoinFile): string {
  return written(file, decodeJoin)
}

/** The file's text, secrets and all. @throws AgentdError `field-invalid` for what {@link decodeLink} would refuse */
export function encodeLink(file: LinkFile): string {
  return written(file, decodeLink)
}

/**
 * Whether whoever is on the way can read everything: no certificate is asked for.
 */
export function isPlain({ ca, urls }: Pick<JoinFile, 'ca' | 'urls'>): boolean {
  return ca === null && !urls.every(isTlsUrl)
}

/** What FED-14 says of the way to the hub. */
function requireTransport(file: Pick<JoinFile, 'ca' | 'urls' | 'trust_network'>): void {
  if (!isPlain(file) || file.trust_network || file.urls.every(isLoopbackUrl)) return
  throw new AgentdError(
    'field-invalid',
    'Everybody on the way could read this link: it has no TLS. Have the hub make a certificate, or say --trust-network where the network itself is private (WireGuard, Tailscale, SSH).',
    { field: 'urls' },
  )
}

function written<File>(file: File, decode: (text: string) => File): string {
  const text = `${JSON.stringify(file, undefined, 2)}\n`
  decode(text)
  return text
}

/** The parser's own error quotes the text around the fault, and that may be a secret: it goes no further. */
function readFile(text: string, noun: string): RecordMembers {
  if (octetLength(text) > MAX_LINK_FILE_OCTETS)
    throw invalidField(noun, `must be at most ${MAX_LINK_FILE_OCTETS} octets`)
  const value = unlessRefused(() => parseJson(text, noun))
  if (isJsonObject(value)) return value
  throw invalidField(noun, 'must be one JSON object with no name twice')
}

function requireJoin(members: RecordMembers): asserts members is RecordMembers & JoinFile {
  requireMembers(members, JOIN)
  requireCommon(members)
}

function requireLink(members: RecordMembers): asserts members is RecordMembers & LinkFile {
  requireMembers(members, LINK, OF_SEVERAL)
  requireCommon(members)
}

function requireCommon(members: RecordMembers): void {
  const urls: unknown = readMember(members, 'urls')
  const ca = readMember(members, 'ca')
  requireTransport({
    urls: Array.isArray(urls) ? urls.map(String) : [],
    ca: typeof ca === 'string' ? ca : null,
    trust_network: readMember(members, 'trust_network') === true,
  })
}

function takeCommon(file: Omit<JoinFile, 'type'>): Omit<JoinFile, 'type'> {
  const { v, realm, node, urls, ca, domain, trust_network, credential } = file
  const { node_key, estate_key, estate } = file
  return { v, realm, node, urls, ca, domain, trust_network, credential, node_key, estate_key, estate }
}

function isCredential(value: unknown): boolean {
  if (!isJsonObject(value) || Object.keys(value).length !== 1) return false
  const [seed, creds] = [readMember(value, 'nkey'), readMember(value, 'creds')]
  return (typeof seed === 'string' && NKEY_SEED.test(seed)) || isText(creds, MAX_CREDS_OCTETS)
}

function isText(value: unknown, maxOctets: number): boolean {
  return typeof value === 'string' && withinOctets(value, 1, maxOctets)
}

function isOnly(word: string): MemberRule {
  return anyOf(word, (value) => value === word)
}
