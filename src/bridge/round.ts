/**
 * One connection to the hub from its beginning to its end: a writer for each lane, a reader for each filter, and the bucket,
 * until any of them has a doubt.
 */
import type { Clock, Timer } from '../core/clock.ts'
import type { LinkFile } from '../link/link-file.ts'
import { Bucket } from './bucket.ts'
import type { Condition } from './condition.ts'
import type { Door } from './daemon/door.ts'
import { stuckEngine, type HubFault } from './hub/faults.ts'
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

/** An engine that has said nothing by then is told of, and by when it is given up: before the connection itself would be. */
const TOLD_MS = 2_000
const GIVEN_UP_MS = 15_000

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
      requireAnswering(hub, clock, (fault) => condition.waits(fault)).catch(reject)
      bucket.run().catch(reject)
      for (const { lane } of lanes) new Writer(parts, lane).run(ending.signal).catch(reject)
      for (const { filter } of filters) new Reader(parts, filter).run().catch(reject)
    })
  } finally {
    ending.abort()
    if (signal.aborted) await leave(bucket, clock)
    await hub.close()
    bucket.close()
  }
}

/**
 * A server that has let this machine in a moment ago is there, and so is the way to it: where it then says nothing of its streams,
 * its engine is stuck (FT-16). On a slow line an answer takes a while, so it is waited for longer than until it is told of.
 *
 * @throws HubFault
 */
export async function requireAnswering(
  hub: Pick<Hub, 'stream'>,
  clock: Clock,
  tell: (fault: HubFault) => void,
): Promise<void> {
  const telling = clock.after(TOLD_MS, () => tell(stuckEngine()))
  let givingUp: Timer | undefined
  const givenUp = new Promise<never>((_resolve, reject) => {
    givingUp = clock.after(GIVEN_UP_MS, () => reject(stuckEngine()))
  })
  try {
    await Promise.race([hub.stream(), givenUp])
  } finally {
    telling.cancel()
    givingUp?.cancel()
  }
}

/** Waits for it a moment; a hub that does not hear it will see the node's last word grow old. */
async function leave(bucket: Bucket, clock: Clock): Promise<void> {
  await Promise.race([
    bucket.leave().catch(() => undefined),
    new Promise<void>((resolve) => clock.after(LEAVE_MS, resolve)),
  ])
}
