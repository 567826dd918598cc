/**
 * The full command line: every command, every message, at the price of a slower start.
 */
import { CommanderError } from 'commander'
import { reportFailure } from './failure.ts'
import { VERSION_ASKED, createProgram } from './program.ts'
import { loadRuntimeIds } from './runtime-ids.ts'

/** Runs one command and leaves its exit code with the process. */
export async function main(argv: readonly string[]): Promise<void> {
  const json = isForProgram(argv)
  const program = createProgram(await namedRuntimes(argv), json)
  try {
    await program.parseAsync([...argv], { from: 'user' })
  } catch (error) {
    const isVersion = error instanceof CommanderError && error.code === VERSION_ASKED
    if (isVersion) return main(json ? ['version', '--json'] : ['version'])
    process.exitCode = reportFailure(error, json)
  }
}

/** What stands behind `--` is text. */
function isForProgram(argv: readonly string[]): boolean {
  const end = argv.indexOf('--')
  return (end === -1 ? argv : argv.slice(0, end)).includes('--json')
}

/** Commands whose help names the runtimes; the others need not wait for them. */
const RUNTIME_COMMANDS = ['completion', 'doctor', 'help', 'hook', 'setup']

async function namedRuntimes(argv: readonly string[]): Promise<readonly string[]> {
  return argv.some((word) => RUNTIME_COMMANDS.includes(word)) ? loadRuntimeIds() : []
}
