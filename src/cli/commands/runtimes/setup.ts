/**
 * `agentd setup`: agentd in the hands of the agent runtimes, and out of them again.
 *
 * Nothing is written that was not shown, or that --yes did not ask for unseen.
 */
import { readSync } from 'node:fs'
import { isatty } from 'node:tty'
import { Command } from 'commander'
import { UsageError } from '../../../core/errors.ts'
import { resolveSocketPath } from '../../../host/config/paths.ts'
import { requireOwnSocket } from '../../../host/socket/own-socket.ts'
import { safeBlock, safeLine } from '../../../core/text/safe-text.ts'
import { runs, type CommandContext } from '../../run/command-context.ts'
import { EXIT, type ExitCode } from '../../run/exit.ts'
import { ownLaunch } from '../../run/launcher.ts'
import { choiceOption, readFlag, readTextOption } from '../../run/options.ts'

type Setup = Awaited<ReturnType<typeof loadSetup>>
type Step = ReturnType<Setup['planInstall']>[number]
type Done = Awaited<ReturnType<Setup['applyPlan']>>[number]
type Request = Parameters<Setup['planInstall']>[1]

const STDIN = 0

/** What a person may type for an answer. */
const MAX_REPLY_OCTETS = 256

/** The command. @param runtimes - ids, for its help */
export function setupCommand(runtimes: readonly string[]): Command {
  return new Command('setup')
    .description('Put hooks and tools into the agent runtimes, or take them out again')
    .argument('[runtime...]', `${[...runtimes, 'git'].join(', ')} (default: those that are installed)`)
    .option('--dry-run', 'show what would change, and change nothing')
    .option('--undo', 'take it back: as it was, or without our entries where it was changed since')
    .option('--yes', 'do not ask')
    .option('--hooks-only', 'no MCP server')
    .option('--mcp-only', 'no hooks')
    .addOption(
      choiceOption('--scope <scope>', 'for you everywhere, or in this project only (default: user)', [
        'user',
        'project',
      ]),
    )
    .option('--plugin [folder]', 'claude-code: write a plugin there instead; opencode: add the plugin')
    .addHelpText('after', '\nExample: agentd setup --dry-run')
    .action(runs(setup))
}

async function setup(context: CommandContext): Promise<ExitCode> {
  const { output, options, environment } = context
  const isDry = readFlag(options, 'dryRun')
  const isAsking = !isDry && !readFlag(options, 'yes')
  if (isAsking && !(isatty(STDIN) && output.isTerminal && output.notesAreRead)) {
    throw new UsageError('Nobody can be asked here: look with --dry-run, then repeat with --yes.')
  }
  const modules = await loadSetup()
  const plan = planner(modules, context)
  const steps = plan()
  if (isDry || isAsking) for (const step of steps) showStep(step, modules, context)
  const isIdle = steps.every((step) => modules.isIdle(step))
  if (isDry || isIdle) return tellPlan(steps, modules, context)
  if (isAsking && !confirm(context)) {
    output.note('Nothing was changed.')
    return EXIT.done
  }
  return tellDone(await modules.applyPlan(plan, isAsking ? steps : undefined, environment), modules, context)
}

/** What is to be done, found out anew at each call. */
function planner(modules: Setup, context: CommandContext): () => readonly Step[] {
  const { args, options } = context
  const isUndo = readFlag(options, 'undo')
  const request = readRequest(modules, context)
  const named = modules.setupsNamed(modules.setups, args)
  if (isUndo) {
    const everywhere = args.length === 0 && request.paths.scope === 'user'
    const setups = args.length === 0 ? modules.setupsUndone(modules.setups, everywhere) : named
    return () => modules.planUninstall(setups, request, everywhere)
  }
  // What is written leads there, in each session from now on.
  requireOwnSocket(resolveSocketPath(context.environment, context.socket).path)
  const setups = args.length === 0 ? modules.setupsInstalled(modules.setups, request.paths) : named
  if (setups.length === 0) throw new UsageError('No runtime was found here; name the ones to set up.')
  return () => modules.planInstall(setups, request)
}

