/**
 * Whether anybody may answer where a question wants its answers.
 *
 * A response scope is data and no submission: nothing is refused for it. But whoever is asked sends the answer to that
 * scope, and is refused then; the one who asked would wait for it in vain (memo §5.7, §6; ACQ-17).
 */
import { AgentdError } from '../../core/errors.ts'
import { readScope, scopeHandle, type Scope } from '../../protocol/address/scope.ts'
import type { FrameOf } from '../../protocol/frame/frame.ts'
import type { Warning } from '../../protocol/http/frame-replies.ts'
import { authoriseScope, type Caller, type ScopeJudge } from '../session/caller.ts'

/** @returns undefined where an answer may be sent, whether or not somebody is there to read it */
export function warnOfResponseScope(
  frame: FrameOf<'agent_query'>,
  asked: Scope,
  caller: Caller,
  judge: ScopeJudge,
): Warning | undefined {
  const { response_scope: text } = frame.payload
  const scope = readScope(text)
  if (scope === undefined || isBackUnderGrant(scope, asked, caller, judge)) return undefined
  try {
    // As an answer would be addressed: to whomever the scope names.
    authoriseScope(scope, { ...frame, recipient_handle: scopeHandle(scope) }, caller, judge)
    return undefined
  } catch (error) {
    if (!(error instanceof AgentdError)) throw error
    const message = `Nobody who is asked may answer to "${text}". ${error.message}`
    return { code: error.code, field: 'payload.response_scope', message }
  }
}

/** Whether the grant that it is asked under admits answers, and they go back to the side that asks (FED-58). */
function isBackUnderGrant(
  scope: Scope,
  asked: Scope,
  { principal: actor }: Caller,
  { authority }: ScopeJudge,
): boolean {
  if (scope.form !== 'accord' || asked.form !== 'accord' || scope.grant !== asked.grant) return false
  const found = authority.grantFor(asked, { actor, kind: 'agent_response' })
  return typeof found !== 'string' && found.from === scope.org
}
