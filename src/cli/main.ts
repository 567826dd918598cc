/**
 * The full command line: every command, every message, at the price of a slower start.
 */
import { CommanderError } from 'commander'
import { readEnvironment } from '../host/config/paths.ts'
import { reportFailure } from './failure.ts'
import { VERSION_ASKED, createProgram } from './program.ts'
import { loadRuntimeIds } from './runtime-ids.ts'
import { Output } from './terminal/output.ts'

/** Runs one command and leaves its exit code with the process. */
export async function main(argv: readonly string[]): Promise<void> {
  const json = hasWord(argv, '--json')
  const help = { text: '', isFault: false }
  const program = createProgram(await namedRuntimes(argv), {
    json,
    called: argv[0],
    printHelp(text, isFault) {
      help.text += text
      help.isFault = isFault
    },
  })
  try {
    await program.parseAsync([...argv], { from: 'user' })
  } catch (error) {
    const isVersion = error instanceof CommanderError && error.code === VERSION_ASKED
    if (isVersion) return main(json ? ['version', '--json'] : ['version'])
    process.exitCode = reportFailure(error, json)
  }
  printHelp(help, argv)
}

/** What help says, and whether it was asked for or is said where a command is missing. */
interface Help {
  readonly text: string
  readonly isFault: boolean
}

/** It comes in pieces, and is as long as it is only when it is whole. */
function printHelp({ text, isFault }: Help, argv: readonly string[]): void {
  if (text === '') return
  const isWanted = !hasWord(argv, '--json') && !hasWord(argv, '--no-pager')
  const output = new Output({ json: false, quiet: false, color: false, env: readEnvironment().env })
  if (isFault) output.noteLong(text.trimEnd(), isWanted)
  else output.answerLong(text.trimEnd(), isWanted)
}

/** What stands behind `--` is text. */
function hasWord(argv: readonly string[], word: string): boolean {
  const end = argv.indexOf('--')
  return (end === -1 ? argv : argv.slice(0, end)).includes(word)
}

/** Commands whose help names the runtimes; the others need not wait for them. */
const RUNTIME_COMMANDS = ['completion', 'doctor', 'help', 'hook', 'setup']

async function namedRuntimes(argv: readonly string[]): Promise<readonly string[]> {
  return argv.some((word) => RUNTIME_COMMANDS.includes(word)) ? loadRuntimeIds() : []
}
