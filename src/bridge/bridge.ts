/**
 * The bridge of one link: round after round, for as long as the daemon holds its stdin open. It has no state of its own and
 * may end at any instruction (FED-07).
 */
import type { Clock } from '../core/clock.ts'
import { messageOf } from '../core/thrown.ts'
import { Backoff, pause } from '../client/http/backoff.ts'
import { Condition } from './condition.ts'
import { Door } from './daemon/door.ts'
import type { Errand } from './errand.ts'
import { DaemonAway, DaemonRefusal } from './daemon/faults.ts'
import { HubFault, LaneMoved, NotKept } from './hub/faults.ts'
import { Fenced } from './writer.ts'
import { runRound } from './round.ts'

/** Waits for a hub or a daemon that is away: a healed link is noticed within seconds (FT-01). */
const AWAY_BACKOFF = { baseMs: 200, capMs: 5_000 }

/** Waits while somebody has to do something first: a hub that refuses should not be asked all the time. */
const REFUSED_MS = 15_000

export interface BridgeParts {
  readonly clock: Clock
  /** Evenly spread in [0, 1). */
  readonly random: () => number
}

/**
 * Runs until the signal, or until the daemon does not know the token any more.
 *
 * @throws whatever is a defect, or a socket that is not this user's
 */
export async function runBridge(
  { socketPath, token, link }: Errand,
  parts: BridgeParts,
  signal: AbortSignal,
): Promise<void> {
  const { clock } = parts
  // Ended by itself, so that a node that goes can still say so.
  const closing = new AbortController()
  const door = new Door({ socketPath, token, clock, signal: closing.signal })
  const condition = new Condition(door, clock)
  const backoff = new Backoff(AWAY_BACKOFF, parts.random)
  try {
    for (;;) {
      const ended = await endOf(runRound({ door, link, clock, condition }, signal))
      if (signal.aborted || isForgotten(ended)) return
      if (condition.isUp) backoff.reset()
      if (ended instanceof NotKept) condition.doubted()
      const isWorthWaiting = await tellEnd(ended, condition)
      await pause(clock, isWorthWaiting ? backoff.nextMs() : REFUSED_MS, signal).catch(() => undefined)
    }
  } finally {
    closing.abort()
    door.close()
  }
}

async function endOf(round: Promise<never>): Promise<unknown> {
  try {
    return await round
  } catch (error) {
    return error
  }
}

/** The daemon serves no such link any more, or has given another bridge its token. */
function isForgotten(error: unknown): boolean {
  return error instanceof DaemonRefusal && (error.status === 401 || error.status === 404)
}

/**
 * Tells the daemon how the link is.
 *
 * @returns whether it may be better in a moment
 */
async function tellEnd(ended: unknown, condition: Condition): Promise<boolean> {
  const [state, why] = wordsFor(ended)
  await condition.down(state, why).catch(() => undefined)
  return state === 'away'
}

function wordsFor(error: unknown): ['away' | 'fenced' | 'refused', string] {
  if (error instanceof HubFault) return [error.state, error.message]
  if (error instanceof LaneMoved) return ['away', error.message]
  if (error instanceof Fenced) return ['fenced', error.message]
  if (error instanceof DaemonAway || error instanceof DaemonRefusal) return ['away', messageOf(error)]
  throw error
}
