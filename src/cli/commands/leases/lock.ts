/**
 * `agentd lock`: announces that one is at work on something, says who announced it already, and holds the lease while a
 * command runs, where one is given. Whoever else is at it: nothing is kept from anybody (AC-034).
 *
 * @see memo §5, AC-061…AC-068; flock(1)
 */
import { Argument, type Command } from 'commander'
import { systemClock } from '../../../core/clock.ts'
import { Failure, UsageError } from '../../../core/errors.ts'
import { safeLine } from '../../../core/text/safe-text.ts'
import { untoldLines } from '../../../protocol/verb/sent-line.ts'
import type { Participant } from '../../../client/index.ts'
import { KeptLease, MIN_KEPT_MS } from '../../leases/kept-lease.ts'
import { PassedSignals, runChild } from '../../leases/child.ts'
import type { OtherAnnouncement } from '../../leases/others.ts'
import { runs, type ChildExit, type CommandContext } from '../../run/command-context.ts'
import { EXIT, type ExitCode } from '../../run/exit.ts'
import { asParticipant } from '../../run/reach.ts'
import { printError, printOut } from '../../terminal/print.ts'
import { addressed } from '../../verbs/addressed.ts'
import { composeArguments } from '../../verbs/arguments.ts'
import { rawArguments, verbCommand } from '../../verbs/as-command.ts'
import { VERB_COMMANDS } from '../../verbs/flags.ts'
import { formatSent, type VerbOutcome } from '../../verbs/report.ts'
import { callVerb } from '../../verbs/run.ts'
import { loadReport, sendStarting } from '../../verbs/starting.ts'
import { tellOutcome } from '../../verbs/tell-outcome.ts'
import type { VerbCommand } from '../../verbs/verb-command.ts'

const ROW: VerbCommand = VERB_COMMANDS.lock

/** A lease while a command runs when nobody says otherwise, in milliseconds: as without one. */
const DEFAULT_KEPT_MS = 300_000

/** The command. */
export function lockCommand(): Command {
  return verbCommand('lock', ROW)
    .summary('Announce that you are at work on something')
    .addArgument(
      new Argument('[command...]', 'behind --: a command that runs under the lease, which ends with it'),
    )
    .action(runs(lock))
}

async function lock(context: CommandContext): Promise<ExitCode | ChildExit> {
  const [resource = '', ...command] = context.args
  const own = { ...context, args: [resource] }
  const raw = await addressed(rawArguments(ROW, own), own)
  const body = composeArguments(ROW, raw, context.token !== undefined)
  if (command.length === 0) return announce(resource, body, context)
  requireCommand(command, context)
  return holdFor(command, { resource, body }, context)
}

/** Announces it, and says who else has. */
async function announce(
  resource: string,
  body: Readonly<Record<string, unknown>>,
  context: CommandContext,
): Promise<ExitCode> {
  const { output } = context
  const outcome = await sendStarting(() => callVerb(ROW.verb, body, context), context)
  if (outcome.kind !== 'sent' || (output.quiet && !output.json))
    return tellOutcome(outcome, output, loadReport)
  // Said at once, whatever becomes of looking who else is at it; for programs there is one object.
  if (!output.json) printOut(formatSent(outcome, output))
  await tellOthers(resource, outcome, context)
  return EXIT.done
}

async function tellOthers(
  resource: string,
  outcome: Extract<VerbOutcome, { kind: 'sent' }>,
  context: CommandContext,
): Promise<void> {
  const { output } = context
  const [{ othersInWords, othersToWire }, { printAnswer }] = await Promise.all([
    import('../../leases/others.ts'),
    import('../../leases/lease-words.ts'),
  ])
  const find = (participant: Participant) => lookForOthers(participant, resource, outcome.sent.newLease)
  const others = await asParticipant(context, find).catch((error: unknown) => {
    if (output.json) printAnswer(outcome, {})
    throw error
  })
  if (output.json) printAnswer(outcome, { heldBy: othersToWire(others) })
  else for (const line of othersInWords(others)) output.say(line)
}

/** Looked for only after one's own word: of two that announce at the same moment, each sees the other. */
async function lookForOthers(
  participant: Participant,
  resource: string,
  leaseId: string | undefined,
): Promise<readonly OtherAnnouncement[]> {
  const [{ findOthers }, { readLeaseLines }, { nameResource }] = await Promise.all([
    import('../../leases/others.ts'),
    import('../../leases/lease-words.ts'),
    import('../../leases/same-resource.ts'),
  ])
  const { lines, from } = await readLeaseLines(participant)
  return findOthers(lines, await nameResource(resource, process.cwd()), { leaseId, from })
}

/** @throws UsageError for what looks like a second resource, and for what a command does not go with */
function requireCommand(command: readonly string[], { output }: CommandContext): void {
  const dashes = process.argv.indexOf('--')
  const isBehind = dashes !== -1 && process.argv.length - dashes - 1 === command.length
  if (!isBehind)
    throw new UsageError('One resource at a time; a command stands behind --: agentd lock FILE -- command.')
  if (command[0] === '') throw new UsageError('The command behind -- has no name.')
  if (output.json) throw new UsageError('--json does not go with a command: what it prints is its own.')
}

/** What is announced while a command runs. */
interface Held {
  readonly resource: string
  readonly body: Readonly<Record<string, unknown>>
}

async function holdFor(
  command: readonly string[],
  { resource, body }: Held,
  context: CommandContext,
): Promise<ChildExit> {
  const { ttl_ms: wished = DEFAULT_KEPT_MS, ...more } = body
  const ttlMs = Number(wished)
  if (ttlMs < MIN_KEPT_MS)
    throw new UsageError(`--ttl is at least ${MIN_KEPT_MS / 1_000}s with a command, which extends the lease.`)
  const signals = new PassedSignals()
  try {
    return await asParticipant(context, async (participant) => {
      const parts = { participant, clock: systemClock, onTrouble }
      const { lease, sent } = await KeptLease.announce({ resource, ttlMs, more }, parts)
      try {
        for (const line of untoldLines(sent.remote?.away)) context.output.note(line)
        await noteOthers(participant, { resource, leaseId: lease.leaseId }, context)
        const { code, fault } = await runChild(command, signals)
        if (fault !== undefined) onTrouble(fault)
        return { code }
      } finally {
        await lease.release()
      }
    })
  } finally {
    signals.release()
  }
}

function onTrouble(sentence: string): void {
  printError(`agentd: ${safeLine(sentence)}\n`)
}

/** Beside the matter, since stdout is the command's. What cannot be read is not waited for: it is announced already. */
async function noteOthers(
  participant: Participant,
  { resource, leaseId }: { readonly resource: string; readonly leaseId: string },
  { output }: CommandContext,
): Promise<void> {
  if (output.quiet) return
  const { othersInWords } = await import('../../leases/others.ts')
  try {
    for (const line of othersInWords(await lookForOthers(participant, resource, leaseId))) output.note(line)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    output.note(safeLine(`Who else is at it could not be looked up: ${error.message}`))
  }
}
