/**
 * `agentd doctor`: what works, what does not, and what to do about it. Changes nothing; starts the daemon only
 * for a probe.
 */
import { Command } from 'commander'
import { AgentdError, UsageError } from '../../../core/errors.ts'
import { AgentdUnreachable, type Participant } from '../../../client/index.ts'
import { HostRefusal } from '../../../host/files/refusal.ts'
import { MAX_WAIT_MS } from '../../../core/limits.ts'
import { formatSpan } from '../../../core/text/durations.ts'
import { safeLine } from '../../../core/text/safe-text.ts'
import { findAll, loadDoctor, type Doctor, type Finding } from '../../doctor/findings.ts'
import { runs, type CommandContext } from '../../run/command-context.ts'
import { diagnose } from '../../run/diagnose.ts'
import { EXIT, type ExitCode } from '../../run/exit.ts'
import { readDuration, readFlag } from '../../run/options.ts'
import { PROBE_ANSWER_MS } from '../../run/patience.ts'
import { asParticipant } from '../../run/reach.ts'
import { withProgress } from '../../terminal/progress.ts'
import { GROUPS } from '../../help/groups.ts'

/** The command. @param runtimes - ids, for its help */
export function doctorCommand(runtimes: readonly string[]): Command {
  return new Command('doctor')
    .helpGroup(GROUPS.agents)
    .summary('What works here and what is silently off')
    .description('What works here and what is silently off; --live probes every session')
    .argument('[runtime...]', `${runtimes.join(', ')} (default: those that are installed)`)
    .option('--live', 'send a probe through every attached session and wait until it is seen')
    .option('--wake', 'let the probe of --live wake idle sessions; each pays a turn')
    .option('--timeout <duration>', 'how long --live waits (default: 15s)')
    .addHelpText('after', '\nEnds with 1 when something failed.\n\nExample: agentd doctor --live')
    .action(runs(doctor))
}

async function doctor(context: CommandContext): Promise<ExitCode> {
  const { output, options, args } = context
  const isLive = readFlag(options, 'live')
  if (readFlag(options, 'wake') && !isLive) throw new UsageError('--wake goes with --live.')
  const modules = await loadDoctor()
  const timeoutMs = await readTimeout(context)
  // First, so that the daemon it may start is the one that is examined.
  const probed = isLive ? await probeAll(modules, context, timeoutMs) : []
  const findings = [...(await findAll(modules, args, context)), ...probed]
  const isFailing = findings.some(({ state }) => state === 'fail')
  output.data({ ok: !isFailing, findings })
  tell(findings, modules, context)
  return isFailing ? EXIT.refused : EXIT.done
}

/** A daemon that cannot be asked is a finding like any other: everything else is still to be told. */
async function probeAll(
  { probeSessions, notesOn }: Doctor,
  context: CommandContext,
  timeoutMs: number,
): Promise<readonly Finding[]> {
  try {
    const wish = { timeoutMs, wakesIdle: readFlag(context.options, 'wake') }
    const probe = (participant: Participant) => probeSessions(participant, wish)
    const what = `probing every session, for ${formatSpan(timeoutMs)} at the most`
    return await withProgress(context.output, what, () => asParticipant(context, probe, PROBE_ANSWER_MS))
  } catch (error) {
    const isExpected = [AgentdUnreachable, AgentdError, HostRefusal].some((kind) => error instanceof kind)
    if (!isExpected || !(error instanceof Error)) throw error
    return [notesOn('live').fail('probe', `Nobody could be probed: ${diagnose(error).trouble.message}`)]
  }
}

async function readTimeout({ options }: CommandContext): Promise<number> {
  const { DEFAULT_PROBE_MS, MIN_PROBE_MS } = await import('../../../runtimes/doctor/bounds.ts')
  const ms = readDuration(options, 'timeout')
  if (ms === undefined) return DEFAULT_PROBE_MS
  if (!readFlag(options, 'live')) throw new UsageError('--timeout goes with --live.')
  if (ms >= MIN_PROBE_MS && ms <= MAX_WAIT_MS) return ms
  throw new UsageError(`--timeout must be from ${MIN_PROBE_MS}ms to ${MAX_WAIT_MS / 60_000}m.`)
}

/** One heading per area, one line per finding, and under it what to do. Quietly: only what is not well. */
function tell(findings: readonly Finding[], { runtimes }: Doctor, { output }: CommandContext): void {
  const shown = output.quiet ? findings.filter(({ state }) => state === 'warn' || state === 'fail') : findings
  const titles = new Map<string, string>([
    ['live', 'Probes'],
    ['links', 'Links'],
    ...runtimes.map(({ id, title }): [string, string] => [id, title]),
  ])
  for (const area of new Set(shown.map((finding) => finding.area))) {
    output.answer(output.paint.bold(titles.get(area) ?? area))
    for (const finding of shown.filter((one) => one.area === area))
      output.answer(formatFinding(finding, output))
  }
}

/** As wide as the widest of the four states. */
const STATE_COLUMNS = 4

function formatFinding({ state, sentence, fix }: Finding, { paint }: CommandContext['output']): string {
  const paints = { ok: paint.green, off: paint.dim, warn: paint.yellow, fail: paint.red }
  const line = `  ${paints[state](state.padEnd(STATE_COLUMNS))}  ${safeLine(sentence)}`
  if (fix === undefined) return line
  return `${line}\n${' '.repeat(STATE_COLUMNS + 4)}${paint.dim(`→ ${safeLine(fix)}`)}`
}
