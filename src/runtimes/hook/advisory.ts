/**
 * Announcing what was written, without being asked: one advisory per file and minute.
 *
 * @see PD-06, PD-08
 */
import type { HookState } from '../memory/hook-state.ts'
import { COALESCE_MS } from '../events/budget.ts'
import { apartMs } from '../events/apart.ts'
import { SessionLost, type HookContext, type OwnSession } from '../session/context.ts'
import type { LocatedFile } from '../edits/files.ts'
import { textMember } from '../events/members.ts'
import { DIGEST_TAG, EDIT_TAG, HOOK_BASIS } from '../events/tags.ts'

/** Files of which nothing was said within the last minute. */
export function dueFiles(
  state: Pick<HookState, 'edits'>,
  files: readonly LocatedFile[],
  nowMs: number,
): readonly LocatedFile[] {
  return files.filter((file) => {
    const last = state.edits.get(editKey(file))?.[1]
    return last === undefined || apartMs(nowMs, last) >= COALESCE_MS
  })
}

/** The same session, with these files announced now. */
export function withEdits(state: HookState, files: readonly LocatedFile[], nowMs: number): HookState {
  if (files.length === 0) return state
  const edits = new Map(state.edits)
  for (const file of files) {
    const key = editKey(file)
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

/** What a session remembers a file by. */
export function editKey({ worktree, path }: Pick<LocatedFile, 'worktree' | 'path'>): string {
  return `${worktree}\0${path}`
}

/**
 * Sends one advisory for each file.
 *
 * @returns the ids of the frames
 * @throws SessionLost, Unreached
 */
export async function announce(
  { link }: HookContext,
  { token }: OwnSession,
  files: readonly LocatedFile[],
): Promise<readonly string[]> {
  const replies = await Promise.all(
    files.map((file) =>
      link.send({ method: 'POST', path: '/v1/verbs/agent_advise', token, body: adviceOf(file) }),
    ),
  )
  if (replies.some(({ status }) => status === 401)) throw new SessionLost()
  return replies.map(({ body }) => textMember(body, 'frame_id')).filter((id) => id !== undefined)
}

function adviceOf({ path, worktree, branch }: LocatedFile): Readonly<Record<string, unknown>> {
  return {
    text: `editing ${path}`,
    file_refs: [path],
    worktree,
    ...(branch !== undefined && Buffer.byteLength(branch) <= 256 && { branch }),
    provenance: { method: [EDIT_TAG, DIGEST_TAG], basis: HOOK_BASIS },
  }
}
