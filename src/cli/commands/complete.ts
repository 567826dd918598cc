/**
 * `agentd complete`: what the completion scripts ask while somebody types. It is not shown in help.
 *
 * It starts no daemon, ends within a second and never says that something went wrong: who presses a key wants an answer
 * or none.
 */
import { Command } from 'commander'
import { connect } from '../../client/index.ts'
import { runs, type CommandContext } from '../run/command-context.ts'
import { EXIT, type ExitCode } from '../run/exit.ts'
import { PROBE_ANSWER_MS } from '../run/patience.ts'

/** How long all of it may take, in milliseconds. */
const ANSWER_MS = 1_000

/** The command. */
export function completeCommand(): Command {
  return new Command('complete')
    .description('What the completion scripts ask for')
    .argument('<source>', 'what sort of word')
    .action(runs(complete))
}

async function complete({ args, environment, output, socket }: CommandContext): Promise<ExitCode> {
  const late = setTimeout(() => process.exit(EXIT.done), ANSWER_MS)
  const { isAskedSource } = await import('../completion/sources.ts')
  const { findCandidates } = await import('../completion/candidates.ts')
  const [source = ''] = args
  try {
    if (!isAskedSource(source)) return EXIT.done
    const found = await findCandidates(source, {
      environment,
      connect: () => connect({ socket, answerMs: PROBE_ANSWER_MS }),
    })
    output.data({ words: found })
    if (found.length > 0) output.answer(found.map(({ word, says }) => `${word}\t${says}`).join('\n'))
  } catch {
    // No daemon, one that is silent, a file that is not to be read: there is nothing to offer.
    return EXIT.done
  } finally {
    clearTimeout(late)
  }
  return EXIT.done
}
