/**
 * `agentd setup`: agentd in the hands of the agent runtimes, and out of them again.
 *
 * Nothing is written that was not said, file by file, or that --yes did not ask for unseen.
 */
import { Command } from 'commander'
import { UsageError } from '../../../core/errors.ts'
import { resolveSocketPath } from '../../../host/config/paths.ts'
import { requireOwnSocket } from '../../../host/socket/own-socket.ts'
import { safeLine } from '../../../core/text/safe-text.ts'
import { runs, type CommandContext } from '../../run/command-context.ts'
import { EXIT, type ExitCode } from '../../run/exit.ts'
import { isBorrowed, ownLaunch } from '../../run/launcher.ts'
import { choiceOption, mayPage, readFlag, readTextOption } from '../../run/options.ts'
import { confirm, requireSomebody } from '../../setup/confirm.ts'
import {
  loadSetup,
  type Applied,
  type Setup,
  type SetupRequest,
  type SocketCall,
  type Step,
} from '../../setup/modules.ts'
import { formatNextStart, formatUntilEnd } from '../../setup/next-start.ts'
import { describeStep, formatChange, formatCommand, formatStep } from '../../setup/show.ts'
import { formatPurpose, formatRows, formatUpgrade, rowsOf, undoRowsOf } from '../../setup/summary.ts'
import { GROUPS } from '../../help/groups.ts'

/** The command. @param runtimes - ids, for its help */
export function setupCommand(runtimes: readonly string[]): Command {
  return new Command('setup')
    .helpGroup(GROUPS.agents)
    .summary('Put hooks and tools into the agent runtimes')
    .description('Put hooks and tools into the agent runtimes, or take them out again')
    .argument('[runtime...]', `${[...runtimes, 'git'].join(', ')} (default: those that are installed)`)
    .option('--dry-run', 'show what would change, and change nothing')
    .option('--undo', 'take it back: as it was, or without our entries where it was changed since')
    .option('--diff', 'show every line that would change before asking, not only how many')
    .option('--yes', 'do not ask')
    .option('--hooks-only', 'no MCP server')
    .option('--mcp-only', 'no hooks')
    .addOption(
      choiceOption('--scope <scope>', 'for you everywhere, or in this project only (default: user)', [
        'user',
        'project',
      ]),
    )
    .option('--no-pager', 'with --dry-run: show it all at once, however long it is')
    .option('--plugin [folder]', 'claude-code: write a plugin there instead; opencode: add the plugin')
    .addHelpText('after', '\nExample: agentd setup --dry-run')
    .action(runs(setup))
}

async function setup(context: CommandContext): Promise<ExitCode> {
  const { output, options, environment } = context
  const isDry = readFlag(options, 'dryRun')
  const isAsking = !isDry && !readFlag(options, 'yes')
  if (isAsking) requireSomebody(context, 'look with --dry-run, then repeat with --yes')
  const modules = await loadSetup()
  const plan = planner(modules, context)
  const steps = plan()
  if (isDry || readFlag(options, 'diff')) {
    const lines = steps.map((step) => formatStep(step, modules, context)).join('\n')
    // What is asked about stays on the screen, above the question.
    if (steps.length > 0) output.answerLong(lines, isDry && mayPage(options))
  }
  const isIdle = steps.every((step) => modules.isIdle(step))
  if (isIdle && !isDry) modules.settleKeyHeader(environment)
  if (isDry || isIdle) return tellPlan(steps, modules, context)
  if (isAsking) summarize(steps, modules, context)
  if (isAsking && !confirm(context, 'Change this?')) {
    output.note('Nothing was changed.')
    return EXIT.done
  }
  return tellDone(await modules.applyPlan(plan, isAsking ? steps : undefined, environment), modules, context)
}

/** What is written holds this agentd's path; one of npx goes when npm empties its cache, and the hooks with it, in silence. */
function noteBorrowed({ output, options }: CommandContext): void {
  if (isBorrowed() && !readFlag(options, 'undo'))
    output.note(
      'This agentd stands in the cache of npx, and hooks are written with its path: when npm empties that, they do nothing. To keep it, run "npm install --global agentd-bus" and then "agentd setup".',
    )
}

/** A line for each file with what of ours it gets or loses, and one for what that is good for. */
function summarize(steps: readonly Step[], modules: Setup, context: CommandContext): void {
  const { output, options } = context
  const isUndo = readFlag(options, 'undo')
  output.answer(`agentd setup${isUndo ? ' --undo' : ''} is going to change (--diff shows every line):`)
  const rows = steps.flatMap((step) => (isUndo ? undoRowsOf : rowsOf)(step, modules, context))
  output.answer(formatRows(rows).join('\n'))
  for (const { refusal } of steps) if (refusal !== undefined) output.answer(`  ${safeLine(refusal)}`)
  const purpose = isUndo ? '' : formatPurpose(steps, modules)
  if (purpose !== '') output.answer(purpose)
}

