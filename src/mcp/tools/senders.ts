/**
 * Who sent what is in a drain: the session's address, else what the item itself says.
 */
import type { InboxItem } from '../../client/index.ts'

/** @returns an address where a session sent it */
export function senderOf({ sender, frame, envelope }: InboxItem): string {
  if (frame === undefined) return envelope.from
  return sender ?? `${frame.sender_handle} (${frame.drafted_with})`
}
