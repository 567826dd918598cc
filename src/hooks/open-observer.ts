/** The observer of this daemon's machine, with what its sessions have told. */
import type { Broker } from '../broker/broker.ts'
import { frameOf, type Retained } from '../broker/ring/retained.ts'
import type { Clock } from '../core/clock.ts'
import { AgentdError } from '../core/errors.ts'
import { commitsIn } from '../protocol/board/commit-refs.ts'
import { lookBack } from './board/live-board.ts'
import { Observer } from './observation/observer.ts'
import { SilentAgents, type SilentAgentsParts } from './observation/silent-agents.ts'

/** @param parts - of the desk that opens it */
export function openObserver(parts: SilentAgentsParts & { readonly clock: Clock }): Observer {
  const { broker, clock, places } = parts
  return new Observer({
    clock,
    looks: places.looks,
    agents: new SilentAgents(parts),
    toldCommits: () => readToldCommits(broker),
  })
}

/** What the hooks of git have told lately; asked for only where a head has moved. Undefined where the ring does not say. */
async function readToldCommits(broker: Broker): Promise<ReadonlySet<string> | undefined> {
  let told: readonly Retained[]
  try {
    told = await lookBack(broker, 'agent_broadcast')
  } catch (error) {
    // Whatever else there is to say before the edit is said all the same.
    if (error instanceof AgentdError) return undefined
    throw error
  }
  const refs = told.flatMap((retained) => {
    const frame = retained.type === 'frame' ? frameOf(retained) : undefined
    return frame?.kind === 'agent_broadcast' ? (frame.payload.refs ?? []) : []
  })
  return new Set(commitsIn(refs))
}
