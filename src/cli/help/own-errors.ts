/**
 * The codes of errors that are the command line's own, in words: for docs/json.md.
 */
import { EXIT } from '../run/exit.ts'
import { OWN_CODES } from '../run/report.ts'

/** Code → what it stands for. */
const MEANINGS: Readonly<Record<keyof typeof OWN_CODES, string>> = {
  usage: 'The command was written wrongly.',
  unreachable: 'The daemon does not answer.',
  defect: 'A defect of agentd.',
  updated: 'agentd is being built or updated.',
  unsafe: 'A directory, file or name of this machine must not be used as it is.',
  deadline: 'The time was over before what was waited for came.',
  dismissed: 'The question was dismissed, and no answer comes.',
  held: 'Somebody else has taken it over.',
  'no-listener': 'Nobody is listening.',
}

/** Those that end a command like a refusal. */
const REFUSALS: readonly (readonly [string, string])[] = [
  ['hash-mismatch', 'The envelope is not the one of that hash.'],
  ['kept-out', 'The configuration keeps the envelope out (`aee.inbound`).'],
]

/** Code, what the command ends with, and what it stands for. */
export const OWN_ERRORS: readonly (readonly [string, number, string])[] = [
  ...Object.entries(OWN_CODES).map(([code, exit]) => [code, exit, meaningOf(code)] as const),
  ...REFUSALS.map(([code, means]) => [code, EXIT.refused, means] as const),
]

function meaningOf(code: string): string {
  return Object.entries(MEANINGS).find(([name]) => name === code)?.[1] ?? ''
}
