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
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage
  const { exit, trouble } = diagnose(error)
  reportTrouble(trouble, json)
  return exit
}