/** What is to be done, found out anew at each call. */
function planner(modules: Setup, context: CommandContext): () => readonly Step[] {
  const { args, options } = context
  const isUndo = readFlag(options, 'undo')
  const request = readRequest(modules, context, isUndo ? undefined : findCall(modules, context))
  const named = modules.setupsNamed(modules.setups, args)
  if (isUndo) {
    const everywhere = args.length === 0 && request.paths.scope === 'user'
    const setups = args.length === 0 ? modules.setupsUndone(modules.setups, everywhere) : named
    return () => modules.planUninstall(setups, request, everywhere)
  }
  const setups = args.length === 0 ? modules.setupsInstalled(modules.setups, request.paths) : named
  if (setups.length === 0) {
    const known = modules.setups.map(({ id }) => id).join(', ')
    throw new UsageError(`No runtime was found here; name the ones to set up: ${known}.`)
  }
  return () => modules.planInstall(setups, request)
}

/** What is written leads there, in each session from now on. @throws HostRefusal for a socket of somebody else's */
function findCall({ findSocketCall }: Setup, { environment, socket }: CommandContext): SocketCall {
  requireOwnSocket(resolveSocketPath(environment, socket).path)
  return findSocketCall(environment, socket)
}

function readRequest(
  modules: Setup,
  { environment, options, args }: CommandContext,
  call: SocketCall,
): SetupRequest {
  const [hooksOnly, mcpOnly] = [readFlag(options, 'hooksOnly'), readFlag(options, 'mcpOnly')]
  if (hooksOnly && mcpOnly) throw new UsageError('--hooks-only and --mcp-only leave nothing to set up.')
  if ((hooksOnly || mcpOnly) && readFlag(options, 'undo')) {
    throw new UsageError('--undo takes back all of it; leave --hooks-only and --mcp-only out.')
  }
  const pluginFolder = readTextOption(options, 'plugin')
  const plugin = readFlag(options, 'plugin')
  if (plugin && args.includes('claude-code')) {
    throw new UsageError('--plugin needs a folder to write the plugin of claude-code into.')
  }
  if (pluginFolder !== undefined && (args.length !== 1 || args[0] !== 'claude-code')) {
    throw new UsageError('--plugin <folder> is for claude-code alone: name it, and no other.')
  }
  return {
    paths: modules.pathsFor(
      environment,
      readTextOption(options, 'scope') === 'project' ? 'project' : 'user',
      process.cwd(),
    ),
    launch: { ...ownLaunch(), call },
    parts: hooksOnly ? ['hooks'] : mcpOnly ? ['mcp'] : ['hooks', 'mcp'],
    plugin,
    pluginFolder,
  }
}

/** The end of a run that changes nothing. */
function tellPlan(steps: readonly Step[], modules: Setup, context: CommandContext): ExitCode {
  const { output, options } = context
  output.data({ changed: false, runtimes: steps.map((step) => describeStep(step, modules)) })
  if (!readFlag(options, 'dryRun')) {
    for (const { title, refusal } of steps) {
      if (refusal === undefined) output.say(`${title}: nothing to do`)
      else output.note(safeLine(refusal))
    }
    if (steps.length === 0) output.say('nothing to do')
  }
  for (const note of steps.flatMap(({ notes }) => notes)) output.note(safeLine(note))
  noteBorrowed(context)
  return steps.some(({ refusal }) => refusal !== undefined) ? EXIT.unsafe : EXIT.done
}

function tellDone(done: readonly Applied[], modules: Setup, context: CommandContext): ExitCode {
  const { output } = context
  const runtimes = done.map(({ step, failure }) => ({ ...describeStep(step, modules), failure }))
  output.data({ changed: true, runtimes })
  for (const { step, failure } of done) {
    const fault = failure ?? step.refusal
    if (fault !== undefined) output.note(safeLine(fault))
    else if (modules.isIdle(step)) output.say(`${step.title}: nothing to do`)
    else output.say([`${step.title}:`, ...linesOf(step, modules, context)].join('\n'))
    for (const note of step.notes) output.note(safeLine(note))
  }
  const format = readFlag(context.options, 'undo') ? formatUntilEnd : formatNextStart
  output.note(format(stepsDone(done), modules))
  noteBorrowed(context)
  return done.some(({ step, failure }) => (failure ?? step.refusal) !== undefined) ? EXIT.unsafe : EXIT.done
}

function stepsDone(done: readonly Applied[]): readonly Step[] {
  return done.flatMap(({ step, failure }) => ((failure ?? step.refusal) === undefined ? [step] : []))
}

/** What was done; what was shown before the question is not said again. */
function linesOf(step: Step, modules: Setup, { options, output }: CommandContext): readonly string[] {
  const isUnseen = readFlag(options, 'yes') && !readFlag(options, 'undo')
  return [
    ...step.changes.flatMap((change) => [
      formatChange(change),
      ...(isUnseen ? formatUpgrade(modules.ownChanges(change), output.columns) : []),
    ]),
    ...step.commands.map((command) => `  ran ${formatCommand(command)}`),
  ]
}
