/**
 * How trouble is told: one line on stderr, a sentence for people or an object for programs.
 */
import { escapeUnseen } from '../../core/text/unseen.ts'
import { safeLine } from '../../core/text/safe-text.ts'
import { printError } from '../terminal/print.ts'

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

/** A sentence about the daemon has the name in it already. */
const NAME = 'agentd '
const NAME_HEAD = 'agentd: '

/** Codes that say no more than the sentence does. */
const OWN_CODES = new Set(['usage', 'unreachable', 'defect', 'unsafe', 'deadline', 'no-listener'])

function formatTrouble({ code, field, message }: Trouble): string {
  const head = OWN_CODES.has(code) ? (message.startsWith(NAME) ? '' : NAME_HEAD) : `${NAME_HEAD}${code}: `
  const where = field === undefined || message.includes(`"${field}"`) ? '' : ` [${field}]`
  return safeLine(`${head}${message}${where}`)
}
