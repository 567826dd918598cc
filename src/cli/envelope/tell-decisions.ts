/**
 * What the boundary has decided about envelopes that were to leave, told in their own workflow as AOCL does. A local
 * profile, where the person has asked for it.
 *
 * @see AEE-093, AEE-C11; docs/envelopes.md "Decisions"
 */
import type { crossBoundary } from '../../aee/boundary/boundary.ts'
import type { Envelope } from '../../aee/envelope/envelope.ts'
import { formatCount } from '../../core/text/counts.ts'
import type { CommandContext } from '../run/command-context.ts'
import { asEntity } from './as-entity.ts'

/** One envelope that was to leave, and what became of that. */
export interface BoundaryDecision {
  readonly envelope: Pick<Envelope, 'id' | 'corr'>
  readonly code: 'BOUNDARY_PASSED' | 'BOUNDARY_REDACTED' | 'BOUNDARY_REFUSED'
  /** A sentence, with nothing of what the envelope says. */
  readonly reason: string
}

/** How a crossing is told. */
export function boundaryDecision(
  crossing: ReturnType<typeof crossBoundary>,
): Pick<BoundaryDecision, 'code' | 'reason'> {
  if (crossing.kind === 'refused') return { code: 'BOUNDARY_REFUSED', reason: 'It was kept back.' }
  const count = crossing.redacted.length
  return count === 0
    ? { code: 'BOUNDARY_PASSED', reason: 'It left as it is.' }
    : { code: 'BOUNDARY_REDACTED', reason: `It left with ${formatCount(count, 'place')} blacked out.` }
}

/**
 * Tells them in the person's name: whoever exports is the person.
 *
 * @param principal - the person's handle
 * @throws AgentdError where one is not taken, AgentdUnreachable where nobody takes it
 */
export async function tellDecisions(
  decisions: readonly BoundaryDecision[],
  principal: string,
  context: CommandContext,
): Promise<void> {
  if (decisions.length === 0) return
  const speaker = `human.${principal.slice(1)}`
  await asEntity(context, speaker, async (participant) => {
    for (const { envelope, code, reason } of decisions) {
      await participant.sendEnvelope({
        type: 'event',
        from: speaker,
        to: 'log.aocl',
        intent: 'aocl.layer.decision',
        corr: envelope.corr,
        replyTo: envelope.id,
        priority: 'low',
        payload: {
          layer: { id: 'agentd.boundary', version: '0.1' },
          decisions: [{ code, reason }],
          control: { halt_pipeline: code === 'BOUNDARY_REFUSED' },
        },
      })
    }
  })
}
