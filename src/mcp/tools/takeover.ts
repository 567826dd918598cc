/**
 * The kind `takeover` of `agentd_send`: what another session has handed over, and the claim that says so.
 *
 * @see HO-03, HO-06
 */
import { formatAge } from '../../core/text/durations.ts'
import type { AgentdSession, FoundHandover, TakeOver, TakeOverOptions } from '../../client/index.ts'
import { quoted } from '../../core/text/quoted.ts'
import { ToolFailure } from '../session/failure.ts'
import type { Facts, ToolCall } from '../session/tool.ts'
import { PEER_NOTE } from './inbox.ts'

/** @param frame - the id of a handover, or a beginning of it; absent, the newest of the session's own place */
export async function takeOverAs(
  { session, hiddenFrom, repositoryId }: Pick<ToolCall, 'session' | 'hiddenFrom' | 'repositoryId'>,
  frame: string | undefined,
): Promise<Facts> {
  const isNear = frame === undefined ? await nearBy(session, repositoryId) : undefined
  const refuseHidden = ({ eventId }: FoundHandover): void => {
    const handle = hiddenFrom(eventId)
    if (handle !== undefined) throw hidden(handle)
  }
  const outcome = await session.takeOver({
    frame,
    admits: (handover, writer) =>
      hiddenFrom(handover.eventId) === undefined && (isNear?.(handover, writer) ?? true),
    beforeClaim: refuseHidden,
  })
  if (outcome.state !== 'none') refuseHidden(outcome.handover)
  return toFacts(outcome)
}

/** What another principal wrote is neither shown nor claimed unread (FED-64). */
function hidden(handle: string): ToolFailure {
  return new ToolFailure(
    'not-found',
    `That handover is from ${quoted(handle)}; what other people write is not shown here, but the user can read it.`,
    'id',
  )
}

function toFacts(outcome: TakeOver): Facts {
  if (outcome.state === 'none') return { note: 'Nothing is handed over here.' }
  const { frameId, from, node, at, text, pointerRefs } = outcome.handover
  const about = { of_frame: frameId, from, node, age: ageOf(at), refs: pointerRefs }
  if (outcome.state === 'taken') return { ...about, text, note: PEER_NOTE }
  const { holder } = outcome
  return { ...about, taken_by: holder.from, taken_age: ageOf(holder.since), note: 'Somebody else has it.' }
}

/** Yes to what was written in the session's repository or points into its worktree, and to what says neither. */
async function nearBy(
  session: AgentdSession,
  repositoryId: string | undefined,
): Promise<TakeOverOptions['admits']> {
  const own = (await session.roster()).find(({ address }) => address === session.address)
  const [repository, worktree] = [own?.repository ?? undefined, own?.worktree ?? undefined]
  if (repository === undefined && worktree === undefined) return undefined
  const isIn = (path: string): boolean =>
    [worktree, repository?.replace(/\/\.git$/, '')].some(
      (root) => path === root || path.startsWith(`${root}/`),
    )
  return ({ node, pointerRefs, repositoryId: there }, writer) => {
    // Its paths are another machine's (FED-67).
    if (node !== undefined) return there !== undefined && there === repositoryId
    const place = writer?.repository ?? writer?.worktree ?? undefined
    if (place !== undefined) return place === repository || place === worktree
    const paths = pointerRefs.filter((ref) => ref.startsWith('/'))
    return paths.length === 0 || paths.some(isIn)
  }
}

function ageOf(time: string): string {
  return formatAge(Date.now() - Date.parse(time))
}