function readRequest(modules: Setup, { environment, options, args }: CommandContext): Request {
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
    launch: ownLaunch(),
    parts: hooksOnly ? ['hooks'] : mcpOnly ? ['mcp'] : ['hooks', 'mcp'],
    plugin,
    pluginFolder,
  }
}

function showStep(step: Step, modules: Setup, { output }: CommandContext): void {
  const { changes, commands, title, refusal } = step
  output.answer(output.paint.bold(title))
  if (refusal !== undefined) output.answer(`  ${safeLine(refusal)}`)
  else if (modules.isIdle(step)) output.answer('  nothing to do')
  for (const change of changes) output.answer(paintDiff(modules.showChange(change), output))
  for (const command of commands) output.answer(`run: ${formatCommand(command)}`)
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
  return steps.some(({ refusal }) => refusal !== undefined) ? EXIT.unsafe : EXIT.done
}

function tellDone(done: readonly Done[], modules: Setup, { output }: CommandContext): ExitCode {
  const runtimes = done.map(({ step, failure }) => ({ ...describeStep(step, modules), failure }))
  output.data({ changed: true, runtimes })
  for (const { step, failure } of done) {
    const fault = failure ?? step.refusal
    if (fault !== undefined) output.note(safeLine(fault))
    else if (modules.isIdle(step)) output.say(`${step.title}: nothing to do`)
    else
      output.say(
        [`${step.title}:`, ...step.changes.map(formatChange), ...step.commands.map(formatRun)].join('\n'),
      )
    for (const note of step.notes) output.note(safeLine(note))
  }
  return done.some(({ step, failure }) => (failure ?? step.refusal) !== undefined) ? EXIT.unsafe : EXIT.done
}

function describeStep(step: Step, modules: Setup): object {
  const { runtime, changes, commands, notes, refusal } = step
  return {
    runtime,
    files: changes.map((change) => ({
      path: change.file.path,
      change: changeName(change),
      diff: modules.showChange(change),
    })),
    run: commands.map(formatCommand),
    notes,
    refusal,
  }
}

function changeName({ file, after }: Step['changes'][number]): 'created' | 'removed' | 'changed' {
  if (after === undefined) return 'removed'
  return file.bytes === undefined ? 'created' : 'changed'
}

function formatChange(change: Step['changes'][number]): string {
  return `  ${changeName(change)} ${safeLine(change.file.path)}`
}

function formatRun(command: Step['commands'][number]): string {
  return `  ran ${formatCommand(command)}`
}

function formatCommand({ program, args }: Step['commands'][number]): string {
  return safeLine([program, ...args].join(' '))
}

function paintDiff(diff: string, { paint }: CommandContext['output']): string {
  const lines = safeBlock(diff).split('\n')
  return lines
    .map((line) => (line.startsWith('+') ? paint.green(line) : line.startsWith('-') ? paint.red(line) : line))
    .join('\n')
}

/** Only a clear yes is one. */
function confirm({ output }: CommandContext): boolean {
  output.status('Change this? [y/N] ')
  const reply = Buffer.alloc(MAX_REPLY_OCTETS)
  const length = readSync(STDIN, reply, 0, reply.length, null)
  return /^y(?:es)?$/i.test(reply.toString('utf8', 0, length).trim())
}

/** Parsers and all; no other command needs them. */
async function loadSetup() {
  const [{ loadRuntimes }, { setupOf }, { gitHooks }, selection, install, uninstall, apply, step, paths] =
    await Promise.all([
      import('../../../runtimes/known-runtimes.ts'),
      import('../../../runtimes/setup/target.ts'),
      import('../../../runtimes/git/setup.ts'),
      import('../../../runtimes/setup/selection.ts'),
      import('../../../runtimes/setup/install.ts'),
      import('../../../runtimes/setup/uninstall.ts'),
      import('../../../runtimes/setup/apply.ts'),
      import('../../../runtimes/setup/step.ts'),
      import('../../../runtimes/setup/paths.ts'),
    ])
  // Git is no runtime, and is set up like one.
  const setups = [...(await loadRuntimes()).map(setupOf), gitHooks]
  return { setups, ...selection, ...install, ...uninstall, ...apply, ...step, ...paths }
}
