/**
 * The scope of the last frame: most frames are followed by another that is for the same, and share what was read of it.
 */
import { formatScope, type Scope } from '../../protocol/address/scope.ts'
import { requireRecipientScope, type Submission } from '../../protocol/frame/submission.ts'

/** Where a frame goes. */
export interface ReadScope {
  readonly scope: Scope
  /** The one spelling of it. */
  readonly scopeText: string
}

export class ScopeMemory {
  #saidScope: unknown
  #saidHandle = ''
  #read: ReadScope | undefined

  /** @throws AgentdError `field-invalid`, field `recipient_scope` (ACQ-05) */
  of(submission: Submission): ReadScope {
    const { head, recipientScope } = submission
    const isSame = recipientScope === this.#saidScope && head.recipient_handle === this.#saidHandle
    if (this.#read !== undefined && isSame) return this.#read
    const scope = requireRecipientScope(submission)
    this.#saidScope = recipientScope
    this.#saidHandle = head.recipient_handle
    this.#read = { scope, scopeText: formatScope(scope) }
    return this.#read
  }
}
