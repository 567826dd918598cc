/** The files that a session has read: what others do to them is its business from then on (OP-22). */
import { apartMs } from '../../runtimes/events/apart.ts'
import { NOTE_EVERY_MS } from '../../runtimes/events/budget.ts'
import { fileKey, withKeys } from '../memory/hook-state.ts'
import type { LocatedFile } from '../places/edited.ts'
import type { HookContext } from '../session/context.ts'

/** Notes that it reads these; what was noted a moment ago is left as it is. */
export function noteReads(context: HookContext, files: readonly LocatedFile[]): void {
  const { nowMs, state } = context
  const fresh = files.map(fileKey).filter((key) => {
    const atMs = state?.reads.get(key)
    return atMs === undefined || apartMs(nowMs, atMs) >= NOTE_EVERY_MS
  })
  if (fresh.length === 0) return
  context.remember((current) => ({ ...current, reads: withKeys(current.reads, fresh, nowMs) }))
}
