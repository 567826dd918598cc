/**
 * Sessions whose address another machine has too: a frame for it reaches both, which is legal and seldom meant.
 *
 * @see FED-54
 */
import type { AgentdClient, RosterSession } from '../../client/index.ts'
import { safeLine } from '../../core/text/safe-text.ts'
import type { DoctorFinding, Notes } from '../../runtimes/doctor/finding.ts'

/** Addresses that are named; of more there is a number. */
const MAX_NAMED = 5

/** Asks who is here. @throws AgentdError as the daemon refuses, AgentdUnreachable */
export async function examineTwins(client: AgentdClient, notes: Notes): Promise<readonly DoctorFinding[]> {
  return twinsAmong(await client.roster(), notes)
}

/** What is found of those who are here. */
export function twinsAmong(
  sessions: readonly Pick<RosterSession, 'address' | 'alsoOn'>[],
  notes: Notes,
): readonly DoctorFinding[] {
  const twins = sessions.flatMap(({ address, alsoOn = [] }) =>
    alsoOn.length === 0 ? [] : `${safeLine(address)} is on ${safeLine(alsoOn.join(', '))} too`,
  )
  if (twins.length === 0) return []
  const more = twins.length > MAX_NAMED ? `, and ${twins.length - MAX_NAMED} more` : ''
  return [
    notes.warn(
      'links-twins',
      `${twins.slice(0, MAX_NAMED).join('; ')}${more}: a frame for it reaches both.`,
      'register one of the two with a session id of its own',
    ),
  ]
}
