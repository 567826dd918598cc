/**
 * Who else is at a file: shown before it is read or edited, or a reason not to edit it.
 *
 * Worktrees of one repository share the names of their files. In the same worktree two writers overwrite each
 * other; in another one the edits meet only when the branches do, so that is told and never held up.
 *
 * @see PD-07, PD-08; OP-21, OP-22
 */
import type { BoardEntry } from '../../protocol/board/board-frame.ts'
import { holdsBack } from '../../protocol/board/holding.ts'
import { pathsToLocate, placeEntries, type WorkingPlace } from '../../protocol/board/placed.ts'
import { SILENCE, type HookAnswer } from '../../runtimes/events/answer.ts'
import { apartMs } from '../../runtimes/events/apart.ts'
import { SHOWN_MS } from '../../runtimes/events/budget.ts'
import { isForSession, isOwn } from '../board/own.ts'
import { fileKey, withKeys, type HookState } from '../memory/hook-state.ts'
import type { LocatedFile } from '../places/edited.ts'
import type { HookContext, OwnSession } from '../session/context.ts'
import { reportHanded, waitingItems } from '../session/waiting.ts'
import { isAddress, isOfSameRepository, isPresent, placeOf } from '../session/near.ts'
import { denialOf, linesOf, type Conflict } from './conflict-words.ts'

/** Places of others that are looked for at one event. */
const MAX_LOCATED = 16

/** How long a denied edit may be repeated, in milliseconds; a model that is asked answers with its next step. */
const ASKED_MS = 600_000

/**
 * Looks for others at these files.
 *
 * @param mayDeny - an edit that has not been made yet, so that it may still be held back
 */
export async function checkConflicts(
  context: HookContext,
  own: OwnSession,
  { files, mayDeny }: { readonly files: readonly LocatedFile[]; readonly mayDeny: boolean },
): Promise<HookAnswer> {
  const state = context.state ?? own.state
  const found = await findConflicts(context, state, files)
  if (found.length === 0) return SILENCE
  const how = context.settings.conflict
  const held = mayDeny && how !== 'show' ? findHolding(context, state, found) : undefined
  if (held === undefined || how === 'show') return show(context, { ...own, state }, found)
  if (how === 'deny') return { denial: denialOf(held, how, context.nowMs) }
  const asked = `asked:${shownKey(held.entry, held.file)}`
  if (wasWithin(state, asked, context.nowMs, ASKED_MS)) return show(context, { ...own, state }, found)
  return {
    denial: denialOf(held, how, context.nowMs),
    settle: () => void context.remember((current) => withShown(current, [asked], context.nowMs)),
  }
}

async function findConflicts(
  context: HookContext,
  state: HookState,
  files: readonly LocatedFile[],
): Promise<readonly Conflict[]> {
  const { hooks, key } = context
  const board = await hooks.board.read()
  const isOthers = (entry: BoardEntry): boolean =>
    !isOwn(entry, state) && isForSession(entry, state.address ?? '', hooks)
  const named = files.map((file) => ({ file, entries: board.naming(file).filter(isOthers) }))
  // What names the file's own worktree is there, whatever the disk says.
  const others = named.flatMap(({ file, entries }) =>
    entries.filter(({ worktree }) => worktree !== file.worktree),
  )
  const paths = pathsToLocate(others).slice(0, MAX_LOCATED)
  // What the disk does not tell in time is placed nowhere, and then nothing is said of it.
  const located = new Map<string, WorkingPlace & { readonly real: string }>()
  for (const path of paths) {
    const found = await hooks.places.find(path, key)
    if (found === undefined) continue
    const { checkout, real } = found
    located.set(path, { real, repository: checkout?.commonDir, worktree: checkout?.worktree })
  }
  const facts = {
    locate: (path: string) => located.get(path),
    placeOf: (from: string) => placeOf(context, from),
    isOfSameRepository: ({ from, node }: BoardEntry) =>
      node !== undefined && isOfSameRepository(context, state.repositoryId, { from, node }),
  }
  return named
    .flatMap(({ file, entries }) => placeEntries(entries, file, facts))
    .toSorted((a, b) => a.entry.sinceMs - b.entry.sinceMs)
}

/**
 * The first that holds the edit back: its session is there, or one that carries it on. Who has gone holds nobody back
 * (HD-08). What no session sent is the person's own word.
 */
function findHolding(
  context: HookContext,
  state: HookState,
  found: readonly Conflict[],
): Conflict | undefined {
  const { nowMs } = context
  return found.find((one) => {
    const ownSinceMs = state.edits.get(fileKey(one.file))?.[0]
    const { from } = one.entry
    return holdsBack(one, { ownSinceMs, nowMs }) && (!isAddress(from) || isPresent(context, from))
  })
}

function show(context: HookContext, { session, state }: OwnSession, found: readonly Conflict[]): HookAnswer {
  const { hooks, nowMs } = context
  const fresh = found.filter(({ entry, file }) => !wasWithin(state, shownKey(entry, file), nowMs, SHOWN_MS))
  if (fresh.length === 0) return SILENCE
  return {
    context: linesOf(fresh, nowMs),
    settle() {
      const told = fresh.map(({ entry, file }) => shownKey(entry, file))
      context.remember((current) => withShown(current, told, nowMs))
      // The notice itself says no more than the line did (OP-22).
      const frames = new Set(fresh.map(({ entry }) => entry.frameId.toLowerCase()))
      const same = waitingItems(hooks, session, ({ key }) => frames.has(key))
      reportHanded(hooks.broker, session, same)
    },
  }
}

function withShown(state: HookState, keys: readonly string[], nowMs: number): HookState {
  return { ...state, shown: withKeys(state.shown, keys, nowMs) }
}

function wasWithin({ shown }: HookState, key: string, nowMs: number, withinMs: number): boolean {
  const at = shown.get(key)
  return at !== undefined && apartMs(nowMs, at) < withinMs
}

function shownKey(entry: BoardEntry, file: LocatedFile): string {
  return entry.leaseId ?? `${entry.from}\0${entry.worktree ?? ''}\0${file.path}`.slice(0, 2_048)
}
