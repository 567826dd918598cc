/**
 * From whatever was thrown to an exit code and one line on stderr.
 *
 * @see docs/http.md §11
 */
import { CommanderError } from 'commander'
import { diagnose } from './run/diagnose.ts'
import { EXIT, type ExitCode } from './run/exit.ts'
import { reportTrouble } from './run/report.ts'

/** Says what happened. @returns the exit code */
export function reportFailure(error: unknown, json: boolean): ExitCode {
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return EXIT.done
    // In text commander has said it already, with its help where that is what was missing.
    if (json) reportTrouble({ code: 'usage', message: usageOf(error) }, json, EXIT.usage)
    return EXIT.usage
  }
  const { exit, trouble } = diagnose(error)
  reportTrouble(trouble, json, exit)
  return exit
}

/** Commander begins with `error:`; of a command without its subcommand it says only that it has shown help. */
function usageOf({ code, message }: CommanderError): string {
  if (code === 'commander.help') return 'A command is missing; "agentd help" lists them.'
  return message.replace(/^error: /, '')
}
