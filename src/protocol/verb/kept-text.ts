/**
 * The text of a handover that fits into no frame: what its frame has of it, and what it is refused with when it is too long
 * even for that.
 *
 * @see HO-07; memo §5.3: pointers carry what a frame does not
 */
import { AgentdError } from '../../core/errors.ts'
import { MAX_HANDOVER_OCTETS } from '../../core/limits.ts'
import { firstOctets } from '../../core/text/octets.ts'

/** Of the text, what its frame has: the beginning, for whoever only reads frames. */
const HEAD_OCTETS = 4_096

/** What is told of a text that was kept. */
interface KeptPlace {
  readonly path: string
  readonly octets: number
}

/** The beginning, and where all of it is. */
export function composeHead(text: string, { path, octets }: KeptPlace): string {
  return `${firstOctets(text, HEAD_OCTETS)}\n\n[Cut here. All of it, ${octets} octets, is in ${path}; agentd takeover prints it.]`
}

/** Beyond what is kept of one. */
export function textTooLarge(): AgentdError {
  const message = `The text of a handover is at most ${MAX_HANDOVER_OCTETS} octets; point to a file with what is longer.`
  return new AgentdError('frame-too-large', message, { field: 'body' })
}
