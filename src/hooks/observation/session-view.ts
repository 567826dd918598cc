/**
 * What one session has seen of the disk: its files as it last read or wrote them, the heads of its worktrees, and what it has been
 * told. It lives in memory alone: a daemon that began anew knows of no change that it did not see.
 */
import { BoundedMap, BoundedSet } from '../../core/collections/bounded.ts'
import type { HookEvent } from '../../runtimes/events/event.ts'
import { mayChangeAnything } from '../../runtimes/edits/edits.ts'
import { withSpan, type Span } from './own-work.ts'

/** Files, worktrees and facts that are remembered of one session. */
export const MAX_SEEN_FILES = 256
export const MAX_SEEN_WORKTREES = 16
export const MAX_TOLD = 256

/** A file as the session knows it. */
export interface SeenFile {
  /** Equal for two looks at one file that nobody has changed between them. */
  readonly stamp: string
  /** Until when a change counts as its own, in milliseconds of wall time; 0 for one it has only read. */
  readonly ownUntilMs: number
}

/** One session's. */
export class SessionView {
  readonly files = new BoundedMap<string, SeenFile>({ most: MAX_SEEN_FILES, atOnce: 16 })
  /** Git directory → octets of its head's log that it knows of. */
  readonly heads = new BoundedMap<string, number>({ most: MAX_SEEN_WORKTREES, atOnce: 1 })
  readonly told = new BoundedSet<string>({ most: MAX_TOLD, atOnce: 16 })
  readonly #lookedAtMs = new BoundedMap<string, number>({ most: MAX_SEEN_WORKTREES, atOnce: 1 })
  #ownWork: readonly Span[] = []
  #stepMs: number

  constructor(nowMs: number) {
    this.#stepMs = nowMs
  }

  /** When it may have changed anything. */
  get ownWork(): readonly Span[] {
    return this.#ownWork
  }

  /** Whether a worktree has not been looked at for so long; if so it counts as looked at. @param nowMs - monotonic */
  isDue(gitDir: string, nowMs: number, everyMs: number): boolean {
    const atMs = this.#lookedAtMs.get(gitDir)
    if (atMs !== undefined && nowMs - atMs < everyMs) return false
    this.#lookedAtMs.set(gitDir, nowMs)
    return true
  }

  /** An event came: a tool that names its files has changed those, any other may have changed whatever there is. */
  heard({ name, runtime, tool, wireName }: HookEvent, nowMs: number): void {
    const hasRun = name === 'after-tool' || name === 'tool-failed'
    if (hasRun && tool !== undefined && mayChangeAnything(tool)) {
      const fromMs = tool.tookMs === undefined ? this.#stepMs : nowMs - tool.tookMs
      this.#ownWork = withSpan(this.#ownWork, { fromMs, toMs: nowMs })
    }
    // Several tools may have been called at once, and the first of them is no beginning of the others.
    const { stepEnds } = runtime
    if (stepEnds === undefined ? name !== 'before-tool' : !hasRun || stepEnds.includes(wireName))
      this.#stepMs = nowMs
  }
}

/** Those of all sessions; a machine has tens. */
export const MAX_VIEWS = 512

/** By the keys of their memory. */
export class SessionViews {
  readonly #views = new BoundedMap<string, SessionView>({ most: MAX_VIEWS, atOnce: 32 })

  /** Made when it is first asked for. */
  of(key: string, nowMs: number): SessionView {
    const known = this.#views.get(key)
    if (known !== undefined) return known
    const view = new SessionView(nowMs)
    this.#views.set(key, view)
    return view
  }

  /** It has ended. */
  forget(key: string): void {
    this.#views.delete(key)
  }
}
