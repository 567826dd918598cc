/**
 * `agentd version`: which agentd this is; the same as `-v`, `-V` and `--version`. It asks no daemon.
 */
import { Command } from 'commander'
import { packageVersion } from '../../host/package.ts'
import { runs, type CommandContext } from '../run/command-context.ts'
import { EXIT, type ExitCode } from '../run/exit.ts'
import { GROUPS } from '../help/groups.ts'

/** The command. */
export function versionCommand(): Command {
  return new Command('version')
    .helpGroup(GROUPS.command)
    .summary('Print the version')
    .description('Print the version; with --json also of what it runs on')
    .addHelpText('after', '\nExample: agentd version --json')
    .action(runs(version))
}

async function version({ output }: CommandContext): Promise<ExitCode> {
  if (output.json) {
    const { findSqlite } = await import('../../daemon/main.ts')
    const { platform, arch, versions } = process
    output.data({
      version: packageVersion(),
      node: versions.node,
      platform,
      arch,
      sqlite: await findSqlite(),
    })
  }
  output.answer(packageVersion())
  return EXIT.done
}
