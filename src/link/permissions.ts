/**
 * What a node may ask of the engine, subject by subject: its own lane, its own key, and reading its realm.
 *
 * The server enforces it, and is not the only wall: readers check every signature (FED-41).
 *
 * @see FED-13
 */
import { bucketStream, kvSubject, laneFilter, laneOf, nodeKey, streamName, type Realm } from './realm.ts'

/** Subjects, wildcards included; whatever is not listed is forbidden. */
export interface Permissions {
  readonly publish: readonly string[]
  readonly subscribe: readonly string[]
}

/** What the subjects of a node's answers begin with, as the client's option `inboxPrefix`: `_INBOX_laptop`. */
export function inboxPrefix(node: string): string {
  return `_INBOX_${node}`
}

/** What one node may. It makes, changes and purges no stream, and no consumer without a filter of its own realm. */
export function permissionsOf(realm: Realm, node: string): Permissions {
  const [lanes, bucket] = [streamName(realm), bucketStream(realm)]
  const lane = laneOf(realm, node)
  return {
    publish: [
      lane,
      kvSubject(realm, nodeKey(node)),
      `$JS.API.DIRECT.GET.${lanes}.${lane}`,
      ...readingOf(lanes, laneFilter(realm)),
      ...readingOf(bucket, kvSubject(realm, '>')),
    ],
    subscribe: [`${inboxPrefix(node)}.>`],
  }
}

/**
 * What the machine may that makes the streams and publishes the estate. It is the hub's own, and no node's: nothing of it
 * is ever in a join file.
 */
export function permissionsOfHub(realm: Realm): Permissions {
  return { publish: ['$JS.API.>', kvSubject(realm, '>')], subscribe: ['_INBOX.>'] }
}

/** Reading one stream through consumers with a filter, which the name of the request repeats. */
function readingOf(stream: string, filter: string): readonly string[] {
  return [
    `$JS.API.STREAM.INFO.${stream}`,
    `$JS.API.CONSUMER.CREATE.${stream}.*.${filter}`,
    `$JS.API.CONSUMER.INFO.${stream}.*`,
    `$JS.API.CONSUMER.DELETE.${stream}.*`,
    `$JS.API.CONSUMER.MSG.NEXT.${stream}.*`,
  ]
}
