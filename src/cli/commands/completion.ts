/**
 * `agentd completion`: a script for the shell, made from the command tree.
 */
import { Argument, Command } from 'commander'
import { GROUPS } from '../help/groups.ts'
import { runs, type CommandContext } from '../run/command-context.ts'
import { EXIT, type ExitCode } from '../run/exit.ts'

const SHELLS = ['bash', 'zsh', 'fish'] as const

/** The command. @param runtimes - ids, which stand in the script */
export function completionCommand(runtimes: readonly string[]): Command {
  return new Command('completion')
    .helpGroup(GROUPS.command)
    .description('Print a completion script for your shell')
    .addArgument(new Argument('<shell>', 'which shell').choices(SHELLS))
    .addHelpText(
      'after',
      `
The script holds commands, options and what else does not change. Names of sessions, leases, questions, ids of keys and
frames and the like are asked for when a key is pressed, of a daemon that runs; none is started.

Example: source <(agentd completion bash)`,
    )
    .action(runs((context) => completion(context, runtimes)))
}

async function completion(
  { output, args, program }: CommandContext,
  runtimes: readonly string[],
): Promise<ExitCode> {
  const [{ describeCommands }, { configKeys }, { TOPICS, TOPIC_LIST }, write] = await Promise.all([
    import('../completion/words.ts'),
    import('../../host/config/config-keys.ts'),
    import('../help/topics.ts'),
    loadScript(args[0] ?? ''),
  ])
  const topics = [...TOPICS.map(({ name }) => name), TOPIC_LIST]
  const script = write(describeCommands(program, { runtimes, topics, configKeys: configKeys() }))
  output.data({ shell: args[0], script })
  output.answer(script)
  return EXIT.done
}

async function loadScript(shell: string) {
  if (shell === 'zsh') return (await import('../completion/zsh.ts')).zshScript
  if (shell === 'fish') return (await import('../completion/fish.ts')).fishScript
  return (await import('../completion/bash.ts')).bashScript
}
