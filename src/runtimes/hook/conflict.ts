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
import { locatePath } from '../../host/repository.ts'
import type { BoardEntry } from '../../protocol/board/board-frame.ts'
import { holdsBack, holdsUntilMs } from '../../protocol/board/holding.ts'
import {
  isPlaceless,
  placeEntries,
  type PlaceFacts,
  type PlacedEntry,
  type Where,
  type WorkingPlace,
} from '../../protocol/board/placed.ts'
import type { HookState } from '../memory/hook-state.ts'
import { quoted } from '../../core/text/quoted.ts'
import { safeLine } from '../../core/text/safe-text.ts'
import { editKey } from './advisory.ts'
import { SILENCE, type HookAnswer } from '../events/answer.ts'
import { apartMs } from '../events/apart.ts'
import { SHOWN_MS } from '../events/budget.ts'
import { lineMark } from '../events/line-mark.ts'
import type { HookContext, OwnSession } from '../session/context.ts'
import type { LocatedFile } from '../edits/files.ts'
import { isOwn, readBoard, withBoard } from './history.ts'
import { isAddress, readPlaces } from '../session/roster.ts'

/** Lines about one event; more are counted. */
const MAX_LINES = 5

type Conflict = PlacedEntry<LocatedFile>

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
  const reading = await readBoard(context, session)
  const isNew = !session.state.hasBoard || reading.boardAt !== session.state.boardAt
  const kept = isNew ? context.remember((current) => withBoard(current, reading)) : undefined
  const state = kept ?? withBoard(session.state, reading)
  const named = files.map((file) => {
    return { file, entries: reading.board.naming(file).filter((entry) => !isOwn(entry, state)) }
  })
  const facts = await readPlaceFacts(
    context,
    session,
    named.flatMap(({ entries }) => entries),
  )
  const found = named
    .flatMap(({ file, entries }) => placeEntries(entries, file, facts))
    .toSorted((a, b) => a.entry.sinceMs - b.entry.sinceMs)
  if (found.length === 0) return SILENCE
  if (isBefore && context.settings.conflict === 'deny') {
    const { nowMs } = context
    const held = found.filter((one) =>
      holdsBack(one, { ownSinceMs: state.edits.get(editKey(one.file))?.[0], nowMs }),
    )
    const present = await findPresent(context, session, held)
    if (present !== undefined) return { denial: denialOf(present, nowMs) }
  }
  return show(context, state, found)
}

/** Where senders are or were: those that are there, and of those that have gone what hooks remember. */
async function readPlaceFacts(
  context: HookContext,
  session: OwnSession,
  entries: readonly BoardEntry[],
): Promise<PlaceFacts> {
  const senders = entries.filter(isPlaceless).map(({ from }) => from)
  const present = senders.length === 0 ? undefined : await readPlaces(context, session, senders)
  return {
    locate: locatePath,
    placeOf: (from) => present?.get(from) ?? rememberedPlace(context, from),
  }
}

function rememberedPlace({ sessions }: HookContext, from: string): WorkingPlace | undefined {
  const state = sessions.find(({ address }) => address === from)
  return state && { repository: state.repository, worktree: state.worktree }
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
  const leftMs = Math.max(0, holdsUntilMs(entry) - nowMs)
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
