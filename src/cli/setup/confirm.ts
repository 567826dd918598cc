/**
 * Asking a person before something of theirs is changed.
 */
import { readSync } from 'node:fs'
import { isatty } from 'node:tty'
import { UsageError } from '../../core/errors.ts'
import type { CommandContext } from '../run/command-context.ts'

const STDIN = 0

/** What a person may type for an answer. */
const MAX_REPLY_OCTETS = 256

/** Whether somebody sits there who can be asked: all three streams are a terminal, and what is said is for people. */
export function canAsk({ output }: CommandContext): boolean {
  return isatty(STDIN) && output.isTerminal && output.notesAreRead
}

/** @param instead - what to do where nobody is there; the end of the sentence. @throws UsageError that says it */
export function requireSomebody(context: CommandContext, instead: string): void {
  if (canAsk(context)) return
  throw new UsageError(`Nobody can be asked here: ${instead}.`)
}

/** Only a clear yes is one. */
export function confirm({ output }: CommandContext, question: string): boolean {
  output.status(`${question} [y/N] `)
  const reply = Buffer.alloc(MAX_REPLY_OCTETS)
  const length = readSync(STDIN, reply, 0, reply.length, null)
  return /^y(?:es)?$/i.test(reply.toString('utf8', 0, length).trim())
}
