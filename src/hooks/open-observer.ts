/** The observer of this daemon's machine, with what its sessions have told. */
import type { Broker } from '../broker/broker.ts'
import { frameOf } from '../broker/ring/retained.ts'
import { commitsIn } from '../protocol/frame/commit-refs.ts'
import { lookBack } from './board/live-board.ts'
import { Observer } from './observation/observer.ts'
import { SilentAgents, type SilentAgentsParts } from './observation/silent-agents.ts'
import type { Clock } from '../core/clock.ts'

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

/** What the hooks of git have told lately; asked for only where a head has moved. */
async function readToldCommits(broker: Broker): Promise<ReadonlySet<string>> {
  const told = await lookBack(broker, 'agent_broadcast')
  const refs = told.flatMap((retained) => {
    const frame = retained.type === 'frame' ? frameOf(retained) : undefined
    return frame?.kind === 'agent_broadcast' ? (frame.payload.refs ?? []) : []
  })
  return new Set(commitsIn(refs))
}
