/**
 * How trouble is told: one line on stderr, a sentence for people or an object for programs.
 */
import { escapeUnseen } from '../../core/text/unseen.ts'
import { safeLine } from '../../core/text/safe-text.ts'
import { unreachableSentence } from '../../client/http/absence.ts'
import { findOwner } from '../../host/process/instance-owner.ts'
import { printError } from '../terminal/print.ts'
import { EXIT, type ExitCode } from './exit.ts'

/** What went wrong. `code` is the daemon's, or one of our own words for what never reached it. */
export interface Trouble {
  readonly code: string
  readonly field?: string | undefined
  readonly message: string
}

/**
 * Says it on stderr: a sentence, or for programs one object with `code`, `message` and `exit_code`, and `field` and `line`
 * where there is one (`cli-error`, docs/json.md). The daemon's code comes first, so that a person and a `grep` both find it.
 *
 * @param exit - what the command ends with, where the code does not say it
 */
export function reportTrouble(trouble: Trouble, json: boolean, exit = exitOf(trouble.code)): void {
  printError(
    `${json ? escapeUnseen(JSON.stringify({ ...trouble, exit_code: exit })) : formatTrouble(trouble)}\n`,
  )
}

/** A request that no whole answer came to. */
export interface Unanswered {
  /** Nobody listens, and nothing was sent; or something was, and whether it was accepted is not known. */
  readonly kind: 'absent' | 'silent'
  /** What happened, as the end of a sentence. */
  readonly how: string
  readonly socketPath: string
}

/** As {@link reportTrouble}; a daemon that is there is named where that can be told (OP-29). @returns the exit code */
export function reportUnanswered(unanswered: Unanswered, json: boolean): ExitCode {
  reportTrouble({ code: 'unreachable', message: unansweredWords(unanswered) }, json)
  return EXIT.unreachable
}

function unansweredWords({ kind, how, socketPath }: Unanswered): string {
  if (kind === 'absent') return unreachableSentence(socketPath, how)
  const pid = findOwner(socketPath)?.pid
  const who = pid === undefined ? '' : `, pid ${pid}`
  return `agentd does not answer${who}: ${how}. Whether the frame was accepted is not known.`
}

/** A sentence about the daemon has the name in it already. */
const NAME = 'agentd '
const NAME_HEAD = 'agentd: '

/** Codes that say no more than the sentence does → what the command ends with. */
export const OWN_CODES = {
  usage: EXIT.usage,
  unreachable: EXIT.unreachable,
  defect: EXIT.defect,
  updated: EXIT.lost,
  unsafe: EXIT.unsafe,
  deadline: EXIT.deadline,
  dismissed: EXIT.dismissed,
  held: EXIT.held,
  'no-listener': EXIT.nobody,
} as const

function isOwnCode(code: string): code is keyof typeof OWN_CODES {
  return Object.hasOwn(OWN_CODES, code)
}

/** Of any other code it is that of a refusal. */
function exitOf(code: string): number {
  return isOwnCode(code) ? OWN_CODES[code] : EXIT.refused
}

function formatTrouble({ code, field, message }: Trouble): string {
  const head = isOwnCode(code) ? (message.startsWith(NAME) ? '' : NAME_HEAD) : `${NAME_HEAD}${code}: `
  const where = field === undefined || message.includes(`"${field}"`) ? '' : ` [${field}]`
  return safeLine(`${head}${message}${where}`)
}
