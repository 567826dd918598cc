/**
 * `agentd git-hook`: what `agentd setup git` has put into the hooks of a repository.
 *
 * Always ends well: a hook that fails would keep git from what it was told to do.
 */
import { Command } from 'commander'
import { runs, type CommandContext } from '../../run/command-context.ts'
import { EXIT, type ExitCode } from '../../run/exit.ts'
import { GROUPS } from '../../help/groups.ts'

/** The command. */
export function gitHookCommand(): Command {
  return new Command('git-hook')
    .helpGroup(GROUPS.agents)
    .summary('What the hooks of git run')
    .description('What the hooks of git run; "agentd setup git" puts them there')
    .argument('<hook>', 'post-commit, post-merge, post-checkout, pre-push or prepare-commit-msg')
    .argument('[args...]', 'what git gives the hook')
    .addHelpText('after', '\nExample: agentd git-hook post-commit')
    .action(runs(gitHook))
}

async function gitHook({ environment, socket, args }: CommandContext): Promise<ExitCode> {
  const { enterGitHook } = await import('../../../runtimes/git/enter.ts')
  const [name = '', ...rest] = args
  await enterGitHook(name, rest, { environment, socket, directory: process.cwd() })
  return EXIT.done
}
