/**
 * The configuration of a hub, as text for `nats-server`: who may connect, and what each may ask.
 *
 * It holds public keys alone: a node shows its seed to nobody.
 *
 * @see FED-12, FED-13, FED-14; the form is that of nats-server 2.9
 */
import { permissionsOf, permissionsOfHub, type Permissions } from './permissions.ts'
import type { Realm } from './realm.ts'

/** A node, by the public half of its NKEY: `U…`. */
export interface HubNode {
  readonly node: string
  readonly nkeyPublic: string
}

/** Who is let in, to one realm. */
export interface HubAccount {
  readonly realm: Realm
  readonly nodes: readonly HubNode[]
  /** Of whoever makes the streams and publishes the estate. */
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
    `jetstream: { store_dir: ${quoted(storeDir)} }`,
    accountsBlock(settings).trimEnd(),
  ]
  return `${lines.join('\n')}\n`
}

/** What a server that is there already needs: its own file includes it, or holds it. */
export function accountsBlock({ realm, nodes, adminNkey }: HubAccount): string {
  const users = [
    userBlock('makes the streams, and no node', adminNkey, permissionsOfHub(realm)),
    ...nodes.map(({ node, nkeyPublic }) => userBlock(node, nkeyPublic, permissionsOf(realm, node))),
  ]
  return [
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
