/** What on the board is a session's own: announced by it, or by one that it carries on. */
import type { BoardEntry } from '../../protocol/board/board-frame.ts'
import type { HookState } from '../memory/hook-state.ts'

export function isOwn({ from }: BoardEntry, { address, formers }: HookState): boolean {
  return from === address || formers.includes(from)
}
