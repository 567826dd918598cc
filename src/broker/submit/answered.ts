/** A submission and its answer as one promise. */
import { AgentdError } from '../../core/errors.ts'

/** The answer to one submission, at the end of its turn. @throws AgentdError when it is refused */
export function answered<Reply extends object>(
  submit: (respond: (outcome: Reply | AgentdError) => void) => void,
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    submit((outcome) => {
      if (outcome instanceof AgentdError) reject(outcome)
      else resolve(outcome)
    })
  })
}
