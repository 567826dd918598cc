/**
 * Whose place is given away when as many sessions are registered as may be: nobody may shut the others out for ever.
 *
 * First a process that holds a crowd of them gives one up; where none does, whoever was not heard of for the longest
 * time. A session that holds a stream keeps its place.
 *
 * @see docs/http.md §4; HD-04
 */
import { AgentdError } from '../../core/errors.ts'
import type { Clock } from '../../core/clock.ts'
import type { SessionDirectory } from './directory.ts'
import type { KnownProcess } from '../kinship/lifeline.ts'
import type { Session } from './session.ts'

/** Sessions of one process that nobody calls a crowd: a server of many threads has tens. */
export const MAX_FAIR_PLACES = 16

/** A session heard of within this time keeps its place, in milliseconds, unless it is one of a crowd. */
export const HEARD_LATELY_MS = 60_000

/**
 * Who has to go before one more may come.
 *
 * @returns undefined while there is room
 * @throws AgentdError `busy` when each of those who are there keeps its place
 */
export function findYielding(directory: SessionDirectory, most: number, clock: Clock): Session | undefined {
  if (directory.registered < most) return undefined
  const registered = [...directory.all()].filter(({ isVisitor }) => !isVisitor)
  const inCrowd = longestSilent(largestCrowd(registered))
  if (inCrowd !== undefined) return inCrowd
  const silent = longestSilent(registered)
  if (silent !== undefined && clock.monotonicMs() - silent.heardAtMs >= HEARD_LATELY_MS) return silent
  throw new AgentdError('busy', 'There are as many sessions as the daemon may hold, and all are in use.', {
    retryAfterMs: HEARD_LATELY_MS,
  })
}

/** The sessions of the process that holds most, where those are too many; none otherwise. */
function largestCrowd(registered: readonly Session[]): readonly Session[] {
  const byProcess = new Map<string, Session[]>()
  for (const session of registered) {
    const process = behind(session)
    if (process === undefined) continue
    const key = `${process.pid} ${process.startTime}`
    const others = byProcess.get(key)
    if (others === undefined) byProcess.set(key, [session])
    else others.push(session)
  }
  let largest: readonly Session[] = []
  for (const crowd of byProcess.values()) if (crowd.length > largest.length) largest = crowd
  return largest.length > MAX_FAIR_PLACES ? largest : []
}

/** What a session hangs on, or else who registered it; a number that nobody proved groups nobody. */
function behind({ lifeline, registrant }: Session): KnownProcess | undefined {
  return lifeline?.isProven === true ? lifeline : registrant
}

function longestSilent(candidates: readonly Session[]): Session | undefined {
  let found: Session | undefined
  for (const session of candidates) {
    if (session.subscriptions.size > 0) continue
    if (found === undefined || session.heardAtMs < found.heardAtMs) found = session
  }
  return found
}
