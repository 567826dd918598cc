/**
 * What a node may ask of the engine, subject by subject: its own lanes, its own key, and reading what it is in.
 *
 * The server enforces it, and is not the only wall: readers check every signature (FED-41).
 *
 * @see FED-13
 */
import type { Audience } from './audience.ts'
import {
  bucketStream,
  everyLaneOf,
  filterOf,
  inboxPrefix,
  kvSubject,
  laneOf,
  nodeKey,
  realmForm,
  streamName,
  type NodeAt,
  type Realm,
} from './realm.ts'

/** Subjects, wildcards included; whatever is not listed is forbidden. */
export interface Permissions {
  readonly publish: readonly string[]
  readonly subscribe: readonly string[]
}

/** For whom a node writes, and what it reads. */
export interface Access {
  readonly writes: readonly Audience[]
  readonly reads: readonly Audience[]
}

/** Of a person's own machines each writes to all and reads all. */
export const OWN_ACCESS: Access = { writes: [{ of: 'person' }], reads: [{ of: 'person' }] }

/** What one node may. It makes, changes and purges no stream, and no consumer without a filter of what it reads. */
export function permissionsOf(realm: Realm, who: NodeAt, { writes, reads }: Access): Permissions {
  const [stream, bucket] = [streamName(realm), bucketStream(realm)]
  const lanes = lanesOf(realm, who, writes)
  const filters = reads.map((audience) => filterOf(realm, audience))
  return {
    publish: [
      ...lanes,
      kvSubject(realm, nodeKey(realm, who)),
      ...lanes.map((lane) => `$JS.API.DIRECT.GET.${stream}.${lane}`),
      ...readingOf(stream, filters),
      ...readingOf(bucket, [kvSubject(realm, '>')]),
    ],
    subscribe: [`${inboxPrefix(realm, who)}.>`],
  }
}

/**
 * What the machine may that makes the streams and publishes the documents. It is the hub's own, and no node's: nothing of it
 * is ever in a join file.
 */
export function permissionsOfHub(realms: readonly Realm[]): Permissions {
  return {
    publish: ['$JS.API.>', ...realms.map((realm) => kvSubject(realm, '>'))],
    subscribe: ['_INBOX.>'],
  }
}

/** Both: of one who is let in to several realms by one key. */
export function joinedPermissions(a: Permissions, b: Permissions): Permissions {
  return {
    publish: [...new Set([...a.publish, ...b.publish])],
    subscribe: [...new Set([...a.subscribe, ...b.subscribe])],
  }
}

/** In an organisation a node writes for whomever the charter names, so a new charter changes nothing here. */
function lanesOf(realm: Realm, who: NodeAt, writes: readonly Audience[]): readonly string[] {
  if (realmForm(realm).form !== 'org') return writes.map((audience) => laneOf(realm, { ...who, audience }))
  return writes.length === 0 ? [] : [everyLaneOf(realm, who)]
}

/** Reading one stream through consumers with a filter, which the name of the request repeats. */
function readingOf(stream: string, filters: readonly string[]): readonly string[] {
  return [
    `$JS.API.STREAM.INFO.${stream}`,
    ...filters.map((filter) => `$JS.API.CONSUMER.CREATE.${stream}.*.${filter}`),
    `$JS.API.CONSUMER.INFO.${stream}.*`,
    `$JS.API.CONSUMER.DELETE.${stream}.*`,
    `$JS.API.CONSUMER.MSG.NEXT.${stream}.*`,
  ]
}
