/**
 * Speaking for an entity: as the session of the token, as the principal, or, for a person, as a session made for
 * the one call.
 *
 * @see AEQ-21; docs/http.md §9
 */
import { isHuman } from '../../aee/envelope/entity.ts'
import type { Participant } from '../../client/index.ts'
import { VISITOR_INSTRUMENT } from '../../protocol/address/handle.ts'
import type { CommandContext } from '../run/command-context.ts'
import { asParticipant } from '../run/reach.ts'

/** The tool class whose sessions may speak for `human.*`. */
const HUMAN_TOOL = 'human'

/** Does something as whoever may speak for the entity, and closes what that opened. */
export function asEntity<T>(
  context: CommandContext,
  entity: string,
  work: (participant: Participant) => Promise<T>,
): Promise<T> {
  return asParticipant(context, async (participant, client) => {
    if (context.token !== undefined || !isHuman(entity)) return work(participant)
    const session = await client.session({
      instrument: VISITOR_INSTRUMENT,
      tool: HUMAN_TOOL,
      entities: [entity],
    })
    try {
      return await work(session)
    } finally {
      await session.close()
    }
  })
}
