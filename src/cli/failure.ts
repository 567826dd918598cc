/**
 * From whatever was thrown to an exit code and one line on stderr.
 *
 * @see docs/http.md §11
 */
import { CommanderError } from 'commander'
import { messageOf } from '../core/thrown.ts'
import { UsageError } from '../core/errors.ts'
import { AgentdError, AgentdUnknownAnswer, AgentdUnreachable } from '../client/index.ts'
import { HostRefusal } from '../host/files/refusal.ts'
import { EXIT, type ExitCode } from './run/exit.ts'
import { reportTrouble, type Trouble } from './run/report.ts'

/** Says what happened. @returns the exit code */
export function reportFailure(error: unknown, json: boolean): ExitCode {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage
  const { exit, trouble } = diagnose(error)
  reportTrouble(trouble, json)
  return exit
}

function diagnose(error: unknown): { readonly exit: ExitCode; readonly trouble: Trouble } {
  if (error instanceof AgentdError) {
    const { code, field, message } = error
    return { exit: EXIT.refused, trouble: { code, field, message } }
  }
  const message = messageOf(error)
  if (error instanceof AgentdUnknownAnswer && error.code !== undefined) {
    return { exit: EXIT.refused, trouble: { code: error.code, field: error.field, message } }
  }
  if (error instanceof AgentdUnreachable) {
    return { exit: EXIT.unreachable, trouble: { code: 'unreachable', message } }
  }
  if (error instanceof HostRefusal) return { exit: EXIT.unsafe, trouble: { code: 'unsafe', message } }
  // What the person wrote: an option out of range, a socket path too long, a name that is no handle.
  if (error instanceof UsageError) return { exit: EXIT.usage, trouble: { code: 'usage', message } }
  const where = error instanceof Error ? (error.stack?.split('\n')[1]?.trim() ?? '') : ''
  return {
    exit: EXIT.defect,
    trouble: { code: 'defect', message: `This is a defect of agentd; please report it: ${message} ${where}` },
  }
}
