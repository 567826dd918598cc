/**
 * The full command line: every command, every message, at the price of a slower start.
 */
import { reportFailure } from './failure.ts'
import { createProgram } from './program.ts'

/** Runs one command and leaves its exit code with the process. */
export async function main(argv: readonly string[]): Promise<void> {
  const program = createProgram()
  try {
    await program.parseAsync([...argv], { from: 'user' })
  } catch (error) {
    process.exitCode = reportFailure(error, argv.includes('--json'))
  }
}
