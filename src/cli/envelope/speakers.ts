/**
 * Who sends each of many complete envelopes: as for one, the session of the token, the principal, or, for a person, a session
 * made for the run.
 *
 * @see AEQ-21; docs/http.md §9
 */
import type { AgentdClient, AgentdSession, Participant } from '../../client/index.ts'
import type { CommandContext } from '../run/command-context.ts'
import { needsOwnSession, openForPerson } from './as-entity.ts'

/** People that one run speaks for; an envelope of one more is refused by the daemon, in words that say why. */
const MAX_PEOPLE = 16

export class Speakers {
  readonly #context: CommandContext
  /** Who sends for whoever is no person, or has a token. */
  readonly usual: Participant
  readonly #client: AgentdClient
  readonly #people = new Map<string, AgentdSession>()

  constructor(context: CommandContext, usual: Participant, client: AgentdClient) {
    this.#context = context
    this.usual = usual
    this.#client = client
  }

  /** Whoever may send as this entity. @throws AgentdError when its session is refused */
  async of(entity: string): Promise<Participant> {
    if (!needsOwnSession(this.#context, entity)) return this.usual
    const known = this.#people.get(entity)
    if (known !== undefined) return known
    if (this.#people.size >= MAX_PEOPLE) return this.usual
    const session = await openForPerson(this.#client, entity)
    this.#people.set(entity, session)
    return session
  }

  /** Ends the sessions that were opened. */
  async close(): Promise<void> {
    for (const session of this.#people.values()) await session.close()
  }
}
