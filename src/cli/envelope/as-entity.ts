/**
 * Speaking for an entity: as the session of the token, as the principal, or, for a person, as a session made for
 * the one call.
 *
 * @see AEQ-21; docs/http.md §9
 */
import { isHuman } from '../../aee/envelope/entity.ts'
import type { AgentdClient, AgentdSession, Participant } from '../../client/index.ts'
import { findCheckout } from '../../host/repository.ts'
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
    if (!needsOwnSession(context, entity)) return work(participant)
    const session = await openForPerson(client, entity)
    try {
      return await work(session)
    } finally {
      await session.close()
    }
  })
}

/** Whether an entity is a person for whom no token speaks. */
export function needsOwnSession({ token }: Pick<CommandContext, 'token'>, entity: string): boolean {
  return token === undefined && isHuman(entity)
}

/**
 * A session in which a person speaks, from the repository they are in (FED-68); whoever opens it closes it.
 *
 * @throws AgentdError when it is refused
 */
export async function openForPerson(
  client: AgentdClient,
  entity: string,
  directory = process.cwd(),
): Promise<AgentdSession> {
  const { repositoryId } = (await findCheckout(directory)) ?? {}
  const person = { instrument: VISITOR_INSTRUMENT, tool: HUMAN_TOOL, entities: [entity] }
  return client.session({ ...person, repositoryId })
}
