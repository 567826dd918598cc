/**
 * One sentence for a daemon that is not there, whichever way it was asked for. It imports nothing: the short ways have it too.
 */

/** What the system says of a socket that nobody listens at, as the end of a sentence. */
const ABSENT_WORDS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such socket',
  ECONNREFUSED: 'nobody listens there any more',
}

/** @param code - the system's, where it has one; @param message - what else there is to say */
export function howAbsent(code: string | undefined, message: string): string {
  return (code === undefined ? undefined : ABSENT_WORDS[code]) ?? message
}

/** @param how - as the end of a sentence; @param advice - what to do, without its full stop */
export function unreachableSentence(
  socketPath: string,
  how: string,
  advice = 'Start it with "agentd start"',
): string {
  return `agentd does not answer at ${socketPath}: ${how}. ${advice}.`
}
