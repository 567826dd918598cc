/**
 * One connection to the hub from its beginning to its end: a writer for each lane, a reader for each filter, and the bucket,
 * until any of them has a doubt.
 */
import type { Clock } from '../core/clock.ts'
import type { LinkFile } from '../link/link-file.ts'
import { Bucket } from './bucket.ts'
import type { Condition } from './condition.ts'
import type { Door } from './daemon/door.ts'
import { Hub } from './hub/hub.ts'
import { readLinkState } from './daemon/link-state.ts'
import { Reader } from './reader.ts'
import { Writer } from './writer.ts'

/** What a round needs. */
export interface RoundStart {
  readonly door: Door
  readonly link: LinkFile
  readonly clock: Clock
  readonly condition: Condition
}

/** A node that goes says so, unless the hub is slow to hear it. */
const LEAVE_MS = 1_000

/**
 * Carries until something ends it.
 *
 * @param signal - the bridge is to end: the node says that it goes
 * @throws whatever ended it: HubFault, Fenced, LaneMoved, DaemonAway, DaemonRefusal, or the signal's reason
 */
export async function runRound(
  { door, link, clock, condition }: RoundStart,
  signal: AbortSignal,
): Promise<never> {
  const hub = await Hub.connect(link)
  const ending = new AbortController()
  const bucket = new Bucket({ door, hub, link, clock })
  try {
    const { lanes, filters } = await readLinkState(door)
    condition.connected(hub, lanes.length + filters.length)
    return await new Promise<never>((_resolve, reject) => {
      const parts = { door, hub, link, clock, bucket, condition, onFault: reject }
      signal.addEventListener('abort', () => reject(signal.reason), { once: true })
      hub.closed().then(reject, reject)
      bucket.run().catch(reject)
      for (const { lane } of lanes) new Writer(parts, lane).run(ending.signal).catch(reject)
      for (const { filter } of filters) new Reader(parts, filter).run().catch(reject)
    })
  } finally {
    ending.abort()
    if (signal.aborted) await leave(bucket, clock)
    await hub.close()
  }
}

/** Waits for it a moment; a hub that does not hear it will see the node's last word grow old. */
async function leave(bucket: Bucket, clock: Clock): Promise<void> {
  await Promise.race([
    bucket.leave().catch(() => undefined),
    new Promise<void>((resolve) => clock.after(LEAVE_MS, resolve)),
  ])
}
