/**
 * From what a person calls a session to the scope that the verb takes; the short way leaves such a command to this one.
 *
 * @see docs/http.md §4
 */
import { UsageError } from '../../core/errors.ts'
import { hasPronoun, isScopeText } from '../../protocol/address/recipient.ts'
import type { CommandContext } from '../run/command-context.ts'
import { asParticipant } from '../run/reach.ts'
import type { RawArguments } from './argv.ts'

/**
 * The same words with a scope in place of a name.
 *
 * @throws UsageError for both options; AgentdError for a name that no session has, or several may have
 */
export async function addressed(raw: RawArguments, context: CommandContext): Promise<RawArguments> {
  const { flags, positionals } = raw
  if (flags.has('to') && flags.has('scope')) throw new UsageError('--to and --scope exclude each other.')
  const option = flags.has('to') ? 'to' : 'scope'
  const written = flags.get(option)?.at(-1)
  if (written === undefined || (isScopeText(written) && !hasPronoun(written))) return raw
  const scope = await asParticipant(context, (participant) => participant.scopeOf(written))
  return { positionals, flags: new Map([...flags, [option, [scope]]]) }
}
