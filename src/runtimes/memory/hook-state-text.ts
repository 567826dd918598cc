/**
 * What hooks remember, as the text of a file: one line of JSON, within every bound.
 */
import type { BoardEntry } from '../../protocol/board/board-frame.ts'
import { newHookState, type HookState, type Waiter } from './hook-state.ts'
import type { Activity, WakeChannels } from '../events/hook-runtime.ts'
import { isJsonObject } from '../../core/text/json-object.ts'

/** Bounds of what is kept, newest last; they keep a file within what a hook can read and write in time. */
const MAX_EDITS = 256
const MAX_OWN_FRAMES = 128
const MAX_LEASES = 64
const MAX_BOARD = 256
const MAX_SHOWN = 256
const MAX_RECENT = 32
const MAX_WAKES = 16
const MAX_TEXT_CHARS = 4_096
const MAX_CHANNELS = 8
const MAX_NAME_CHARS = 64

/** Half of what is read again (`own-file.ts`), and little enough to be read by every hook. */
const MAX_STATE_BYTES = 131_072

/** One line of JSON, within every bound; what others sent may be long, and then fewer of it is kept. */
export function formatHookState(state: HookState): string {
  for (let share = 1; ; share *= 2) {
    const text = formatShare(state, share)
    if (share > MAX_BOARD || Buffer.byteLength(text) <= MAX_STATE_BYTES) return text
  }
}

/** @param share - the part of each bound that is made use of: all, a half, a quarter */
function formatShare(state: HookState, share: number): string {
  const newest = <T>(items: Iterable<T>, most: number): readonly T[] => {
    const kept = Math.floor(most / share)
    return kept === 0 ? [] : [...items].slice(-kept)
  }
  const { wakeChannels: doors, ...plain } = state
  return JSON.stringify({
    ...plain,
    edits: newest(state.edits, MAX_EDITS),
    ownFrames: newest(state.ownFrames, MAX_OWN_FRAMES),
    leases: newest(state.leases, MAX_LEASES),
    board: newest(state.board, MAX_BOARD).map(withoutWords),
    shown: newest(state.shown, MAX_SHOWN),
    recent: newest(state.recent, MAX_RECENT),
    wakes: newest(state.wakes, MAX_WAKES),
    // Its name since the first of these files.
    doors,
  })
}

/** What an entry is about no hook shows. */
function withoutWords(entry: BoardEntry): BoardEntry {
  const { about: _, ...kept } = entry
  return kept
}

/** @returns undefined for what does not even say whose state it is */
export function parseHookState(json: string): HookState | undefined {
  const value = parseObject(json)
  const runtime = text(value['runtime'])
  const sessionId = text(value['sessionId'])
  if (runtime === undefined || sessionId === undefined) return undefined
  const board = list(value['board'], readBoardEntry)
  return {
    ...newHookState(runtime, sessionId, time(value['atMs']) ?? 0),
    ...readIdentity(value),
    isBusy: value['isBusy'] === true,
    isWoken: value['isWoken'] === true,
    said: readSaid(value['said']),
    // One that cannot be read whole is looked back for anew.
    hasBoard: value['hasBoard'] === true && board.length === lengthOf(value['board']),
    isChild: value['isChild'] === true,
    edits: new Map(pairs(value['edits'], readSpan).slice(-MAX_EDITS)),
    ownFrames: list(value['ownFrames'], text).slice(-MAX_OWN_FRAMES),
    leases: new Map(pairs(value['leases'], text).slice(-MAX_LEASES)),
    board: board.slice(-MAX_BOARD),
    shown: new Map(pairs(value['shown'], time).slice(-MAX_SHOWN)),
    recent: new Map(pairs(value['recent'], time).slice(-MAX_RECENT)),
    wakes: list(value['wakes'], time).slice(-MAX_WAKES),
    waiter: readWaiter(value['waiter']),
    wakeChannels: readChannels(objectOf(value['doors'])),
  }
}

type Members = Readonly<Record<string, unknown>>

function readIdentity(value: Members): Partial<HookState> {
  return {
    heir: text(value['heir']),
    endedMs: time(value['endedMs']),
    address: text(value['address']),
    handle: text(value['handle']),
    token: token(value['token']),
    registration: value['registration'] === undefined ? undefined : objectOf(value['registration']),
    pid: time(value['pid']),
    pidStart: text(value['pidStart']),
    repository: text(value['repository']),
    worktree: text(value['worktree']),
    branch: text(value['branch']),
    boardAt: text(value['boardAt']),
  }
}

function readBoardEntry(value: unknown): BoardEntry | undefined {
  const entry = objectOf(value)
  const [frameId, from, resource] = [text(entry['frameId']), text(entry['from']), text(entry['resource'])]
  const [sinceMs, untilMs] = [time(entry['sinceMs']), time(entry['untilMs'])]
  if (frameId === undefined || from === undefined || resource === undefined) return undefined
  if (sinceMs === undefined || untilMs === undefined) return undefined
  return {
    frameId,
    leaseId: text(entry['leaseId']),
    resource,
    worktree: text(entry['worktree']),
    branch: text(entry['branch']),
    from,
    sinceMs,
    untilMs,
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

function readWaiter(value: unknown): Waiter | undefined {
  const { pid, kind } = objectOf(value)
  const number = time(pid)
  return number !== undefined && (kind === 'rewake' || kind === 'detached')
    ? { pid: number, kind }
    : undefined
}

/** Whatever its runtime calls them. */
function readChannels(value: Members): WakeChannels {
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

function lengthOf(value: unknown): number {
  return Array.isArray(value) ? value.length : 0
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

function objectOf(value: unknown): Members {
  return isJsonObject(value) ? value : {}
}

function parseObject(json: string): Members {
  try {
    return objectOf(JSON.parse(json))
  } catch {
    return {}
  }
}
