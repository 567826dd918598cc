/**
 * The roster: who is there, and a page of that, so that no answer grows with the number of sessions (HD-06). Whoever asks
 * is told of nobody whose process is gone (OP-27).
 *
 * @see docs/http.md §4
 */
import { AgentdError } from '../../core/errors.ts'
import type { Authority } from '../authority/authority.ts'
import type { Lifelines } from '../kinship/lifelines.ts'
import { SessionDirectory } from './directory.ts'
import { countWaiting } from './facts.ts'
import type { Session } from './session.ts'
import type { SessionObserver } from './sessions-parts.ts'

/** What two sessions share. Who is in one worktree is in one repository. */
export type Nearness = 'worktree' | 'repository'

/** Which page is asked for. */
export interface RosterWish {
  /** The `next` of the page before. */
  readonly after?: string | undefined
  readonly limit: number
  /** Only those near this session, itself left out. */
  readonly nearTo?: Session | undefined
}

/** One page. */
export interface RosterPage {
  readonly sessions: readonly Session[]
  /** Where the next page begins; null behind the last one. */
  readonly next: string | null
  /** How many the wish fits, on all pages together. */
  readonly matching: number
  /** How many there are, whatever the wish. */
  readonly total: number
}

/** How often a page is read again since some on it were found dead; those that came in their place are looked at soon. */
const MAX_READ_AGAIN = 4

/** What a roster is read from. */
interface RosterParts {
  readonly authority: Pick<Authority, 'actorOf' | 'tierOf'>
  readonly lifelines: Lifelines<Session>
}

/** Who is there, to be read by everybody; those who may change that are built on it. */
export class Roster {
  protected readonly directory = new SessionDirectory()
  readonly #authority: RosterParts['authority']
  readonly #lifelines: Lifelines<Session>
  readonly #changeObservers = new Set<SessionObserver>()

  constructor({ authority, lifelines }: RosterParts) {
    this.#authority = authority
    this.#lifelines = lifelines
  }

  get count(): number {
    return this.directory.count
  }

  /** Sessions that wait at a prompt of their own (W-4). */
  get waitingCount(): number {
    return countWaiting(this.all())
  }

  all(): IterableIterator<Session> {
    return this.directory.all()
  }

  /** Everybody who lives when it is asked for, in the order they came. */
  present(): readonly Session[] {
    this.#lifelines.look({ holders: [...this.all()], lookedAtMs: -Infinity })
    return [...this.all()]
  }

  find(address: string): Session | undefined {
    return this.directory.find(address)
  }

  /** As {@link find}, of one that lives when it is asked for. */
  findLiving(address: string): Session | undefined {
    const found = this.find(address)
    if (found !== undefined) this.#lifelines.look({ holders: [found], lookedAtMs: -Infinity })
    return this.find(address)
  }

  /** A page of the sessions of a handle, in the order they came (HD-06). */
  roster(handle: string, query: RosterWish): RosterPage {
    for (let again = 0; ; again += 1) {
      const page = readRoster(this.directory.ofHandle(handle), query)
      const watch = { holders: page.sessions, lookedAtMs: -Infinity }
      if (!this.#lifelines.look(watch) || again === MAX_READ_AGAIN) return page
    }
  }

  /** Tells of everybody who comes, goes, or says something else of itself. */
  observeChanges(observer: SessionObserver): void {
    this.#changeObservers.add(observer)
  }

  /** A session is no longer what the roster said. */
  tellChanged(session: Session): void {
    for (const observer of this.#changeObservers)
      observer.sessionChanged(session, this.directory.has(session))
  }

  /** Whether a handle is somebody's own: a declared one, or the handle one of their sessions goes by. */
  owns(handle: string, actor: string): boolean {
    if (this.#authority.actorOf(handle) !== actor) return false
    return this.#authority.tierOf(handle) === 'sovereign' || this.directory.ofHandle(handle).size > 0
  }
}

/** A place on the roster, as `next` says it. */
const PLACE = /^\d{1,15}$/

/**
 * Reads a page.
 *
 * @param all - in the order they came
 * @throws AgentdError `field-invalid`, field `after`
 */
function readRoster(all: ReadonlySet<Session>, { after, limit, nearTo }: RosterWish): RosterPage {
  const afterArrival = placeOf(after)
  const sessions: Session[] = []
  let matching = 0
  let isMore = false
  for (const session of all) {
    if (nearTo !== undefined && (session === nearTo || nearnessOf(session, nearTo) === undefined)) continue
    matching += 1
    if (session.arrival <= afterArrival) continue
    if (sessions.length < limit) sessions.push(session)
    else isMore = true
  }
  const last = sessions.at(-1)
  const next = isMore && last !== undefined ? String(last.arrival) : null
  return { sessions, next, matching, total: all.size }
}

/** What a session shares with another one; undefined for two that said nothing of where they are. */
export function nearnessOf({ facts }: Session, { facts: own }: Session): Nearness | undefined {
  if (own.worktree !== undefined && facts.worktree === own.worktree) return 'worktree'
  return own.repository !== undefined && facts.repository === own.repository ? 'repository' : undefined
}

function placeOf(after: string | undefined): number {
  if (after === undefined) return 0
  if (PLACE.test(after)) return Number(after)
  throw new AgentdError('field-invalid', '"after" is the "next" of the page before.', { field: 'after' })
}
