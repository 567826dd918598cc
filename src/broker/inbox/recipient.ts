/**
 * One line of receipts, as the sender knows the recipient: by the address it was sent to, which another session may carry
 * on (OP-27).
 *
 * @see docs/http.md §5
 */
import type { ReceiptsReply } from '../../protocol/http/frame-replies.ts'
import type { RecipientState } from '../ring/delivery.ts'
import type { Retained } from '../ring/retained.ts'

/** @param recipient - the session that it came to */
export function describeRecipient(
  { scope, scopeText }: Pick<Retained, 'scope' | 'scopeText'>,
  { address, state, atMs, via }: RecipientState,
): ReceiptsReply['receipts'][number] {
  const said = { state, at: new Date(atMs).toISOString(), ...(via !== undefined && { via }) }
  if (scope?.form !== 'session' || scopeText === address) return { address, ...said }
  return { address: scopeText, ...said, carried_on_by: address }
}
