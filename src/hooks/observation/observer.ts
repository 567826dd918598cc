/**
 * What the machine shows a session before it edits, of siblings that say nothing: that a file is another one than it read, that
 * somebody moved the head, holds the index, or works beside it unheard of.
 *
 * Nothing of it is a frame, and nothing is denied for it. It says what the disk shows and never who did it, says it once, and
 * keeps still where the session may have done it itself.
 *
 * @see memo §1 on SUBSTRATE; docs/runtimes.md §10 rule 14
 */
import type { Clock } from '../../core/clock.ts'
import { readHeadMoves, type HeadMove } from '../../host/observation/head.ts'
import type { IndexLock } from '../../host/observation/index-lock.ts'
import type { HookEvent } from '../../runtimes/events/event.ts'
import { fileKey } from '../memory/hook-state.ts'
import type { LocatedFile } from '../places/edited.ts'
import type { Looks } from '../places/looks.ts'
import { logBytesOf, lookAtFile, lookAtWorktree, type FileLook, type WorktreeLook } from './disk.ts'
import { AFTERMATH_MS, mayBeOwn } from './own-work.ts'
import { SessionViews, type SessionView } from './session-view.ts'
import type { SilentAgent, SilentAgents } from './silent-agents.ts'

/** How long a lock or a movement is left alone, in milliseconds: most locks go at once, and a hook of git may tell of a commit. */
export const SETTLE_MS = 2_000

/** Between two looks at one worktree on behalf of one session, in milliseconds. */
export const WORKTREE_EVERY_MS = 1_000

/** One event of one session. */
export interface Moment {
  readonly key: string
  readonly event: HookEvent
  readonly nowMs: number
}

/** One thing that was seen; `settle` runs when it has been told. */
export type Sighting = { readonly settle: () => void } & (
  | { readonly kind: 'file'; readonly file: LocatedFile; readonly changedMs: number; readonly more: number }
  | { readonly kind: 'head'; readonly moves: readonly HeadMove[] }
  | { readonly kind: 'lock'; readonly lock: IndexLock }
  | { readonly kind: 'agent'; readonly agent: SilentAgent }
)

/** What an observer looks with. */
export interface ObserverParts {
  readonly clock: Pick<Clock, 'monotonicMs'>
  readonly looks: Looks
  readonly agents: SilentAgents
  /** Commits that sessions have told of: whoever heard that needs no second word. Undefined where nobody can say. */
  readonly toldCommits: () => Promise<ReadonlySet<string> | undefined>
}

export class Observer {
  readonly #parts: ObserverParts
  readonly #views = new SessionViews()

  constructor(parts: ObserverParts) {
    this.#parts = parts
  }

  /** An event of the session came. */
  heard({ key, event, nowMs }: Moment): void {
    if (event.name === 'session-end' && !event.isSubagent) this.#views.forget(key)
    else this.#views.of(key, nowMs).heard(event, nowMs)
  }

  /** The session begins to work in a worktree: what moves its head from now on is news. */
  async begin({ key, nowMs }: Moment, gitDir: string): Promise<void> {
    const view = this.#views.of(key, nowMs)
    if (view.heads.get(gitDir) !== undefined) return
    const logBytes = await this.#look(key, () => logBytesOf(gitDir))
    if (logBytes !== undefined) view.heads.set(gitDir, logBytes)
  }

  /** A tool has read or written these: as they are now, the session knows them. */
  async note(moment: Moment, files: readonly LocatedFile[], how: 'read' | 'written'): Promise<void> {
    if (files.length === 0) return
    const { key, nowMs } = moment
    const view = this.#views.of(key, nowMs)
    const ownUntilMs = how === 'written' ? nowMs + AFTERMATH_MS : 0
    const looks = await this.#look(key, () => lookAtFiles(files))
    for (const [i, { stamp }] of (looks ?? []).entries()) {
      const file = files[i]
      if (file !== undefined) view.files.set(fileKey(file), { stamp, ownUntilMs })
    }
  }

