/**
 * From a scope to the sessions it names, at a cost that follows the answer and not the house.
 *
 * handle → instruments in order → session id → session. One named session is three look-ups among ten
 * sessions or ten thousand; a prefix is a range of the ordered instruments.
 *
 * @see memo §6, AC-115…AC-121; `scopeNames` in protocol/address/scope.ts defines what this must equal
 */
import type { MembersOf, Scope } from '../../protocol/address/scope.ts'
import type { Session } from '../session/session.ts'

class HandleEntry {
  /** Sorted, without repeats: where a prefix becomes a range. */
  readonly instruments: string[] = []
  readonly sessions = new Map<string, Map<string, Session>>()
}

export class ScopeIndex {
  readonly #handles = new Map<string, HandleEntry>()
  readonly #membersOf: MembersOf

  constructor(membersOf: MembersOf) {
    this.#membersOf = membersOf
  }

  /** Handles that somebody goes by. */
  get handleCount(): number {
    return this.#handles.size
  }

  add(session: Session): void {
    const entry = getOrAdd(this.#handles, session.handle, () => new HandleEntry())
    const sessions = getOrAdd(entry.sessions, session.instrument, () => {
      entry.instruments.splice(lowerBound(entry.instruments, session.instrument), 0, session.instrument)
      return new Map<string, Session>()
    })
    sessions.set(session.sessionId, session)
  }

  remove(session: Session): void {
    const entry = this.#handles.get(session.handle)
    const sessions = entry?.sessions.get(session.instrument)
    if (entry === undefined || sessions?.get(session.sessionId) !== session) return
    sessions.delete(session.sessionId)
    if (sessions.size > 0) return
    entry.sessions.delete(session.instrument)
    entry.instruments.splice(lowerBound(entry.instruments, session.instrument), 1)
    if (entry.instruments.length === 0) this.#handles.delete(session.handle)
  }

  /** The sessions a scope names, in the order of their instruments. */
  *expand(scope: Scope): Generator<Session> {
    if (scope.form === 'org') yield* this.ofHandles(this.#membersOf(scope.org, scope.role))
    if (scope.form === 'org' || scope.form === 'accord') return
    const entry = this.#handles.get(scope.handle)
    if (entry === undefined) return
    if (scope.form === 'session') {
      const session = entry.sessions.get(scope.instrument)?.get(scope.sessionId)
      if (session !== undefined) yield session
      return
    }
    const prefix = scope.form === 'prefix' ? scope.prefix : ''
    for (let i = lowerBound(entry.instruments, prefix); i < entry.instruments.length; i += 1) {
      const instrument = entry.instruments[i] ?? ''
      if (!instrument.startsWith(prefix)) return
      yield* entry.sessions.get(instrument)?.values() ?? []
    }
  }

  /** All sessions of some handles, at a cost that follows the handles that are here, however many members there are. */
  *ofHandles(members: ReadonlySet<string> | undefined): Generator<Session> {
    if (members === undefined) return
    for (const [handle, { sessions }] of this.#handles)
      if (members.has(handle)) for (const ofInstrument of sessions.values()) yield* ofInstrument.values()
  }
}

/** The first place whose value is not less than `value`. */
function lowerBound(sorted: readonly string[], value: string): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((sorted[middle] ?? '') < value) low = middle + 1
    else high = middle
  }
  return low
}

function getOrAdd<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const present = map.get(key)
  if (present !== undefined) return present
  const made = make()
  map.set(key, made)
  return made
}
