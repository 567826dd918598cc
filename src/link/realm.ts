/**
 * A realm: who shares one stream. Its name, and the names of what it has in the engine.
 *
 * Of the three forms one is spoken so far: `p.<handle>`, a person's own machines. Handle bodies and labels of machines
 * stand in subjects as they are, since neither has a dot.
 *
 * @see FED-11
 */
import { UsageError } from '../core/errors.ts'
import { isLabel } from '../protocol/address/label.ts'

/** `p.alice`. */
export type Realm = string

const PERSONAL = 'p.'

/** Key of the person's estate in the bucket. */
export const ESTATE_KEY = 'estate'

/** What a node's own keys in the bucket begin with. */
const NODE_KEYS = 'node.'

/** The realm of one person's machines. @param principal - a handle, `~alice` */
export function ownRealm(principal: string): Realm {
  return `${PERSONAL}${principal.slice(1)}`
}

/** Whether a text names a realm that is spoken here. */
export function isRealm(text: string): boolean {
  return text.startsWith(PERSONAL) && isLabel(text.slice(PERSONAL.length))
}

/** Whose realm it is: `~alice`. @throws UsageError for a realm that is none */
export function principalOf(realm: Realm): string {
  return `~${bodyOf(realm)}`
}

/** Whether a text can be the name of a machine: 1 to 32 of `a-z 0-9 -`, no hyphen at either end. */
export function isNodeLabel(text: string): boolean {
  return isLabel(text)
}

/** The one subject that a node writes: `agentd.v1.p.alice.f.laptop`. */
export function laneOf(realm: Realm, node: string): string {
  return `${lanePrefix(realm)}${node}`
}

/** The node whose lane it is; undefined for a subject that is no lane of the realm. */
export function nodeOfLane(realm: Realm, lane: string): string | undefined {
  const prefix = lanePrefix(realm)
  const node = lane.startsWith(prefix) ? lane.slice(prefix.length) : ''
  return isNodeLabel(node) ? node : undefined
}

/** Every lane of the realm: `agentd.v1.p.alice.f.>`. */
export function laneFilter(realm: Realm): string {
  return `${lanePrefix(realm)}>`
}

/** `AGENTD_P_alice`. */
export function streamName(realm: Realm): string {
  return `AGENTD_P_${bodyOf(realm)}`
}

/** The bucket that holds the estate and who is there: `agentd_P_alice`. */
export function bucketName(realm: Realm): string {
  return `agentd_P_${bodyOf(realm)}`
}

/** The stream that a bucket is: `KV_agentd_P_alice`. */
export function bucketStream(realm: Realm): string {
  return `KV_${bucketName(realm)}`
}

/** The one key that a node writes: `node.laptop`. */
export function nodeKey(node: string): string {
  return `${NODE_KEYS}${node}`
}

/** The subject of a key: `$KV.agentd_P_alice.node.laptop`. @param key - `>` for all of them */
export function kvSubject(realm: Realm, key: string): string {
  return `$KV.${bucketName(realm)}.${key}`
}

/** The node whose key it is; undefined for a subject that is none of the realm. */
export function nodeOfKey(realm: Realm, subject: string): string | undefined {
  const prefix = kvSubject(realm, NODE_KEYS)
  const node = subject.startsWith(prefix) ? subject.slice(prefix.length) : ''
  return isNodeLabel(node) ? node : undefined
}

function lanePrefix(realm: Realm): string {
  return `agentd.v1.${PERSONAL}${bodyOf(realm)}.f.`
}

/** Nothing of a realm that is none ever gets into a subject: a wildcard in it would read others. */
function bodyOf(realm: Realm): string {
  if (!isRealm(realm)) throw new UsageError(`"${realm}" is no realm; write p.<handle>, such as p.alice.`)
  return realm.slice(PERSONAL.length)
}
