/**
 * What the daemon remembers with: the ring on disk where it can be had, the one in memory otherwise.
 *
 * @see; docs/http.md §10
 */
import { statfsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { systemErrorCode, messageOf } from '../core/thrown.ts'
import { NOTHING_INHERITED, memoryLedger, type Inheritance, type Ledger } from '../broker/session/ledger.ts'
import { AgeClock } from '../broker/ring/age-clock.ts'
import { MemoryRing } from '../broker/ring/memory/memory-ring.ts'
import type { RetentionBounds, Ring } from '../broker/ring/ring.ts'
import { AgentdError } from '../core/errors.ts'
import { newEpoch } from '../core/ids.ts'
import { ensurePrivateDirectory } from '../host/config/paths.ts'
import { bootId } from '../host/process/processes.ts'
import { HostRefusal } from '../host/files/refusal.ts'
import { driverFailure, isFull, loadDriver } from '../store/driver/driver.ts'
import { StoreWatch } from '../store/file/store-watch.ts'
import { SqliteHookRecords } from '../store/hook-records.ts'
import { SqliteLedger } from '../store/ledger.ts'
import { SqliteRing } from '../store/ring/sqlite-ring.ts'
import { forgetfulRecords, type HookRecords } from '../hooks/memory/hook-records.ts'
import type { DaemonParts } from './parts.ts'

/** A ring, what is written down beside it, and what is not as it should be. */
export interface Persistence {
  readonly ring: Ring
  readonly ledger: Ledger
  readonly inheritance: Inheritance
  readonly hooks: HookRecords
  readonly details: readonly string[]
  /** Stops what goes on beside the ring, and closes it; harmless when repeated. */
  readonly close: () => void
}

/** What helps where there is no SQLite that the store can use. */
const REMEDY = 'Install agentd with its optional packages, or run it with a current Node 22 or newer.'

/** What a ring in memory may hold, whatever the disk could. */
const MAX_MEMORY_RING_BYTES = 64 * 1024 * 1024

/** @throws HostRefusal when the disk refuses: a daemon that was to keep frames does not quietly lose them */
export async function openPersistence(parts: DaemonParts, retention: RetentionBounds): Promise<Persistence> {
  const { config } = parts
  if (!config.ring.isOnDisk) return inMemory(parts, retention, [])
  const driver = await loadDriver()
  if (typeof driver === 'string') {
    parts.log.warn('memory-only', { why: driver, remedy: REMEDY })
    return inMemory(parts, retention, [`Frames are kept in memory only: ${driver}. ${REMEDY}`])
  }
  const path = join(config.stateDir, 'ring.db')
  try {
    prepareDirectory(parts)
    const place = { path, ack: config.ack, bootId: bootId(), nowMs: () => parts.clock.nowMs() }
    const age = new AgeClock(parts.clock)
    const ring = new SqliteRing({ driver, place, retention: agedBy(age, retention), log: parts.log })
    age.know(ring.readBack(ring.lastSeq + 1, 1)[0]?.acceptedAtMs)
    const inherited = inheritFrom(ring, parts)
    const hooks = new SqliteHookRecords(ring, parts.log)
    return { ring, ...inherited, hooks, details: [], close: watchStore(ring, parts) }
  } catch (error) {
    const why = memoryInstead(error, path)
    if (why === undefined) throw refusalOfStore(error, path)
    parts.log.error('memory-only', { why })
    return inMemory(parts, retention, [`Frames are kept in memory only: ${why}.`])
  }
}

/** Why the daemon serves from memory rather than not at all; undefined where the store has to be refused. */
function memoryInstead(error: unknown, path: string): string | undefined {
  // Another daemon of the same person, at another socket: both can serve, one can write.
  if (driverFailure(error) === 'held') return `${path} is in use`
  // Those who ask for room have to be able to talk about it (HD-15).
  const cause = error instanceof HostRefusal ? error.cause : error
  if (!isFull(cause) && !(driverFailure(cause) === 'refused' && isWithoutRoom(dirname(path))))
    return undefined
  return `there is no room for ${path}; what it holds is back when agentd is started again with some room`
}

/** SQLite says of a log that it cannot make only that it cannot open it. */
function isWithoutRoom(directory: string): boolean {
  try {
    const { bavail, blocks, ffree, files } = statfsSync(directory)
    return (blocks > 0 && bavail === 0) || (files > 0 && ffree === 0)
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error
    return false
  }
}

function refusalOfStore(error: unknown, path: string): unknown {
  if (error instanceof HostRefusal) return error
  // Neither SQLite's word nor the system's: a defect.
  if (driverFailure(error) === undefined && systemErrorCode(error) === undefined) return error
  const hint = 'Start with --no-ring to keep frames in memory.'
  return new HostRefusal(`The store ${path} cannot be used: ${messageOf(error)}. ${hint}`, { cause: error })
}

/** What the last daemon left; a ring whose past cannot be read is not left open. */
function inheritFrom(
  ring: SqliteRing,
  { clock, log }: DaemonParts,
): Pick<Persistence, 'ledger' | 'inheritance'> {
  try {
    const ledger = new SqliteLedger(ring, log)
    return { ledger, inheritance: ledger.inheritance(clock.nowMs()) }
  } catch (error) {
    ring.close()
    throw error
  }
}

/** @returns ends the watch, and then the ring */
function watchStore(ring: SqliteRing, parts: DaemonParts): () => void {
  const { clock, log } = parts
  const watch = new StoreWatch({
    file: ring.file,
    clock,
    log,
    prepareDirectory: () => refusalOf(() => prepareDirectory(parts)),
    onCut: (damage) => void refusalOf(() => ring.recover(damage)),
  })
  watch.start()
  return () => {
    watch.stop()
    ring.close()
  }
}

function prepareDirectory({ config, environment }: DaemonParts): void {
  ensurePrivateDirectory(config.stateDir, environment)
}

/** @returns the sentence of a refusal, by the place or by the disk; undefined when it was done */
function refusalOf(act: () => void): string | undefined {
  try {
    act()
    return undefined
  } catch (error) {
    if (!(error instanceof HostRefusal || error instanceof AgentdError)) throw error
    return error.message
  }
}

function inMemory(
  { clock }: DaemonParts,
  retention: RetentionBounds,
  details: readonly string[],
): Persistence {
  const age = new AgeClock(clock)
  // A daemon numbers fewer than a thousand reports a second, so none of an earlier one is above the time it began.
  const ring = new MemoryRing(newEpoch(), agedBy(age, retention, MAX_MEMORY_RING_BYTES), clock.nowMs())
  return {
    ring,
    ledger: memoryLedger(ring),
    inheritance: NOTHING_INHERITED,
    hooks: forgetfulRecords,
    details,
    close: () => ring.close(),
  }
}

/** The bounds in force at each look, with an age that no step of the wall clock makes greater (HD-16). */
function agedBy(age: AgeClock, retention: RetentionBounds, greatestBytes = Infinity): RetentionBounds {
  return {
    get maxFrames() {
      return retention.maxFrames
    },
    get maxBytes() {
      return Math.min(retention.maxBytes, greatestBytes)
    },
    get maxAgeMs() {
      return retention.maxAgeMs
    },
    get clockAheadMs() {
      return age.aheadMs()
    },
  }
}
