/**
 * One node's roster, so that counting whom a scope or an entity names costs a look-up: 64 nodes of 4 096 sessions are asked
 * at every submission.
 *
 * handle → instruments in order, with how many sessions stand before each. A prefix is two places in that order.
 *
 * @see FED-50; `scopeNames` in protocol/address/scope.ts defines what this must equal
 */
import { handleOf } from '../../protocol/address/handle.ts'
import type { Scope } from '../../protocol/address/scope.ts'
import type { RemoteSession } from './remote.ts'

/** The sessions of one handle. */
interface OfHandle {
  /** Sorted, without repeats. */
  readonly instruments: readonly string[]
  /** How many sessions the instruments before one have together, and behind the last how many there are. */
  readonly before: readonly number[]
}

export class RosterIndex {
  readonly #handles = new Map<string, OfHandle>()
  readonly #sessions = new Map<string, RemoteSession>()
  readonly #entities = new Map<string, number>()

  /** @param sessions - of one node */
  constructor(sessions: readonly RemoteSession[]) {
    const byHandle = new Map<string, Map<string, number>>()
    for (const session of sessions) {
      for (const entity of session.entities ?? []) add(this.#entities, entity)
      this.#sessions.set(session.address, session)
      // A scope reaches who listens or has a mailbox; who only sends is nobody's recipient.
      if (!isReachable(session)) continue
      const handle = handleOf(session.address)
      const counts = byHandle.get(handle) ?? new Map<string, number>()
      byHandle.set(handle, counts)
      add(counts, session.instrument)
    }
    for (const [handle, counts] of byHandle) this.#handles.set(handle, inOrder(counts))
  }

  /** How many sessions a scope names; whoever is reached through an organisation or an accord is not counted by it. */
  count(scope: Scope): number {
    if (scope.form === 'org' || scope.form === 'accord') return 0
    if (scope.form === 'session')
      return this.hasAddress(`${scope.handle}/${scope.instrument}@${scope.sessionId}`) ? 1 : 0
    const ofHandle = this.#handles.get(scope.handle)
    if (ofHandle === undefined) return 0
    const { instruments, before } = ofHandle
    const prefix = scope.form === 'prefix' ? scope.prefix : ''
    const first = place(instruments, (instrument) => instrument >= prefix)
    const end = place(instruments, (instrument) => instrument >= prefix && !instrument.startsWith(prefix))
    return (before[end] ?? 0) - (before[first] ?? 0)
  }

  /** How many sessions speak for an entity. */
  countEntity(name: string): number {
    return this.#entities.get(name) ?? 0
  }

  /** Whether what is for an address reaches somebody. */
  hasAddress(address: string): boolean {
    const session = this.#sessions.get(address)
    return session !== undefined && isReachable(session)
  }

  /** Whoever has an address, reached or not. */
  find(address: string): RemoteSession | undefined {
    return this.#sessions.get(address)
  }

  get entities(): Iterable<string> {
    return this.#entities.keys()
  }
}

function isReachable({ live, mailbox }: RemoteSession): boolean {
  return live || mailbox
}

function inOrder(counts: ReadonlyMap<string, number>): OfHandle {
  const instruments = [...counts.keys()].toSorted((a, b) => (a < b ? -1 : 1))
  const before = [0]
  for (const instrument of instruments) before.push((before.at(-1) ?? 0) + (counts.get(instrument) ?? 0))
  return { instruments, before }
}

/** The first place of which something holds that holds for all behind it too. */
function place(sorted: readonly string[], isBehind: (value: string) => boolean): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (isBehind(sorted[middle] ?? '')) high = middle
    else low = middle + 1
  }
  return low
}

function add(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1)
}
