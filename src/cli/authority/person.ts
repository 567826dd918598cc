/**
 * What only the person may do: whatever widens who may say what. An agent that could would widen its own authority.
 *
 * A program of the same user can pretend to be a terminal; this keeps verbs, tools, hooks and scripts out, and every honest
 * agent (SECURITY.md).
 *
 * @see FED-44
 */
import { isatty } from 'node:tty'
import { UsageError } from '../../core/errors.ts'
import { safeLine } from '../../core/text/safe-text.ts'
import { sessionVariables } from '../../host/process/session-variables.ts'
import type { CommandContext } from '../run/command-context.ts'
import { readFlag } from '../run/options.ts'
import { confirm, requireSomebody } from '../setup/confirm.ts'

const STDIN = 0

/**
 * Asks the person whether something is to be done.
 *
 * @param question - one line that says what comes of it
 * @returns whether it is
 * @throws UsageError for a session, for what an agent runtime has started, and where nobody sits at a terminal
 */
export function askPerson(context: CommandContext, question: string): boolean {
  if (isDryRun(context, question)) return false
  requirePerson(context)
  if (confirm(context, question)) return true
  context.output.say('nothing was changed')
  return false
}

/**
 * As {@link askPerson}, for what prints something that is kept in a file: the answers and the question have a terminal still.
 *
 * @throws UsageError as {@link askPerson}
 */
export function askBesideStdout(context: CommandContext, question: string): boolean {
  requireNoSession(context)
  if (!isatty(STDIN) || !context.output.notesAreRead)
    throw new UsageError('Nobody can be asked here: run this at a terminal, with nothing piped in.')
  if (confirm(context, question)) return true
  context.output.note('nothing was changed')
  return false
}

/** With `--dry-run`: says what would be asked, and that nothing was changed. Nobody has to sit there for it. */
export function isDryRun({ options, output }: CommandContext, question: string): boolean {
  if (!readFlag(options, 'dryRun')) return false
  output.data({ dryRun: true, wouldAsk: question, changed: false })
  output.say(safeLine(`would ask: ${question}`))
  output.note('Nothing was changed.')
  return true
}

/** That somebody can be asked, for who shows something first. @throws UsageError as {@link askPerson} */
export function requirePerson(context: CommandContext): void {
  requireNoSession(context)
  if (readFlag(context.options, 'dryRun')) return
  requireSomebody(context, 'run this at a terminal, with nothing piped in or out')
}

/** That no agent asks for it: neither a session nor what an agent runtime has started. @throws UsageError */
export function requireNoSession(context: CommandContext): void {
  if (context.token !== undefined)
    throw new UsageError(
      'Only the person may do this, not a session; leave out --token and unset AGENTD_TOKEN.',
    )
  const [variable] = Object.keys(sessionVariables(context.environment))
  if (variable !== undefined)
    throw new UsageError(
      `Only the person may do this, and ${variable} says that an agent runtime has started it; use a terminal of your own.`,
    )
}
