/**
 * Both rings, and retained frames to put into them. The one on disk is the real one, in a directory of its own.
 */
import { randomUUID } from 'node:crypto'
import { DeliveryRecord } from '../../src/broker/ring/delivery.ts'
import { MemoryRing } from '../../src/broker/ring/memory/memory-ring.ts'
import {
  ENVELOPE_KIND,
  envelopeKey,
  type EnvelopeFacts,
  type RetainedEnvelope,
  type RetainedFrame,
} from '../../src/broker/ring/retained.ts'
import type { Deletion, RetentionBounds, Ring } from '../../src/broker/ring/ring.ts'
import { newEpoch } from '../../src/core/ids.ts'
import type { Logger } from '../../src/core/log.ts'
import { requireScope } from '../../src/protocol/address/scope.ts'
import type { Driver } from '../../src/store/driver/database.ts'
import { loadDriver } from '../../src/store/driver/driver.ts'
import type { StorePlace } from '../../src/store/file/epoch.ts'
import { SqliteRing } from '../../src/store/ring/sqlite-ring.ts'
import type { TempDir } from './temp-dir.ts'
import { silentLog } from './silent-log.ts'
import { HAS_SQLITE } from './without-sqlite.ts'

/** When retained frames of tests are accepted unless they say otherwise. */
export const NOON_MS = Date.UTC(2026, 10, 20, 12)

/** Bounds that nothing here reaches. */
export const ROOMY: RetentionBounds = { maxFrames: 100_000, maxBytes: 2 ** 30, maxAgeMs: 7 * 86_400_000 }

/** How a retained frame differs from a plain one. */
export interface FrameWish {
  readonly frameId?: string
  readonly kind?: string
  readonly senderHandle?: string
  readonly text?: string
  readonly acceptedAtMs?: number
  readonly emittedTo?: readonly string[]
  readonly queuedTo?: readonly string[]
}

/** A frame as the broker hands it to a ring; its text is whatever the test says. */
export function retained(wish: FrameWish = {}): RetainedFrame {
  const { frameId = randomUUID(), kind = 'agent_advisory', senderHandle = '~alice' } = wish
  const { acceptedAtMs = NOON_MS, emittedTo = [], queuedTo = [] } = wish
  const text = wish.text ?? JSON.stringify({ frame_id: frameId, note: 'ünïcode ☕ \\"quoted\\"' })
  const delivery = new DeliveryRecord()
  delivery.record({ emittedTo, queuedTo, recipientCount: emittedTo.length }, acceptedAtMs)
  return {
    type: 'frame',
    seq: 0,
    key: frameId,
    kind,
    senderHandle,
    tool: undefined,
    scope: requireScope('~alice/*', 'recipient_scope'),
    scopeText: '~alice/*',
    envelope: undefined,
    text,
    senderAddress: '~alice/cc@s1',
    acceptedAtMs,
    expiresAtMs: acceptedAtMs + 60_000,
    origin: undefined,
    delivery,
  }
}

/** How a retained envelope differs from a plain one. */
export interface EnvelopeWish extends Partial<EnvelopeFacts> {
  readonly text?: string
  readonly acceptedAtMs?: number
  readonly emittedTo?: readonly string[]
  readonly queuedTo?: readonly string[]
}

/** An envelope as the broker hands it to a ring. */
export function retainedEnvelope(wish: EnvelopeWish = {}): RetainedEnvelope {
  const { text: given, acceptedAtMs = NOON_MS, emittedTo = [], queuedTo = [], ...changes } = wish
  const facts: EnvelopeFacts = {
    id: randomUUID(),
    corr: 'corr-one',
    type: 'task',
    from: 'agent.a',
    to: 'agent.b',
    intent: 'ops.backup.check',
    replyTo: null,
    priority: 'normal',
    effectivePriority: 'normal',
    isLate: false,
    ...changes,
  }
  const { id, from, to } = facts
  const text =
    given ?? `{"id":${JSON.stringify(id)}, "x_big":12345678901234567890,"x_float":1.0,"☕":"\\u00e9"}`
  const delivery = new DeliveryRecord()
  delivery.record({ emittedTo, queuedTo, recipientCount: emittedTo.length }, acceptedAtMs)
  return {
    ...retained({ acceptedAtMs }),
    type: 'envelope',
    key: envelopeKey(id),
    kind: ENVELOPE_KIND,
    senderAddress: `~alice/cc@${from.length}`,
    scope: undefined,
    scopeText: to,
    envelope: facts,
    text,
    expiresAtMs: Number.MAX_SAFE_INTEGER,
    delivery,
  }
}

/** Forgets whatever matches of all there is, however many steps that takes. @returns how much it was */
export function forgetAll(ring: Ring, which: Deletion): number {
  let count = 0
  for (let afterSeq: number | undefined = 0; afterSeq !== undefined;) {
    const { places, nextSeq } = ring.forget(which, { afterSeq, upToSeq: ring.lastSeq })
    count += places.length
    afterSeq = nextSeq
  }
  return count
}

/** Several plain frames. */
export function retainedFrames(count: number, wish: FrameWish = {}): RetainedFrame[] {
  return Array.from({ length: count }, () => retained(wish))
}

/** @throws Error when there is no SQLite here: these tests are about the store */
export async function requireDriver(): Promise<Driver> {
  const driver = await loadDriver()
  if (typeof driver === 'string') throw new Error(driver)
  return driver
}

/** What a driver opens. */
export type Connection = InstanceType<Driver>

/** A driver that remembers its connections, so that a test can ask the one the ring has. */
export function watchDriver(driver: Driver): { driver: Driver; connections: readonly Connection[] } {
  const connections: Connection[] = []
  class Watched extends driver {
    constructor(...args: ConstructorParameters<Driver>) {
      super(...args)
      connections.push(this)
    }
  }
  return { driver: Watched, connections }
}

/** Where a test's store is, on a boot of its own. */
export function storePlace(dir: TempDir, more: Partial<StorePlace> = {}): StorePlace {
  return { path: dir.file('ring.db'), ack: 'process', bootId: 'boot-1', nowMs: () => NOON_MS, ...more }
}

/** Opens the ring on disk. */
export async function openRing(
  dir: TempDir,
  {
    retention = ROOMY,
    log = silentLog,
    driver,
    ...place
  }: Partial<StorePlace> & { retention?: RetentionBounds; log?: Logger; driver?: Driver } = {},
): Promise<SqliteRing> {
  return new SqliteRing({
    driver: driver ?? (await requireDriver()),
    place: storePlace(dir, place),
    retention,
    log,
  })
}

/** One of the two, or the one in memory where there is no SQLite, for laws that hold for both. */
export interface RingMaker {
  readonly name: string
  readonly make: (dir: TempDir, retention?: RetentionBounds) => Promise<Ring>
}

const ON_DISK: RingMaker = {
  name: 'SqliteRing',
  make: (dir, retention = ROOMY) => openRing(dir, { retention }),
}

export const RING_MAKERS: readonly RingMaker[] = [
  { name: 'MemoryRing', make: async (_dir, retention = ROOMY) => new MemoryRing(newEpoch(), retention) },
  ...(HAS_SQLITE ? [ON_DISK] : []),
]
