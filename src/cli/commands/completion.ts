/**
 * `agentd completion`: a script for the shell, made from the command tree.
 */
import { Argument, Command } from 'commander'
import { runs, type CommandContext } from '../run/command-context.ts'
import { EXIT, type ExitCode } from '../run/exit.ts'
import { GROUPS } from '../run/groups.ts'

const SHELLS = ['bash', 'zsh', 'fish'] as const

/** The command. */
export function completionCommand(): Command {
  return new Command('completion')
    .helpGroup(GROUPS.command)
    .description('Print a completion script for your shell')
    .addArgument(new Argument('<shell>', 'which shell').choices(SHELLS))
    .addHelpText('after', '\nExample: source <(agentd completion bash)')
    .action(runs(completion))
}

async function completion({ output, args, program }: CommandContext): Promise<ExitCode> {
  const { describeCommands } = await import('../completion/words.ts')
  const { bashScript, fishScript, zshScript } = await import('../completion/scripts.ts')
  const [shell] = args
  const write = shell === 'zsh' ? zshScript : shell === 'fish' ? fishScript : bashScript
  const script = write(describeCommands(program))
  output.data({ shell, script })
  output.answer(script)
  return EXIT.done
}
