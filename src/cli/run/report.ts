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

/** The daemon's code comes first, so that a person and a `grep` both find it. */
export function reportTrouble(trouble: Trouble, json: boolean): void {
  printError(`${json ? escapeUnseen(JSON.stringify(trouble)) : formatTrouble(trouble)}\n`)
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

/** Codes that say no more than the sentence does. */
const OWN_CODES = new Set([
  'usage',
  'unreachable',
  'defect',
  'updated',
  'unsafe',
  'deadline',
  'dismissed',
  'no-listener',
])

function formatTrouble({ code, field, message }: Trouble): string {
  const head = OWN_CODES.has(code) ? (message.startsWith(NAME) ? '' : NAME_HEAD) : `${NAME_HEAD}${code}: `
  const where = field === undefined || message.includes(`"${field}"`) ? '' : ` [${field}]`
  return safeLine(`${head}${message}${where}`)
}
