/**
 * Who else is at a file: shown before the edit, or a reason not to make it.
 *
 * Worktrees of one repository share the names of their files. In the same worktree two writers overwrite each
 * other; in another one the edits meet only when the branches do, so that is told and never held up.
 * What another session wrote is quoted and cut, behind a mark that it could not have guessed (HD-18).
 *
 * @see PD-07, PD-08
 */
import { formatAge } from '../../core/text/durations.ts'
import { findCheckout, pathWithin, realPath } from '../../host/repository.ts'
import type { BoardEntry, HookState } from '../memory/hook-state.ts'
import { quoted } from '../../core/text/quoted.ts'
import { safeLine } from '../../core/text/safe-text.ts'
import { editKey } from './advisory.ts'
import { SILENCE, type HookAnswer } from '../events/answer.ts'
import { apartMs } from '../events/apart.ts'
import { ADVISORY_DENIES_MS, SHOWN_MS } from '../events/budget.ts'
import { lineMark } from '../events/line-mark.ts'
import type { HookContext, OwnSession } from '../session/context.ts'
import type { LocatedFile } from '../edits/files.ts'
import { isOwn, readBoard, withBoard } from './history.ts'
import { isAddress, readPlaces, type SessionPlace } from '../session/roster.ts'

/** Lines about one event; more are counted. */
const MAX_LINES = 5

/** `here`: the same worktree. `elsewhere`: another one of the repository. `unknown`: it was not said where. */
type Where = 'here' | 'elsewhere' | 'unknown'

interface Conflict {
  readonly entry: BoardEntry
  readonly file: LocatedFile
  readonly where: Where
}

/**
 * Looks for others at these files.
 *
 * @param isBefore - the tool has not run yet, so that it may still be held back
 * @throws Unreached
 */
export async function checkConflicts(
  context: HookContext,
  session: OwnSession,
  { files, isBefore }: { readonly files: readonly LocatedFile[]; readonly isBefore: boolean },
): Promise<HookAnswer> {
  const board = await readBoard(context, session)
  const isNew = !session.state.hasBoard || board.boardAt !== session.state.boardAt
  const kept = isNew ? context.remember((current) => withBoard(current, board)) : undefined
  const state = kept ?? withBoard(session.state, board)
  const found = await findConflicts(context, { token: session.token, state }, files)
  if (found.length === 0) return SILENCE
  if (isBefore && context.settings.conflict === 'deny') {
    const held = found.filter((conflict) => holdsBack(conflict, state, context.nowMs))
    const present = await findPresent(context, { token: session.token, state }, held)
    if (present !== undefined) return { denial: denialOf(present, context.nowMs) }
  }
  return show(context, state, found)
}

async function findConflicts(
  context: HookContext,
  session: OwnSession,
  files: readonly LocatedFile[],
): Promise<readonly Conflict[]> {
  const others = session.state.board.filter((entry) => !isOwn(entry, session.state))
  const named = files.flatMap((file) =>
    others.filter((entry) => names(entry, file)).map((entry) => ({ entry, file })),
  )
  if (named.length === 0) return []
  const placeless = named.map(({ entry }) => entry).filter(isPlaceless)
  const senders = placeless.length === 0 ? NOBODY : await readSenders(context, session, placeless)
  const placed = named.map((one) => ({ ...one, where: whereIs(one.entry, one.file, senders) }))
  return newest(placed.filter((one): one is Conflict => one.where !== undefined))
}

function names({ paths }: BoardEntry, { path, absolute }: LocatedFile): boolean {
  return paths.some((one) => {
    const plain = one.replace(/^(?:file:\/\/|\.\/)/, '')
    return plain === path || plain === absolute || (plain.startsWith('/') && plain.endsWith(`/${path}`))
  })
}

function isPlaceless({ worktree, paths }: BoardEntry): boolean {
  return worktree === undefined && !paths.some((path) => path.startsWith('/'))
}

