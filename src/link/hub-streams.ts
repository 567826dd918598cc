/**
 * The two streams of a realm as the engine's own requests describe them: the lanes, and the bucket with the documents and
 * who is there. `agentd link hub` makes them, no node does.
 *
 * @see FED-11, FED-12; the names of the members are those of `$JS.API.STREAM.CREATE`
 */
import { bucketStream, kvSubject, laneFilter, streamName, type Realm } from './realm.ts'

/** As JetStream takes it; spans of time in nanoseconds. */
export interface StreamConfig {
  readonly name: string
  readonly subjects: readonly string[]
  readonly storage: 'file'
  readonly retention: 'limits'
  readonly discard: 'old' | 'new'
  readonly max_age: number
  readonly max_bytes: number
  readonly max_msgs_per_subject: number
  readonly num_replicas: number
  readonly allow_direct: boolean
  readonly allow_rollup_hdrs: false
  readonly deny_delete: true
  readonly deny_purge: true
}

const NANOSECONDS = 1_000_000
const DAY_MS = 86_400_000

/** How long the hub keeps a batch: whoever is away for longer is told of a hole (FED-28). */
export const STREAM_MAX_AGE_MS = 7 * DAY_MS

/** Octets of all batches together on the hub's disk. */
export const STREAM_MAX_OCTETS = 1_073_741_824

/** The same for the bucket: a document or three, and one value for each node. */
export const BUCKET_MAX_OCTETS = 67_108_864

/** No bound, in the engine's words. */
const UNBOUNDED = -1

/** @param replicas - 1, or 3 on a cluster */
export function streamConfig(realm: Realm, replicas = 1): StreamConfig {
  return {
    ...SHARED,
    name: streamName(realm),
    subjects: [laneFilter(realm)],
    discard: 'old',
    max_age: STREAM_MAX_AGE_MS * NANOSECONDS,
    max_bytes: STREAM_MAX_OCTETS,
    max_msgs_per_subject: UNBOUNDED,
    num_replicas: replicas,
    allow_direct: true,
  }
}

/**
 * One value for each key. It keeps what it has when it is full, so that nobody pushes a document out; and no header of a
 * message empties it, which the engine's own buckets allow whoever may write one key.
 */
export function bucketConfig(realm: Realm, replicas = 1): StreamConfig {
  return {
    ...SHARED,
    name: bucketStream(realm),
    subjects: [kvSubject(realm, '>')],
    discard: 'new',
    max_age: 0,
    max_bytes: BUCKET_MAX_OCTETS,
    max_msgs_per_subject: 1,
    num_replicas: replicas,
    allow_direct: false,
  }
}

const SHARED = {
  storage: 'file',
  retention: 'limits',
  allow_rollup_hdrs: false,
  deny_delete: true,
  deny_purge: true,
} as const
