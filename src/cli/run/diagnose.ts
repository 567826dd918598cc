/**
 * What was thrown, as an exit code and a sentence.
 *
 * @see docs/http.md §11
 */
import { messageOf, systemErrorCode } from '../../core/thrown.ts'
import { AgentdError, UsageError } from '../../core/errors.ts'
import { AgentdUnknownAnswer, AgentdUnreachable } from '../../client/index.ts'
import { describeSilence } from '../../host/process/instance-owner.ts'
import { HostRefusal } from '../../host/files/refusal.ts'
import { PACKAGE_ROOT } from '../../host/package.ts'
import { EXIT, type ExitCode } from './exit.ts'
import type { Trouble } from './report.ts'

/** What came of an error: how the command ends, and what it says. */
export interface Diagnosis {
  readonly exit: ExitCode
  readonly trouble: Trouble
}

/** In the words of `bin/agentd.cjs`, which says it where not even this could be loaded. */
const REPLACED = 'agentd is being built or updated; try again in a moment. If it stays so, install it again.'

/** What Node and the system say of a file that is not there. */
const NOT_THERE: ReadonlySet<string> = new Set(['ERR_MODULE_NOT_FOUND', 'ENOENT'])

/** Whether a file of agentd's own was not there any more when it was wanted, as while another build takes its place. */
function isReplaced(error: unknown): boolean {
  const isMissing = NOT_THERE.has(systemErrorCode(error) ?? '')
  return isMissing && messageOf(error).includes(`'${PACKAGE_ROOT}/dist/`)
}

/** Whatever was thrown; what nobody expected is a defect. */
export function diagnose(error: unknown): Diagnosis {
  if (error instanceof AgentdError) {
    const { code, field, message } = error
    return { exit: EXIT.refused, trouble: { code, field, message } }
  }
  const message = messageOf(error)
  if (error instanceof AgentdUnknownAnswer && error.code !== undefined) {
    return { exit: EXIT.refused, trouble: { code: error.code, field: error.field, message } }
  }
  if (error instanceof AgentdUnreachable && error.isSilent) {
    const { what, fix } = describeSilence(error.socketPath)
    return {
      exit: EXIT.unreachable,
      trouble: { code: 'unreachable', message: `${what}. To end it: ${fix}.` },
    }
  }
  if (error instanceof AgentdUnreachable) {
    return { exit: EXIT.unreachable, trouble: { code: 'unreachable', message } }
  }
  if (error instanceof HostRefusal) return { exit: EXIT.unsafe, trouble: { code: 'unsafe', message } }
  // What the person wrote: an option out of range, a socket path too long, a name that is no handle.
  if (error instanceof UsageError) return { exit: EXIT.usage, trouble: { code: 'usage', message } }
  if (isReplaced(error)) return { exit: EXIT.lost, trouble: { code: 'updated', message: REPLACED } }
  const where = error instanceof Error ? (error.stack?.split('\n')[1]?.trim() ?? '') : ''
  return {
    exit: EXIT.defect,
    trouble: { code: 'defect', message: `This is a defect of agentd; please report it: ${message} ${where}` },
  }
}