  /** What there is to say before these are edited; at most one thing, and undefined mostly. */
  async findSighting(moment: Moment, files: readonly LocatedFile[]): Promise<Sighting | undefined> {
    const { key, nowMs } = moment
    const view = this.#views.of(key, nowMs)
    const known = files.filter((file) => view.files.get(fileKey(file)) !== undefined)
    const [{ gitDir, worktree } = { gitDir: undefined, worktree: '' }] = files
    const isDue =
      gitDir !== undefined && view.isDue(gitDir, this.#parts.clock.monotonicMs(), WORKTREE_EVERY_MS)
    if (known.length === 0 && !isDue) return undefined
    const looked = await this.#look(key, () =>
      Promise.all([lookAtFiles(known), isDue ? lookAtWorktree(gitDir) : undefined]),
    )
    if (looked === undefined) return undefined
    const [looks, place] = looked
    const sighting = findChanged(view, known, looks)
    if (sighting !== undefined || gitDir === undefined || place === undefined) return sighting
    return (
      (await this.#findMove(moment, gitDir, place)) ??
      findLock(view, place.lock, nowMs) ??
      this.#findAgent(view, worktree)
    )
  }

  async #findMove(
    { key, nowMs }: Moment,
    gitDir: string,
    { logBytes = 0 }: WorktreeLook,
  ): Promise<Sighting | undefined> {
    const view = this.#views.of(key, nowMs)
    const from = view.heads.get(gitDir)
    const know = (): void => view.heads.set(gitDir, logBytes)
    // Git shortens it only to forget what is long over.
    if (from === undefined || logBytes < from) know()
    if (from === undefined || logBytes <= from) return undefined
    const read = await this.#look(key, () => readHeadMoves(gitDir, from))
    const moves = read?.found.filter(({ from: before, to }) => before !== to) ?? []
    if (moves.some(({ atMs }) => nowMs - atMs < SETTLE_MS)) return undefined
    // Git notes whole seconds.
    const others = moves.filter(({ atMs }) => !mayBeOwn(view.ownWork, atMs, atMs + 999))
    const told = others.length === 0 ? new Set<string>() : await this.#parts.toldCommits()
    if (told === undefined) return undefined
    const news = others.filter(({ to }) => !told.has(to))
    if (news.length > 0) return { kind: 'head', moves: news, settle: know }
    know()
    return undefined
  }

  #findAgent(view: SessionView, worktree: string): Sighting | undefined {
    const agent = this.#parts.agents.in(worktree).find((one) => !view.told.has(keyOf(one)))
    return agent && { kind: 'agent', agent, settle: () => void view.told.add(keyOf(agent)) }
  }

  /** @returns undefined where the disk does not answer in time: then nothing is known, and nothing said */
  #look<T>(session: string, look: () => Promise<T>): Promise<T | undefined> {
    // Counted apart: what else the event asks of the disk must not be left out for it.
    const wish = { session: `observing ${session}`, look, late: () => {} }
    return this.#parts.looks.take(wish) ?? Promise.resolve(undefined)
  }
}

function lookAtFiles(files: readonly LocatedFile[]): Promise<readonly FileLook[]> {
  return Promise.all(files.map(({ absolute }) => lookAtFile(absolute)))
}

/** The first that has changed, and how many more. What the session may have changed itself, it knows from now on. */
function findChanged(
  view: SessionView,
  files: readonly LocatedFile[],
  looks: readonly FileLook[],
): Sighting | undefined {
  const changed: (readonly [LocatedFile, FileLook])[] = []
  for (const [i, file] of files.entries()) {
    const [seen, look] = [view.files.get(fileKey(file)), looks[i]]
    if (seen === undefined || look === undefined || seen.stamp === look.stamp) continue
    const isOwn = look.changedMs <= seen.ownUntilMs || mayBeOwn(view.ownWork, look.changedMs)
    // When a file went is nowhere written; whoever is about to write it finds out.
    if (isOwn || look.stamp === '') view.files.set(fileKey(file), { ...seen, stamp: look.stamp })
    else changed.push([file, look])
  }
  const [first] = changed
  if (first === undefined) return undefined
  const settle = (): void => {
    for (const [file, { stamp }] of changed) view.files.set(fileKey(file), { stamp, ownUntilMs: 0 })
  }
  return { kind: 'file', file: first[0], changedMs: first[1].changedMs, more: changed.length - 1, settle }
}

function findLock(view: SessionView, lock: IndexLock | undefined, nowMs: number): Sighting | undefined {
  if (lock === undefined || nowMs - lock.sinceMs < SETTLE_MS) return undefined
  const key = `lock ${lock.path} ${lock.identity}`
  if (view.told.has(key) || mayBeOwn(view.ownWork, lock.sinceMs)) return undefined
  return { kind: 'lock', lock, settle: () => void view.told.add(key) }
}

/** A later process may have its number. */
function keyOf({ pid, program }: SilentAgent): string {
  return `agent ${pid} ${program}`
}