/** @returns undefined for a file of the same name in another repository */
function whereIs(
  entry: BoardEntry,
  file: LocatedFile,
  senders: ReadonlyMap<string, SessionPlace>,
): Where | undefined {
  if (entry.worktree !== undefined) return placeOf(entry.worktree, file)
  const absolute = entry.paths.find((path) => path.replace(/^file:\/\//, '').startsWith('/'))
  if (absolute !== undefined) return placeOfFile(absolute.replace(/^file:\/\//, ''), file)
  const sender = senders.get(entry.from)
  return sender === undefined ? 'unknown' : placeOfSession(sender, file)
}

const NOBODY: ReadonlyMap<string, SessionPlace> = new Map()

/** Where senders are or were: those that are there, and of those that have gone what hooks remember. */
async function readSenders(
  context: HookContext,
  session: OwnSession,
  entries: readonly BoardEntry[],
): Promise<ReadonlyMap<string, SessionPlace>> {
  const present = await readPlaces(
    context,
    session,
    entries.map(({ from }) => from),
  )
  const remembered = context.sessions.map((state) => [state.address ?? '', placeIn(state)] as const)
  return new Map<string, SessionPlace>([...remembered, ...present])
}

function placeIn({ repository, worktree }: HookState): SessionPlace {
  return { repository, worktree }
}

function placeOfSession({ worktree, repository }: SessionPlace, file: LocatedFile): Where | undefined {
  if (worktree === file.worktree) return 'here'
  return repository !== undefined && repository === file.repository ? 'elsewhere' : undefined
}

function placeOf(worktree: string, file: LocatedFile): Where | undefined {
  if (worktree === file.worktree) return 'here'
  const repository = findCheckout(worktree)
  if (repository === undefined || repository.commonDir !== file.repository) return undefined
  return repository.worktree === file.worktree ? 'here' : 'elsewhere'
}

function placeOfFile(path: string, file: LocatedFile): Where | undefined {
  const real = realPath(path)
  if (real === file.absolute) return 'here'
  const repository = findCheckout(real)
  if (repository === undefined || repository.commonDir !== file.repository) return undefined
  return pathWithin(repository.worktree, real) === file.path ? 'elsewhere' : undefined
}

/** Of one sender, one file and one place the newest; leases stand for themselves. */
function newest(found: readonly Conflict[]): readonly Conflict[] {
  const byTopic = new Map<string, Conflict>()
  for (const conflict of found.toSorted((a, b) => a.entry.sinceMs - b.entry.sinceMs)) {
    const { entry, file, where } = conflict
    byTopic.set(
      [entry.leaseId ?? '', entry.from, entry.worktree ?? '', file.absolute, where].join('\0'),
      conflict,
    )
  }
  return [...byTopic.values()]
}

/** Whoever announced a file first is not held back by whoever came second. */
function holdsBack(conflict: Conflict, state: HookState, nowMs: number): boolean {
  const { entry, file, where } = conflict
  if (where !== 'here' || endOf(entry) <= nowMs) return false
  if (entry.leaseId !== undefined) return true
  const ownSinceMs = state.edits.get(editKey(file))?.[0]
  return ownSinceMs === undefined || ownSinceMs > entry.sinceMs
}

/** When it ceases to hold anybody back; a lease with its time, an announcement after some minutes (HD-08). */
function endOf({ leaseId, sinceMs, untilMs }: BoardEntry): number {
  return leaseId === undefined ? Math.min(untilMs, sinceMs + ADVISORY_DENIES_MS) : untilMs
}

/**
 * The first of those whose session is there, or one that carries it on: who has gone holds nobody back (HD-08). What
 * no session sent is the person's own word.
 */
async function findPresent(
  context: HookContext,
  session: OwnSession,
  held: readonly Conflict[],
): Promise<Conflict | undefined> {
  if (held.length === 0) return undefined
  const named = held.map((conflict) => ({ conflict, addresses: addressesOf(context, conflict.entry.from) }))
  const present = await readPlaces(
    context,
    session,
    named.flatMap(({ addresses }) => addresses),
  )
  return named.find(({ conflict, addresses }) => {
    return !isAddress(conflict.entry.from) || addresses.some((address) => present.has(address))
  })?.conflict
}

/** An address, and that of the session which carries it on, as hooks remember. */
function addressesOf({ sessions, store }: HookContext, from: string): readonly string[] {
  const before = sessions.find(({ address }) => address === from)
  const heir = before?.heir === undefined ? undefined : store.find(before.runtime, before.sessionId)
  return heir?.address === undefined ? [from] : [from, heir.address]
}

function denialOf({ entry, file }: Conflict, nowMs: number): string {
  const leftMs = Math.max(0, endOf(entry) - nowMs)
  const what = entry.leaseId === undefined ? 'announced that it is editing' : 'holds a lease on'
  return (
    `${lineMark()} ${quoted(entry.from)} ${what} ${safeLine(file.path)} in this worktree, ${ageOf(entry, nowMs)}. ` +
    `The person has set agentd to hold such edits back; this ends in ${formatAge(leftMs)}, or earlier when it is released.`
  )
}

function show(context: HookContext, state: HookState, found: readonly Conflict[]): HookAnswer {
  const { nowMs } = context
  const fresh = found.filter(({ entry, file }) => {
    const at = state.shown.get(shownKey(entry, file))
    return at === undefined || apartMs(nowMs, at) >= SHOWN_MS
  })
  if (fresh.length === 0) return SILENCE
  const lines = fresh.slice(-MAX_LINES).map((conflict) => describe(conflict, nowMs))
  if (fresh.length > MAX_LINES) lines.push(`${fresh.length - MAX_LINES} more such notes are left out.`)
  const mark = lineMark()
  return {
    context: lines.map((line) => `${mark} ${line}`).join('\n'),
    async settle() {
      const told = fresh.map(({ entry, file }) => [shownKey(entry, file), nowMs] as const)
      context.remember((current) => ({ ...current, shown: new Map([...current.shown, ...told]) }))
    },
  }
}

function shownKey(entry: BoardEntry, file: LocatedFile): string {
  return entry.leaseId ?? `${entry.from}\0${entry.worktree ?? ''}\0${file.path}`.slice(0, 2_048)
}

/** One line of fact, from other sessions and not from the person. */
function describe({ entry, file, where }: Conflict, nowMs: number): string {
  const what = entry.leaseId === undefined ? 'announced work on' : 'holds a lease on'
  const branch = entry.branch === undefined ? '' : ` (branch ${quoted(entry.branch)})`
  const places: Readonly<Record<Where, string>> = {
    here: `in this worktree${branch}`,
    elsewhere: `in another worktree of this repository${entry.worktree === undefined ? '' : `, ${quoted(entry.worktree)}`}${branch}`,
    unknown: 'without saying in which repository',
  }
  const head = where === 'here' ? '' : 'For information: '
  return `${head}${quoted(entry.from)} ${what} ${safeLine(file.path)} ${places[where]}, ${ageOf(entry, nowMs)}.`
}

function ageOf({ sinceMs }: BoardEntry, nowMs: number): string {
  const age = formatAge(Math.max(0, nowMs - sinceMs))
  return age === 'now' ? 'just now' : `${age} ago`
}
