/**
 * Who a frame reached, in words that claim no more than the daemon does.
 *
 * @see PD-01: "success" that was not delivery
 */

/** The two counts of a submission (docs/http.md §5). */
export interface Addressees {
  readonly recipientCount: number
  readonly queuedCount: number
}

/**
 * The end of a sentence that begins with `sent …`.
 *
 * @param nobody - what is said when there was no one
 */
export function formatAddressees(
  { recipientCount, queuedCount }: Addressees,
  nobody = 'nobody is listening just now',
): string {
  const total = recipientCount + queuedCount
  if (total === 0) return `; ${nobody}`
  const to = ` to ${formatCount(total, 'session')}`
  if (queuedCount === 0) return to
  if (recipientCount > 0)
    return `${to} (${queuedCount} waiting in ${queuedCount === 1 ? 'a mailbox' : 'mailboxes'})`
  return `${to} (waiting in ${total === 1 ? 'its mailbox' : 'their mailboxes'})`
}

/** `1 session`, `2 sessions` */
export function formatCount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
