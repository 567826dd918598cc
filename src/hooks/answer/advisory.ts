/**
 * Announcing what was written, without being asked: one advisory per file and minute.
 *
 * @see PD-06, PD-08
 */
import { apartMs } from '../../runtimes/events/apart.ts'
import { COALESCE_MS } from '../../runtimes/events/budget.ts'
import { DIGEST_TAG, EDIT_TAG, HOOK_BASIS } from '../../runtimes/events/tags.ts'
import { fileKey, type HookState } from '../memory/hook-state.ts'
import type { LocatedFile } from '../places/edited.ts'
import { say, type HookContext, type OwnSession } from '../session/context.ts'

/** Of a branch that is told, in octets. */
const MAX_BRANCH_OCTETS = 256

/** Files of which nothing was said within the last minute. */
export function dueFiles(
  state: Pick<HookState, 'edits'>,
  files: readonly LocatedFile[],
  nowMs: number,
): readonly LocatedFile[] {
  return files.filter((file) => {
    const last = state.edits.get(fileKey(file))?.[1]
    return last === undefined || apartMs(nowMs, last) >= COALESCE_MS
  })
}

/** The same session, with these files announced now. */
export function withEdits(state: HookState, files: readonly LocatedFile[], nowMs: number): HookState {
  if (files.length === 0) return state
  const edits = new Map(state.edits)
  for (const file of files) {
    const key = fileKey(file)
    const first = edits.get(key)?.[0] ?? nowMs
    // Last in the order of the map, so that the oldest are the first to be forgotten.
    edits.delete(key)
    edits.set(key, [first, nowMs])
  }
  return { ...state, edits }
}

/** Those of the files that are due; from now on they count as announced. */
export function claimDue(context: HookContext, files: readonly LocatedFile[]): readonly LocatedFile[] {
  let due: readonly LocatedFile[] = []
  context.remember((state) => {
    due = dueFiles(state, files, context.nowMs)
    return withEdits(state, due, context.nowMs)
  })
  return due
}

/** Sends one advisory for each file. @throws AgentdError when one is refused */
export async function announce(
  { hooks }: HookContext,
  { session }: OwnSession,
  files: readonly LocatedFile[],
): Promise<void> {
  await Promise.all(files.map((file) => say(hooks, session, ['agent_advise', adviceOf(file)])))
}

function adviceOf({ path, worktree, branch }: LocatedFile): Readonly<Record<string, unknown>> {
  return {
    text: `editing ${path}`,
    file_refs: [path],
    worktree,
    ...(branch !== undefined && Buffer.byteLength(branch) <= MAX_BRANCH_OCTETS && { branch }),
    provenance: { method: [EDIT_TAG, DIGEST_TAG], basis: HOOK_BASIS },
  }
}
