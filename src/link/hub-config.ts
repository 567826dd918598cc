/**
 * The configuration of a hub, as text for `nats-server`: who may connect, and what each may ask.
 *
 * It holds public keys alone: a node shows its seed to nobody.
 *
 * @see FED-12, FED-13, FED-14; the form is that of nats-server 2.9
 */
import {
  OWN_ACCESS,
  joinedPermissions,
  permissionsOf,
  permissionsOfHub,
  type Access,
  type Permissions,
} from './permissions.ts'
import { BUCKET_MAX_OCTETS, STREAM_MAX_OCTETS } from './hub-streams.ts'
import { nodeId, principalOf, type NodeAt, type Realm } from './realm.ts'

/** A node of a realm, by the public half of its NKEY: `U…`. One who is in several realms may have one NKEY for all. */
export interface HubNode extends NodeAt, Access {
  readonly nkeyPublic: string
}

/** Who is let in to one realm. */
export interface HubRealm {
  readonly realm: Realm
  readonly nodes: readonly HubNode[]
}

/** A person's own realm: each of their machines writes to all of them, and reads all. */
export function ownHubRealm(realm: Realm, nodes: readonly Pick<HubNode, 'node' | 'nkeyPublic'>[]): HubRealm {
  const handle = principalOf(realm)
  return { realm, nodes: nodes.map((one) => ({ handle, ...OWN_ACCESS, ...one })) }
}

/** Who is let in. */
export interface HubAccount {
  readonly realms: readonly HubRealm[]
  /** Of whoever makes the streams and publishes the documents. */
  readonly adminNkey: string
}

/** Everything of one hub. */
export interface HubSettings extends HubAccount {
  /** `192.168.1.10:4222` */
  readonly listen: string
  /** What the server calls itself. */
  readonly name: string
  /** Folder of its streams. */
  readonly storeDir: string
  /** Its certificate and the key of that; undefined: no TLS (FED-14). */
  readonly tls: { readonly certPath: string; readonly keyPath: string } | undefined
  /** Where it writes its process id, which a reload is sent to; undefined: nowhere. */
  readonly pidPath?: string | undefined
}

/** What the certificate of a hub names, wherever that hub is (FED-14). */
export const HUB_SERVER_NAME = 'agentd-hub'

/** Octets of one message: the largest record with its head, and a presence, fit below it. */
export const HUB_MAX_PAYLOAD = 2_097_152

/** Octets that wait for one connection before the server closes it: many of the largest. */
const MAX_PENDING = 67_108_864

/** Realms that one hub serves at the most: that of its person, and those of several people. */
export const MAX_REALMS = 17

/**
 * What the server may store. It reserves what every stream may come to when that is made, and left to itself it goes by what its
 * disk has free: on a small one the second or third realm would be refused. Nor can a server that runs be told another figure. So
 * it is the same for every hub: room for all realms there may be. Whether the disk has it is told by whoever looks after the hub.
 */
export const HUB_MAX_STORE = MAX_REALMS * (STREAM_MAX_OCTETS + BUCKET_MAX_OCTETS)

/** The whole file. */
export function natsConf(settings: HubSettings): string {
  const { listen, name, storeDir, tls, pidPath } = settings
  const lines = [
    '# Written by `agentd link hub`, which writes it anew: what is changed here is lost.',
    `server_name: ${quoted(name)}`,
    `listen: ${quoted(listen)}`,
    `max_payload: ${HUB_MAX_PAYLOAD}`,
    `max_pending: ${MAX_PENDING}`,
    ...(pidPath === undefined ? [] : [`pid_file: ${quoted(pidPath)}`]),
    ...(tls === undefined ? [] : tlsBlock(tls)),
    `jetstream: { store_dir: ${quoted(storeDir)}, max_file_store: ${HUB_MAX_STORE} }`,
    accountsBlock(settings).trimEnd(),
  ]
  return `${lines.join('\n')}\n`
}

/** What a server that is there already needs: its own file includes it, or holds it. */
export function accountsBlock({ realms, adminNkey }: HubAccount): string {
  const ofHub = permissionsOfHub(realms.map(({ realm }) => realm))
  const users = [
    userBlock('makes the streams, and no node', adminNkey, ofHub),
    ...usersOf(realms).map(([nkey, { names, permissions }]) =>
      userBlock(names.join(', '), nkey, permissions),
    ),
  ]
  const octets = realms.length * (STREAM_MAX_OCTETS + BUCKET_MAX_OCTETS)
  return [
    `# Its streams reserve ${octets} octets of the server's max_file_store.`,
    'accounts: {',
    '  AGENTD: {',
    '    jetstream: enabled',
    '    users: [',
    ...users,
    '    ]',
    '  }',
    '}',
    '',
  ].join('\n')
}

/** Whom a server lets in by one key: it refuses a configuration that names a key twice. */
interface HubUser {
  readonly names: readonly string[]
  readonly permissions: Permissions
}

function usersOf(realms: readonly HubRealm[]): readonly (readonly [nkey: string, user: HubUser])[] {
  const users = new Map<string, HubUser>()
  for (const { realm, nodes } of realms) {
    for (const node of nodes) {
      const permissions = permissionsOf(realm, node, node)
      const { names, permissions: former } = users.get(node.nkeyPublic) ?? { names: [] }
      users.set(node.nkeyPublic, {
        names: [...names, nodeId(realm, node)],
        permissions: former === undefined ? permissions : joinedPermissions(former, permissions),
      })
    }
  }
  return [...users]
}

function tlsBlock({ certPath, keyPath }: { readonly certPath: string; readonly keyPath: string }): string[] {
  return [`tls: { cert_file: ${quoted(certPath)}, key_file: ${quoted(keyPath)}, timeout: 5 }`]
}

function userBlock(who: string, nkey: string, { publish, subscribe }: Permissions): string {
  return [
    `      # ${who}`,
    '      {',
    `        nkey: ${quoted(nkey)}`,
    '        permissions: {',
    `          publish: { allow: [${publish.map(quoted).join(', ')}] }`,
    `          subscribe: { allow: [${subscribe.map(quoted).join(', ')}] }`,
    '        }',
    '      }',
  ].join('\n')
}

/** In quotes a `$` is no variable, and a path may hold anything. */
function quoted(text: string): string {
  return JSON.stringify(text)
}
