/**
 * `agentd service`: the daemon in the hands of the system's service manager.
 */
import { lstatSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Command } from 'commander'
import { PACKAGE_ROOT } from '../../../host/package.ts'
import type { UnitFile } from '../../../host/service/units.ts'
import { safeBlock, safeLine } from '../../../core/text/safe-text.ts'
import { runs, type CommandContext } from '../../run/command-context.ts'
import { EXIT, type ExitCode } from '../../run/exit.ts'
import { readFlag } from '../../run/options.ts'
import { GROUPS } from '../../help/groups.ts'

/** The command. */
export function serviceCommand(): Command {
  return new Command('service')
    .helpGroup(GROUPS.daemon)
    .description('Hand the daemon to systemd or launchd')
    .addHelpText('after', '\nExample: agentd service install --print')
    .addCommand(
      new Command('install')
        .description('Write the units for this user, and say what to run next')
        .option('--print', 'print them instead')
        .addHelpText('after', '\nExample: agentd service install')
        .action(runs(install)),
    )
    .addCommand(
      new Command('uninstall')
        .description('Remove the units that install has written')
        .option('--print', 'print what would be removed')
        .addHelpText('after', '\nExample: agentd service uninstall')
        .action(runs(uninstall)),
    )
}

async function install(context: CommandContext): Promise<ExitCode> {
  const { installUnits, unitInstructions } = await loadUnits()
  const { output, environment, options } = context
  const files = await filesFor(context)
  const { install: commands, notes } = unitInstructions(environment.platform)
  if (readFlag(options, 'print')) {
    output.data({ files, run: commands, notes })
    output.answer(files.map(formatFile).join('\n'))
    return EXIT.done
  }
  const written = installUnits(files)
  output.data({ written, run: commands, notes })
  output.say(written.length === 0 ? 'The units are installed already.' : formatPaths('wrote', written))
  sayNext('run next:', commands, context)
  for (const note of notes) output.note(safeLine(note))
  return EXIT.done
}

async function uninstall(context: CommandContext): Promise<ExitCode> {
  const { uninstallUnits, unitInstructions } = await loadUnits()
  const { output, environment, options } = context
  const files = await filesFor(context)
  const { uninstall: commands } = unitInstructions(environment.platform)
  const paths = files.map(({ path }) => path)
  if (readFlag(options, 'print')) {
    output.data({ files: paths, run: commands })
    output.answer(formatPaths('would remove', paths))
    return EXIT.done
  }
  // systemd cannot disable a unit whose file is gone, so the order matters.
  if (paths.some(isEnabled)) {
    output.data({ removed: [], run: commands })
    output.say('The service is enabled; nothing was removed.')
    sayNext('run this, then "agentd service uninstall" again:', commands, context)
    return EXIT.usage
  }
  const removed = uninstallUnits(files)
  output.data({ removed, run: commands })
  output.say(removed.length === 0 ? 'No units of agentd are there.' : formatPaths('removed', removed))
  if (removed.length > 0) sayNext('run next, if it is still running:', commands, context)
  return EXIT.done
}

/** On demand: no other command writes files for a service manager. */
function loadUnits() {
  return import('../../../host/service/units.ts')
}

async function filesFor({ environment }: CommandContext): Promise<readonly UnitFile[]> {
  const { unitFiles } = await loadUnits()
  return unitFiles(environment, {
    nodePath: process.execPath,
    agentdPath: realpathSync(join(PACKAGE_ROOT, 'bin', 'agentd.cjs')),
    packageRoot: PACKAGE_ROOT,
  })
}

/** Whether systemd was told to start it: `systemctl enable` leaves a link, whatever it points to. */
function isEnabled(path: string): boolean {
  const wants = join(dirname(path), 'sockets.target.wants', 'agentd.socket')
  return lstatSync(wants, { throwIfNoEntry: false }) !== undefined
}

function sayNext(head: string, commands: readonly string[], { output }: CommandContext): void {
  output.say(head)
  for (const command of commands) output.say(`  ${output.paint.cyan(command)}`)
}

function formatPaths(head: string, paths: readonly string[]): string {
  return paths.map((path) => `${head} ${safeLine(path)}`).join('\n')
}

function formatFile({ path, contents }: UnitFile): string {
  return `# ${safeLine(path)}\n${safeBlock(contents)}`
}
