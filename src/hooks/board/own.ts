/** What on the board is a session's own: announced by it, or by one that it carries on. */
import type { Broker } from '../../broker/broker.ts'
import { handleOf } from '../../protocol/address/handle.ts'
import type { BoardEntry } from '../../protocol/board/board-frame.ts'
import { foreignHandle, type ForeignWish } from '../../protocol/address/foreign.ts'
import type { HookState } from '../memory/hook-state.ts'

/** What is known of who speaks, and of what the person has set. */
interface Knowing {
  readonly broker: Pick<Broker, 'authority'>
  readonly settings: { get(): { readonly foreign: ForeignWish } }
}

export function isOwn({ from, node }: BoardEntry, { address, formers }: HookState): boolean {
  // The same address on another node is somebody else (FED-54).
  return node === undefined && (from === address || formers.includes(from))
}

/**
 * Whether it was announced under the Sovereign handle that a session acts for: what another one says is not for it. What
 * another principal says over a link is where that is shown (FED-64).
 */
export function isForSession({ from, node }: BoardEntry, address: string, hooks: Knowing): boolean {
  const { authority } = hooks.broker
  if (foreignHandle(node, authority) !== undefined) return hooks.settings.get().foreign === 'show'
  const handle = from.includes('/') ? handleOf(from) : from
  return authority.actorOf(handle) === authority.actorOf(handleOf(address))
}
