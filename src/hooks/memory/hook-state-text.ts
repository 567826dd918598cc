/**
 * What is remembered of a session, as text: one line of JSON, within every bound.
 *
 * Whatever it says is read member by member: one that was cut, or written by somebody with other ideas, costs what it held
 * and nothing else. The files of earlier versions read alike (OP-05).
 */
import type { Activity, WakeChannels } from '../../runtimes/events/hook-runtime.ts'
import { objectOf, parseMembers } from '../../core/text/json-object.ts'
import type { EventMembers } from '../../runtimes/events/members.ts'
import { newHookState, type HookState } from './hook-state.ts'

/** Bounds of what is kept, newest last. */
const MAX_EDITS = 256
const MAX_READS = 256
const MAX_FORMERS = 64
const MAX_SHOWN = 256
const MAX_UNPROVED = 8
const MAX_RECENT = 32
const MAX_WAKES = 16
const MAX_TEXT_CHARS = 4_096
const MAX_CHANNELS = 8
const MAX_NAME_CHARS = 64

/** The same state with what is beyond its bounds forgotten, the oldest first. */
export function bounded(state: HookState): HookState {
  return {
    ...state,
    formers: newest(state.formers, MAX_FORMERS),
    edits: newestOf(state.edits, MAX_EDITS),
    reads: newestOf(state.reads, MAX_READS),
    shown: newestOf(state.shown, MAX_SHOWN),
    unproved: newest(state.unproved, MAX_UNPROVED),
    recent: newestOf(state.recent, MAX_RECENT),
    wakes: newest(state.wakes, MAX_WAKES),
  }
}

function newest<T>(items: readonly T[], most: number): readonly T[] {
  return items.length <= most ? items : items.slice(-most)
}

function newestOf<K, V>(items: ReadonlyMap<K, V>, most: number): ReadonlyMap<K, V> {
  return items.size <= most ? items : new Map([...items].slice(-most))
}

/** One line of JSON. @param state - within its bounds, as memory keeps it */
export function formatHookState(state: HookState): string {
  const { wakeChannels: doors, edits, reads, shown, recent, ...plain } = state
  return JSON.stringify({
    ...plain,
    edits: [...edits],
    reads: [...reads],
    shown: [...shown],
    recent: [...recent],
    // Its name since the first of these texts.
    doors,
  })
}

/** @returns undefined for what does not even say whose state it is */
export function parseHookState(json: string): HookState | undefined {
  const value = parseMembers(json) ?? {}
  const runtime = text(value['runtime'])
  const sessionId = text(value['sessionId'])
  if (runtime === undefined || sessionId === undefined) return undefined
  return bounded({
    ...newHookState(runtime, sessionId, time(value['atMs']) ?? 0),
    ...readIdentity(value),
    isBusy: value['isBusy'] === true,
    wokenWith: text(value['wokenWith']),
    isHeadless: value['isHeadless'] === true,
    isUnplaced: value['isUnplaced'] === true,
    said: readSaid(value['said']),
    isChild: value['isChild'] === true,
    formers: [...new Set([...list(value['formers'], text), ...formerHolders(value['leases'])])],
    edits: new Map(pairs(value['edits'], readSpan)),
    reads: new Map(pairs(value['reads'], time)),
    shown: new Map(pairs(value['shown'], time)),
    unproved: list(value['unproved'], text),
    recent: new Map(pairs(value['recent'], time)),
    wakes: list(value['wakes'], time),
    wakeChannels: readChannels(objectOf(value['doors'])),
  })
}

/** Earlier versions remembered each lease by its id, a space and its holder. */
function formerHolders(leases: unknown): readonly string[] {
  return pairs(leases, text).map(([key]) => key.slice(key.indexOf(' ') + 1))
}

function readIdentity(value: EventMembers): Partial<HookState> {
  return {
    heir: text(value['heir']),
    endedMs: time(value['endedMs']),
    address: text(value['address']),
    token: token(value['token']),
    registration: value['registration'] === undefined ? undefined : objectOf(value['registration']),
    pid: time(value['pid']),
    pidStart: text(value['pidStart']),
    repository: text(value['repository']),
    repositoryId: text(value['repositoryId']),
    worktree: text(value['worktree']),
    branch: text(value['branch']),
  }
}

const STATES: readonly Activity['state'][] = ['working', 'waiting', 'idle']
const REASONS: readonly Activity['reason'][] = ['permission', 'question', 'limit', 'error']

/** What cannot be read is said again. */
function readSaid(value: unknown): Activity | undefined {
  const said = objectOf(value)
  const state = STATES.find((one) => one === said['state'])
  if (state === undefined) return undefined
  return { state, reason: REASONS.find((one) => one === said['reason']), text: text(said['text']) }
}

/** Whatever its runtime calls them. */
function readChannels(value: EventMembers): WakeChannels {
  const found = Object.entries(value).flatMap(([name, content]) => {
    const channel = name.length > MAX_NAME_CHARS ? undefined : text(content)
    return channel === undefined ? [] : [[name, channel] as const]
  })
  return Object.fromEntries(found.slice(0, MAX_CHANNELS))
}

function readSpan(value: unknown): readonly [number, number] | undefined {
  const [first, last] = list(value, time)
  return first === undefined || last === undefined ? undefined : [first, last]
}

/** Entries of a map, as arrays of two; a name such as `__proto__` is one like any other. */
function pairs<T>(value: unknown, read: (value: unknown) => T | undefined): (readonly [string, T])[] {
  return list(value, (entry) => {
    const [name, content]: readonly unknown[] = Array.isArray(entry) ? entry : []
    const [key, found] = [text(name), read(content)]
    return key === undefined || found === undefined ? undefined : ([key, found] as const)
  })
}

function list<T>(value: unknown, read: (value: unknown) => T | undefined): T[] {
  if (!Array.isArray(value)) return []
  return value.map(read).filter((found) => found !== undefined)
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' && value.length <= MAX_TEXT_CHARS ? value : undefined
}

/** What stands in a header must not be able to end it. */
function token(value: unknown): string | undefined {
  const found = text(value)
  return found !== undefined && /^[\u0021-\u007e]+$/.test(found) ? found : undefined
}

function time(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined
}
