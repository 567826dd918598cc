/**
 * Notices of edits that hooks have announced by themselves: one is of use to a session that has the file in hand. The
 * others stay on the board, and are told as a number (OP-22).
 *
 * What a person or an agent wrote is never left out.
 */
import { frameOf, type Retained } from '../../broker/ring/retained.ts'
import { safeLine } from '../../core/text/safe-text.ts'
import { MAX_FRAME_ENTRIES } from '../../protocol/board/board-frame.ts'
import { SILENCE, type HookAnswer } from '../../runtimes/events/answer.ts'
import { lineMark } from '../../runtimes/events/line-mark.ts'
import { EDIT_TAG } from '../../runtimes/events/tags.ts'
import { fileKey } from '../memory/hook-state.ts'
import type { HookContext, OwnSession } from './context.ts'
import { isOfSameRepository } from './near.ts'
import { reportDropped, waitingItems } from './waiting.ts'

/** Senders that are named in the line. */
const MAX_NAMED = 3

/** What such a notice is about. */
interface EditNotice {
  readonly retained: Retained
  readonly worktree: string
  readonly files: readonly string[]
}

/** The line that stands for what is left out, and the places of that. */
export interface LeftOutEdits {
  readonly answer: HookAnswer
  readonly leftOut: ReadonlySet<number>
}

/** Nothing to leave out. */
export const NO_EDITS: LeftOutEdits = { answer: SILENCE, leftOut: new Set() }

/** Leaves out what is of no use here; of another repository there is nothing to tell either. */
export async function leaveOutEdits(context: HookContext, own: OwnSession): Promise<LeftOutEdits> {
  const { broker } = context.hooks
  const notices = waitingItems(context.hooks, own.session, isEditNotice).flatMap(readNotice)
  if (notices.length === 0) return NO_EDITS
  const foreign: Retained[] = []
  const untouched: EditNotice[] = []
  for (const notice of notices) {
    if (await isForeign(context, own, notice)) foreign.push(notice.retained)
    else if (!isInHand(own, notice)) untouched.push(notice)
  }
  reportDropped(broker, own.session, foreign)
  if (untouched.length === 0) return NO_EDITS
  const answer = {
    context: `${lineMark()} Edited in this repository, none of them files this session has read or written: ${countOf(untouched)}.`,
    settle: () =>
      reportDropped(
        broker,
        own.session,
        untouched.map(({ retained }) => retained),
      ),
  }
  return { answer, leftOut: new Set(untouched.map(({ retained }) => retained.seq)) }
}

/** Told by its text first: most frames are none, and need not be read for it. */
function isEditNotice(retained: Retained): boolean {
  return retained.kind === 'agent_advisory' && retained.text.includes(`"${EDIT_TAG}"`)
}

function readNotice(retained: Retained): readonly EditNotice[] {
  const frame = retained.type === 'frame' ? frameOf(retained) : undefined
  if (frame?.kind !== 'agent_advisory') return []
  const { provenance_method: tags, payload } = frame
  const { worktree, file_refs: files = [] } = payload
  return tags.includes(EDIT_TAG) && worktree !== undefined ? [{ retained, worktree, files }] : []
}

/** A worktree of another repository. A disk that does not answer says nothing: the notice stays. */
async function isForeign(
  context: HookContext,
  { state }: OwnSession,
  { retained, worktree }: EditNotice,
): Promise<boolean> {
  const { hooks, key } = context
  const { origin, senderAddress: from = '' } = retained
  if (origin !== undefined)
    return !isOfSameRepository(context, state.repositoryId, { from, node: origin.node })
  if (worktree === state.worktree) return false
  if (state.repository === undefined) return state.isUnplaced !== true
  const found = await hooks.places.find(worktree, key)
  return found !== undefined && found.checkout?.commonDir !== state.repository
}

function isInHand({ state }: OwnSession, { files }: EditNotice): boolean {
  const { worktree } = state
  if (worktree === undefined) return false
  return files.slice(0, MAX_FRAME_ENTRIES).some((path) => {
    const key = fileKey({ worktree, path })
    return state.edits.has(key) || state.reads.has(key)
  })
}

/** `~alice/cc@s1 6, ~alice/codex@t2 1` */
function countOf(notices: readonly EditNotice[]): string {
  const counts = new Map<string, number>()
  for (const { retained, files } of notices) {
    const from = retained.senderAddress ?? retained.senderHandle
    counts.set(from, (counts.get(from) ?? 0) + files.length)
  }
  const named = [...counts].slice(0, MAX_NAMED).map(([from, count]) => `${safeLine(from)} ${count}`)
  const more = counts.size - named.length
  return more > 0 ? `${named.join(', ')}, ${more} others` : named.join(', ')
}
