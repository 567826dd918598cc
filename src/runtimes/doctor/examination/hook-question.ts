/**
 * What a hook asks before an edit, asked of the daemon that runs and of the ring as it is: a hook that is not answered
 * in time says nothing, and an edit that was to be held back is made (HD-12).
 */
import { messageOf } from '../../../core/thrown.ts'
import type { AgentdClient } from '../../../client/index.ts'
import { BOARD_KINDS } from '../../../protocol/board/board-frame.ts'
import { LOOK_BACK_ITEMS } from '../../events/budget.ts'
import { TOTAL_MS } from '../../events/process-budget.ts'
import { notesOn, type DoctorFinding } from '../finding.ts'

const notes = notesOn('agentd')

/** The share of a hook's time that its question may take before that is worth a warning: the rest is its process. */
const MOST_OF_TOTAL = 1 / 3

/**
 * Asks it, and says how long that took beside the time a hook has.
 *
 * @param frames - retained just now
 */
export async function examineHookQuestion(
  client: Pick<AgentdClient, 'history'>,
  frames: number,
): Promise<DoctorFinding> {
  const signal = AbortSignal.timeout(TOTAL_MS)
  const startedMs = performance.now()
  try {
    await Promise.all(
      BOARD_KINDS.map((kind) => client.history({ filter: `kind:${kind}`, limit: LOOK_BACK_ITEMS, signal })),
    )
  } catch (error) {
    return unanswered(frames, signal.aborted ? `a hook has ${TOTAL_MS} ms` : messageOf(error))
  }
  return answered(frames, Math.round(performance.now() - startedMs))
}

function unanswered(frames: number, why: string): DoctorFinding {
  return notes.fail(
    'hook-question',
    `What a hook asks was not answered, with ${frames} frames retained: ${why}. Hooks say nothing, and no edit is held back.`,
    'lower ring.max_frames, then agentd stop and agentd start',
  )
}

function answered(frames: number, tookMs: number): DoctorFinding {
  const sentence = `What a hook asks took ${tookMs} ms of the ${TOTAL_MS} ms a hook has, with ${frames} frames retained.`
  if (tookMs <= TOTAL_MS * MOST_OF_TOTAL) return notes.ok('hook-question', sentence)
  return notes.warn(
    'hook-question',
    `${sentence} On a busy machine hooks may say nothing.`,
    'lower ring.max_frames, then agentd stop and agentd start',
  )
}
