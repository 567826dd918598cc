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
import { withProgress } from '../../terminal/progress.ts'
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
  const counting = () => client.countForgettable(which)
  const { count, upTo, elsewhere } = await withProgress(output, 'counting what it is', counting)
  const away = { elsewhere, isEverywhere: which.everywhere === true }
  if (readFlag(options, 'dryRun')) {
    output.data({ forgotten: 0, wouldForget: count, upTo, elsewhere })
    output.say(count === 0 ? NOTHING : `would forget ${formatCount(count, 'item')} for good${here(away)}`)
    if (count > 0) noteCopies(away, context)
    return EXIT.done
  }
  const question = `Forget ${formatCount(count, 'item')} for good${here(away)}?${copiesIn(away)}`
  if (count > 0 && !readFlag(options, 'yes') && !confirm(context, question)) {
    output.note('Nothing was forgotten.')
    return EXIT.done
  }
  const forgetting = () => client.forget({ ...which, upTo: upTo ?? undefined })
  const what = `forgetting ${formatCount(count, 'item')}`
  const forgotten = count === 0 ? 0 : await withProgress(output, what, forgetting)
  output.data({ forgotten })
  output.say(forgotten === 0 ? NOTHING : `forgot ${formatCount(forgotten, 'item')}${here(away)}`)
  if (forgotten > 0) noteCopies(away, context)
  return EXIT.done
}

/** What the person's other machines have of it, and whether they forget it too. */
interface Copies {
  readonly elsewhere: { readonly items: number; readonly nodes: readonly string[] } | undefined
  readonly isEverywhere: boolean
}

/** Where else it is forgotten. */
function here({ elsewhere, isEverywhere }: Copies): string {
  if (!isEverywhere || elsewhere === undefined || elsewhere.items === 0) return ''
  return `, ${elsewhere.items} of them on ${elsewhere.nodes.join(', ')} too`
}

/** A sentence behind the question, where something stays. */
function copiesIn(copies: Copies): string {
  const { elsewhere, isEverywhere } = copies
  if (isEverywhere || elsewhere === undefined || elsewhere.items === 0 || elsewhere.nodes.length === 0)
    return ''
  return ` Copies of ${elsewhere.items} stay on ${elsewhere.nodes.join(', ')}.`
}

function noteCopies(copies: Copies, { output }: CommandContext): void {
  const { elsewhere, isEverywhere } = copies
  if (isEverywhere && elsewhere === undefined)
    output.note('There is no link to another machine of yours; it was here alone.')
  if (elsewhere === undefined || elsewhere.items === 0) return
  if (isEverywhere)
    output.note('A machine that is away forgets it when it is back; what the hub keeps of it ages out.')
  else if (elsewhere.nodes.length > 0)
    output.note(
      `Copies of ${elsewhere.items} stay on ${elsewhere.nodes.join(', ')}: --everywhere forgets them there too.`,
    )
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
  if (Object.values(which).some((value) => value !== undefined))
    return { ...which, everywhere: readFlag(options, 'everywhere') || undefined }
  throw new UsageError(
    '--forget takes at least one of --event, --corr, --frame, --sender, --kind and --before.',
  )
}
