/**
 * The full command line: every command, every message, at the price of a slower start.
 */
import { reportFailure } from './failure.ts'
import { createProgram } from './program.ts'
import { loadRuntimeIds } from './runtime-ids.ts'

/** Runs one command and leaves its exit code with the process. */
export async function main(argv: readonly string[]): Promise<void> {
  const program = createProgram(await namedRuntimes(argv))
  try {
    await program.parseAsync([...argv], { from: 'user' })
  } catch (error) {
    process.exitCode = reportFailure(error, argv.includes('--json'))
  }
}

/** Commands whose help names the runtimes; the others need not wait for them. */
const RUNTIME_COMMANDS = ['doctor', 'hook', 'setup']

async function namedRuntimes(argv: readonly string[]): Promise<readonly string[]> {
  return argv.some((word) => RUNTIME_COMMANDS.includes(word)) ? loadRuntimeIds() : []
}
