/**
 * What a lease is on, for frames that name it by its id alone: learned from the requests that passed, and else looked up.
 *
 * @see memo §4.4, AC-065, AC-067: recipients correlate
 */
import { AgentdUnreachable, type Participant } from '../../client/index.ts'
import { BoundedMap, BoundedSet } from '../../core/collections/bounded.ts'
import { AgentdError } from '../../core/errors.ts'
import { MAX_HISTORY_ITEMS } from '../../core/limits.ts'
import { leaseKey } from '../../protocol/board/lease-key.ts'
import type { Frame } from '../../protocol/frame/frame.ts'

/** Leases that are remembered, and those that were looked for in vain; a burst of others pushes the oldest out. */
export const MAX_LEASES = 1_024
const AT_ONCE = 128

/** The leases that one reader has heard of. */
export class LeaseResources {
  readonly #resources = new BoundedMap<string, string>({ most: MAX_LEASES, atOnce: AT_ONCE })
  /** Asked about, and in no history. */
  readonly #unknown = new BoundedSet<string>({ most: MAX_LEASES, atOnce: AT_ONCE })

  /** Takes in a frame, whatever its kind. */
  observe(frame: Frame): void {
    if (frame.kind === 'agent_lock_request') this.#resources.set(keyOf(frame), frame.payload.resource)
  }

  /** @returns undefined where the frame says it itself, is about no lease, or about one that was not heard of */
  known(frame: Frame): string | undefined {
    return needsResource(frame) ? this.#resources.get(keyOf(frame)) : undefined
  }

  /** As {@link known}, with one look at the history for what was not heard of. */
  async find(frame: Frame, participant: Participant): Promise<string | undefined> {
    const known = this.known(frame)
    if (known !== undefined || !needsResource(frame) || this.#unknown.has(keyOf(frame))) return known
    try {
      const { items } = await participant.history({
        filter: 'kind:agent_lock_request',
        limit: MAX_HISTORY_ITEMS,
      })
      for (const item of items) this.observe(item.frame)
    } catch (error) {
      // What it was on is not worth the line: it goes on without when the daemon is away.
      if (!(error instanceof AgentdError) && !(error instanceof AgentdUnreachable)) throw error
      return undefined
    }
    const found = this.known(frame)
    if (found === undefined) this.#unknown.add(keyOf(frame))
    return found
  }
}

type LaterFrame = Extract<Frame, { kind: 'agent_lock_release' | 'agent_lease_extend' }>

function needsResource(frame: Frame): frame is LaterFrame {
  if (frame.kind === 'agent_lease_extend') return true
  return frame.kind === 'agent_lock_release' && (frame.payload.resource ?? '') === ''
}

/** Only its holder extends or releases a lease, and two may ask for one id (HD-08). */
function keyOf(frame: LaterFrame | Extract<Frame, { kind: 'agent_lock_request' }>): string {
  return leaseKey(frame.payload.lease_id, frame.sender_handle)
}
