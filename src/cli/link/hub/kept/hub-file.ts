/**
 * What a hub of this user's own is, as it is kept beside its certificate: whose realm, at which address, with which nodes.
 *
 * @see FED-11, FED-12, FED-14
 */
import { anyOf } from '../../../../aee/envelope/member-rule.ts'
import { readMember, type RecordMembers } from '../../../../aee/envelope/record.ts'
import { isJsonObject } from '../../../../core/text/json-object.ts'
import { MAX_REALMS, type HubNode } from '../../../../link/hub-config.ts'
import { isUserNkey } from '../../../../link/keys/nkey.ts'
import { isHandle } from '../../../../protocol/address/handle.ts'
import { isNodeLabel, isRealm, type NodeAt, type Realm } from '../../../../link/realm.ts'
import { isHubUrl } from '../../../../link/text/hub-url.ts'
import { readObject, requireMembers, type MemberRules } from '../../../../link/text/members.ts'

/** As it stands in the file. */
export interface HubFile {
  readonly type: 'agentd.hub'
  readonly v: 1
  readonly realm: Realm
  /** What the server calls itself. */
  readonly name: string
  /** Where it listens: `192.168.1.10:4222`. */
  readonly listen: string
  /** How the other machines reach it: `nats://192.168.1.10:4222`, 1 to 8 of them. */
  readonly urls: readonly string[]
  /** Seed of the one who makes the streams and publishes the estate: secret. */
  readonly admin_seed: string
  readonly admin_nkey: string
  readonly nodes: readonly Pick<HubNode, 'node' | 'nkeyPublic'>[]
  /** Which of them the machine with the hub was made as; a file of before it was kept has none. */
  readonly own?: string
  /** The realms of several people that it serves besides; a file without them has none. */
  readonly realms: readonly SharedRealm[]
}

/** A realm of several people, and whose machines are let in. */
export interface SharedRealm {
  readonly realm: Realm
  readonly nodes: readonly SharedNode[]
}

/** One machine of it; what it may follows from the documents. */
export interface SharedNode extends NodeAt {
  /** The public half of its NKEY: `U…`. */
  readonly nkeyPublic: string
}

/** A node has some lines of its own, and two hundred characters in them. */
const MAX_OCTETS = 1_048_576

/** Nodes that one hub lets in to each of its realms. */
export const MAX_HUB_NODES = 256

/** Realms of several people that one hub serves. */
export const MAX_HUB_REALMS = MAX_REALMS - 1

const MAX_URLS = 8
const MAX_NAME_LENGTH = 64
const SERVER_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]*$/
const SEED = /^SU[A-Z2-7]{56}$/

const RULES: MemberRules = {
  type: anyOf('agentd.hub', (value) => value === 'agentd.hub'),
  v: anyOf('1, the one version this agentd reads', (value) => value === 1),
  realm: anyOf('a realm such as p.alice', (value) => typeof value === 'string' && isRealm(value)),
  name: anyOf('the name of a server', (value) => typeof value === 'string' && isServerName(value)),
  listen: anyOf('an address such as 192.168.1.10:4222', isListen),
  urls: anyOf('a list of 1 to 8 nats:// or tls:// addresses', isUrlList),
  admin_seed: anyOf('the seed of an NKEY', (value) => typeof value === 'string' && SEED.test(value)),
  admin_nkey: anyOf('the public half of an NKEY', (value) => typeof value === 'string' && isUserNkey(value)),
  nodes: anyOf(`a list of at most ${MAX_HUB_NODES} nodes`, isNodeList),
  own: anyOf('the name of a node', (value) => typeof value === 'string' && isNodeLabel(value)),
  realms: anyOf(`a list of at most ${MAX_HUB_REALMS} realms, each once`, isRealmList),
}

/** A hub of before there were realms of several people, and before it knew which node it is itself. */
const OPTIONAL: ReadonlySet<string> = new Set(['own', 'realms'])

/** What `nats-server` and a certificate take as a name. */
export function isServerName(text: string): boolean {
  return text.length <= MAX_NAME_LENGTH && SERVER_NAME.test(text)
}

/** Where a server listens, taken apart; undefined for what is no address with a port. */
export function readListen(text: string): { readonly host: string; readonly port: number } | undefined {
  const url = URL.canParse(`nats://${text}`) ? new URL(`nats://${text}`) : undefined
  if (url === undefined || url.host !== text.toLowerCase() || url.hostname === '') return undefined
  const port = Number(url.port)
  return port >= 1 ? { host: url.hostname, port } : undefined
}

/** @throws AgentdError `field-missing` or `field-invalid`, which quotes nothing */
export function decodeHub(text: string): HubFile {
  const members = readObject(text, 'hub', MAX_OCTETS)
  requireHub(members)
  const { type, v, realm, name, listen, urls, admin_seed, admin_nkey, nodes, own, realms = [] } = members
  const known = { type, v, realm, name, listen, urls, admin_seed, admin_nkey, nodes, realms }
  return own === undefined ? known : { ...known, own }
}

/** @throws AgentdError `field-invalid` for what {@link decodeHub} would refuse */
export function encodeHub(file: HubFile): string {
  const text = `${JSON.stringify(file, undefined, 2)}\n`
  decodeHub(text)
  return text
}

function requireHub(
  members: RecordMembers,
): asserts members is RecordMembers & Omit<HubFile, 'realms'> & Partial<Pick<HubFile, 'realms'>> {
  requireMembers(members, RULES, OPTIONAL)
}

function isUrlList(value: unknown): boolean {
  return Array.isArray(value) && value.length >= 1 && value.length <= MAX_URLS && value.every(isHubUrl)
}

function isListen(value: unknown): boolean {
  return typeof value === 'string' && readListen(value) !== undefined
}

function isNodeList(value: unknown): boolean {
  return Array.isArray(value) && value.length <= MAX_HUB_NODES && value.every(isNode)
}

function isNode(value: unknown): boolean {
  if (!isJsonObject(value)) return false
  const [node, nkey] = [readMember(value, 'node'), readMember(value, 'nkeyPublic')]
  return typeof node === 'string' && isNodeLabel(node) && typeof nkey === 'string' && isUserNkey(nkey)
}

function isRealmList(value: unknown): boolean {
  if (!Array.isArray(value) || value.length > MAX_HUB_REALMS || !value.every(isSharedRealm)) return false
  return new Set(value.map((one: RecordMembers) => readMember(one, 'realm'))).size === value.length
}

function isSharedRealm(value: unknown): boolean {
  if (!isJsonObject(value)) return false
  const [realm, nodes] = [readMember(value, 'realm'), readMember(value, 'nodes')]
  return (
    typeof realm === 'string' &&
    isRealm(realm) &&
    !realm.startsWith('p.') &&
    Array.isArray(nodes) &&
    nodes.length <= MAX_HUB_NODES &&
    nodes.every((node) => isNode(node) && isHandleOf(node))
  )
}

function isHandleOf(node: unknown): boolean {
  if (!isJsonObject(node)) return false
  const [handle, org] = [readMember(node, 'handle'), readMember(node, 'org')]
  return isHandleText(handle) && (org === undefined || isHandleText(org))
}

function isHandleText(value: unknown): boolean {
  return typeof value === 'string' && isHandle(value)
}
