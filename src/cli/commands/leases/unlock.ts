/**
 * `agentd unlock` and `agentd extend`: what becomes of a lease of one's own, named by what it is on or by its id.
 *
 * @see memo §5, AC-065…AC-068
 */
import type { Command } from 'commander'
import { formatSpan } from '../../../core/text/durations.ts'
import { safeLine } from '../../../core/text/safe-text.ts'
import { MAX_LEASE_LIFE_MS } from '../../../protocol/board/board.ts'
import type { LeaseLine, MeantLease } from '../../leases/own-lease.ts'
import { runs, type CommandContext } from '../../run/command-context.ts'
import { EXIT, type ExitCode } from '../../run/exit.ts'
import { asParticipant } from '../../run/reach.ts'
import { printOut } from '../../terminal/print.ts'
import { addressed } from '../../verbs/addressed.ts'
import { composeArguments } from '../../verbs/arguments.ts'
import { rawArguments, verbCommand } from '../../verbs/as-command.ts'
import { VERB_COMMANDS } from '../../verbs/flags.ts'
import { formatSent } from '../../verbs/report.ts'
import { callVerb } from '../../verbs/run.ts'
import { loadReport, sendStarting } from '../../verbs/starting.ts'
import { tellOutcome } from '../../verbs/tell-outcome.ts'
import type { VerbCommand } from '../../verbs/verb-command.ts'

/** Arguments of a verb. */
type Body = Readonly<Record<string, unknown>>

/** What one of the two commands sends, and says of it. */
interface Following {
  readonly row: VerbCommand
  /** The verb and its arguments, for the lease that was found. */
  readonly call: (body: Body, line: LeaseLine | undefined) => { readonly verb: string; readonly body: Body }
  readonly says: (line: LeaseLine, body: Body) => string
}

/** The release says what the lease was on, so that nobody who reads it has to look for that (AC-066). */
const RELEASE: Following = {
  row: VERB_COMMANDS.unlock,
  call: ({ lease_id, ...whom }, line) => ({
    verb: 'agent_send',
    body: { ...whom, kind: 'agent_lock_release', payload: { lease_id, resource: line?.resource } },
  }),
  says: ({ resource, leaseId }) => `released ${safeLine(resource)} (lease ${leaseId})`,
}

const EXTEND: Following = {
  row: VERB_COMMANDS.extend,
  call: (body) => ({ verb: VERB_COMMANDS.extend.verb, body }),
  says: ({ resource, leaseId, sinceMs, untilMs }, { additional_ttl_ms: gainMs = DEFAULT_EXTENSION_MS }) => {
    const endMs = Math.min(untilMs + Number(gainMs), sinceMs + MAX_LEASE_LIFE_MS)
    const atMost = endMs < untilMs + Number(gainMs) ? `, the most there is; then lock it anew` : ''
    const left = formatSpan(Math.max(0, endMs - Date.now()))
    return `extended ${safeLine(resource)} (lease ${leaseId}): ${left} left${atMost}`
  },
}

/** What the daemon's own verb adds when nobody says otherwise, in milliseconds (docs/http.md §8). */
const DEFAULT_EXTENSION_MS = 300_000

/** The command. */
export function unlockCommand(): Command {
  return verbCommand('unlock', RELEASE.row).action(runs((context) => follow(RELEASE, context)))
}

/** The command. */
export function extendCommand(): Command {
  return verbCommand('extend', EXTEND.row).action(runs((context) => follow(EXTEND, context)))
}

async function follow({ row, call, says }: Following, context: CommandContext): Promise<ExitCode> {
  const { output } = context
  const { printAnswer } = await import('../../leases/lease-words.ts')
  const raw = await addressed(rawArguments(row, context), context)
  const { leaseId, line } = await findMeant(context)
  const body = { ...composeArguments(row, raw, context.token !== undefined), lease_id: leaseId }
  const { verb, body: sent } = call(body, line)
  const outcome = await sendStarting(() => callVerb(verb, sent, context), context)
  if (outcome.kind !== 'sent') return tellOutcome(outcome, output, loadReport)
  if (output.json) printAnswer(outcome, { leaseId, resource: line?.resource ?? null })
  else printOut(formatSent(outcome, output))
  if (line !== undefined) output.say(says(line, body))
  return EXIT.done
}

/** @throws UsageError for what is no live lease of the caller's own, or may be several */
async function findMeant(context: CommandContext): Promise<MeantLease> {
  const [{ findOwnLease }, { readLeaseLines }, { nameResource }] = await Promise.all([
    import('../../leases/own-lease.ts'),
    import('../../leases/lease-words.ts'),
    import('../../leases/same-resource.ts'),
  ])
  const [given = ''] = context.args
  const looking = await asParticipant(context, readLeaseLines)
  return findOwnLease(given, await nameResource(given, process.cwd()), looking)
}
