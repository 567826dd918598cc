/**
 * `agentd history --forget`: how much it is, whether it shall be, and then that and nothing that came meanwhile.
 *
 * @see W-8, AC-192; docs/decisions/019-counted-before-forgetting.md
 */
import type { AgentdClient, ForgetOptions } from '../../../client/index.ts'
import { formatCount } from '../../../core/text/counts.ts'
import { UsageError } from '../../../core/errors.ts'
import { isKind } from '../../../protocol/frame/kinds.ts'
import type { CommandContext } from '../../run/command-context.ts'
import { EXIT, type ExitCode } from '../../run/exit.ts'
import { readFlag, readPastTime, readTextOption } from '../../run/options.ts'
import { asParticipant } from '../../run/reach.ts'
import { confirm, requireSomebody } from '../../setup/confirm.ts'

/** Only the principal may: a session's token is left aside (AC-192). */
export async function forgetFrames(context: CommandContext): Promise<ExitCode> {
  const { options } = context
  const which = readWhich(context)
  const isAsking = !readFlag(options, 'yes') && !readFlag(options, 'dryRun')
  if (isAsking) requireSomebody(context, 'look with --dry-run, then repeat with --yes')
  return asParticipant(context, (_participant, client) => forgetCounted(which, client, context))
}

async function forgetCounted(
  which: ForgetOptions,
  client: AgentdClient,
  context: CommandContext,
): Promise<ExitCode> {
  const { output, options } = context
  const { count, upTo } = await client.countForgettable(which)
  if (readFlag(options, 'dryRun')) {
    output.data({ forgotten: 0, wouldForget: count, upTo })
    output.say(count === 0 ? NOTHING : `would forget ${formatCount(count, 'item')} for good`)
    return EXIT.done
  }
  const question = `Forget ${formatCount(count, 'item')} for good?`
  if (count > 0 && !readFlag(options, 'yes') && !confirm(context, question)) {
    output.note('Nothing was forgotten.')
    return EXIT.done
  }
  const forgotten = count === 0 ? 0 : await client.forget({ ...which, upTo: upTo ?? undefined })
  output.data({ forgotten })
  output.say(forgotten === 0 ? NOTHING : `forgot ${formatCount(forgotten, 'item')}`)
  return EXIT.done
}

const NOTHING = 'nothing to forget'

/** @throws UsageError for none at all */
function readWhich({ options }: CommandContext): ForgetOptions {
  const kind = readTextOption(options, 'kind')
  const which = {
    eventId: readTextOption(options, 'event'),
    corr: readTextOption(options, 'corr'),
    frameId: readTextOption(options, 'frame'),
    sender: readTextOption(options, 'sender'),
    kind: kind !== undefined && isKind(kind) ? kind : undefined,
    before: readPastTime(options, 'before', Date.now()),
  }
  if (Object.values(which).some((value) => value !== undefined)) return which
  throw new UsageError(
    '--forget takes at least one of --event, --corr, --frame, --sender, --kind and --before.',
  )
}
