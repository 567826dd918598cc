/**
 * Handovers that hold, with who has taken each over; and taking one over on behalf of a session that was shown it.
 *
 * What is not proved to have been shown is not taken: a session that was killed before its model read it has nothing.
 *
 * @see OP-09, OP-25, HO-03, HO-06
 */
import { OWN_WORK } from '../../broker/ring/background.ts'
import { frameOf, type RetainedFrame } from '../../broker/ring/retained.ts'
import { AgentdError } from '../../core/errors.ts'
import type { PassingFrame } from '../../protocol/board/board-frame.ts'
import { composeClaim, readHandovers, sessionIdOf, type Handover } from '../../protocol/board/handovers.ts'
import { HOOK_BASIS } from '../../runtimes/events/tags.ts'
import { mayShow } from './foreign.ts'
import { say, type HookContext, type OwnSession } from './context.ts'

/** Frames of the kind that are looked at: people write a few a day, and each is claimed once. */
const MAX_ITEMS = 100

/** One with what the ring has of it. */
export type HeldHandover = Handover<PassingFrame & { readonly retained: RetainedFrame }>

/** Every handover that still holds, the newest first. */
export async function readHeldHandovers(context: HookContext): Promise<readonly HeldHandover[]> {
  const { hooks, nowMs } = context
  const { frames } = await hooks.broker.readHistory({
    afterSeq: undefined,
    limit: MAX_ITEMS,
    search: { filter: [{ axis: 'kind', value: 'agent_handover' }], handle: undefined, withEnvelopes: false },
    asker: OWN_WORK,
    admits: ({ kind }) => kind === 'agent_handover',
  })
  const passing = frames.flatMap((retained) => {
    if (retained.type !== 'frame' || !mayShow(context, retained.origin?.node)) return []
    const { senderAddress: sender, acceptedAtMs } = retained
    return [{ sender, acceptedAtMs, frame: frameOf(retained), retained }]
  })
  return readHandovers(passing)
    .filter(({ source }) => source.retained.expiresAtMs > nowMs)
    .toReversed()
}

/** Takes over what was shown, where it is nobody's and no work of the session's own. */
export async function claimShown(
  context: HookContext,
  own: OwnSession,
  frameIds: readonly string[],
): Promise<void> {
  const { hooks, nowMs } = context
  const { sessionId } = own.session
  const due = (await readHeldHandovers(context)).filter(
    ({ frameId, claims, by, next = sessionId }) =>
      frameIds.includes(frameId) && claims.length === 0 && next === sessionId && !isOwnWork(own, by),
  )
  for (const handover of due) {
    const { payload, ttlMs, provenance } = composeClaim(handover, { sessionId, nowMs })
    const { handover_body: body, ...names } = payload
    const words = { body, ...names, ttl_ms: ttlMs, provenance: { ...provenance, basis: HOOK_BASIS } }
    try {
      await say(hooks, own.session, ['agent_handover', words])
    } catch (error) {
      // What is refused is nobody's still, and whoever takes it over finds it so.
      if (!(error instanceof AgentdError)) throw error
    }
  }
}

/** Of the session, or of one that it carries on. @param by - the id of the session that handed over */
export function isOwnWork({ session, state }: OwnSession, by: string): boolean {
  return [session.address, ...state.formers].some((address) => sessionIdOf(address) === by)
}
