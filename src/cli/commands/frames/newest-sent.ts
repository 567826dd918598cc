/**
 * The newest frame that whoever runs the command has sent: nobody should have to keep an id to ask what became of it.
 */
import { AgentdError } from '../../../core/errors.ts'
import type { HistoryEntry, Participant } from '../../../client/index.ts'
import type { CommandContext } from '../../run/command-context.ts'
import { asParticipant } from '../../run/reach.ts'

/**
 * How many of the newest frames of its handle are looked through for one of the person's own: that of a moment ago is among the
 * first, also where agents talk; beside a busy crowd some more.
 */
export const NEWEST_LOOKED_AT = [20, 1_000] as const

const NONE =
  'No frame of yours is among the newest; say which one by its id, as "agentd send --json" prints it.'

/** What it is, and when it was accepted: RFC 3339. */
export interface NewestSent {
  readonly frameId: string
  readonly kind: string
  readonly acceptedAt: string
}

/**
 * With a token the session's, otherwise the newest that the person sent and no session of theirs.
 *
 * @throws AgentdError `not-found` where there is none, or too many of others came since
 */
export function findNewestSent(context: CommandContext): Promise<NewestSent> {
  return asParticipant(context, async (participant) => {
    const address = 'address' in participant ? participant.address : undefined
    const found = await (typeof address === 'string'
      ? newestOf(participant, address)
      : newestOfPerson(participant))
    if (found === undefined) throw new AgentdError('not-found', NONE)
    const { frame_id: frameId, kind } = found.frame
    return { frameId, kind, acceptedAt: found.acceptedAt }
  })
}

async function newestOf(participant: Participant, address: string): Promise<HistoryEntry | undefined> {
  const { items } = await participant.history({ sender: address, limit: 1 })
  return items.at(-1)
}

/** What a person sends has no address; what their other machines sent is asked about there. */
async function newestOfPerson(participant: Participant): Promise<HistoryEntry | undefined> {
  for (const limit of NEWEST_LOOKED_AT) {
    const { items } = await participant.history({ sender: participant.handle, limit })
    const own = items.findLast(({ sender, node }) => sender === null && node === undefined)
    if (own !== undefined) return own
  }
  return undefined
}
