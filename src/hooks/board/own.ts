/** What on the board is a session's own: announced by it, or by one that it carries on. */
import type { Broker } from '../../broker/broker.ts'
import { handleOf } from '../../protocol/address/handle.ts'
import type { BoardEntry } from '../../protocol/board/board-frame.ts'
import type { HookState } from '../memory/hook-state.ts'

export function isOwn({ from, node }: BoardEntry, { address, formers }: HookState): boolean {
  // The same address on another node is somebody else (FED-54).
  return node === undefined && (from === address || formers.includes(from))
}

/** Whether it was announced under the Sovereign handle that a session acts for: what another one says is not for it. */
export function isOfSameActor({ from }: BoardEntry, address: string, { authority }: Broker): boolean {
  const handle = from.includes('/') ? handleOf(from) : from
  return authority.actorOf(handle) === authority.actorOf(handleOf(address))
}
