/**
 * What the daemon hands its bridge, as one line on its stdin: never in arguments or variables, which others can read.
 *
 * @see FED-07, FED-14
 */
import { UsageError } from '../core/errors.ts'
import { parseMembers, textMember } from '../core/text/json-object.ts'
import { decodeLink, MAX_LINK_FILE_OCTETS, type LinkFile } from '../link/link-file.ts'

export interface Errand {
  readonly socketPath: string
  /** Opens `/v1/link/*` of the one link, and nothing else. */
  readonly token: string
  readonly link: LinkFile
}

/** The link file, and a path and a token beside it; JSON in JSON has an escape for every quote. */
export const MAX_ERRAND_OCTETS = 2 * MAX_LINK_FILE_OCTETS

/** @throws UsageError, AgentdError for a link that is none */
export function readErrand(line: string): Errand {
  const members = parseMembers(line)
  const socketPath = members && textMember(members, 'socket')
  const token = members && textMember(members, 'token')
  if (members === undefined || socketPath === undefined || token === undefined)
    throw new UsageError('The bridge is started by the daemon, with one line of JSON on its stdin.')
  return { socketPath, token, link: decodeLink(JSON.stringify(members['link'])) }
}
