/**
 * Forgetting for good, in steps with other work in between: what a person wants gone goes from the ring and out of
 * every mailbox, whoever watches is told, and whoever waits meanwhile does not lose it.
 *
 * @see docs/http.md §5; HD-10
 */
import { runsOf, type Run } from '../mail/runs.ts'
import { OWN_WORK, type Background } from '../ring/background.ts'
import type { Deletion, Ring } from '../ring/ring.ts'
import type { Mailboxes } from './mailboxes.ts'

/** What forgetting needs besides the ring. */
interface ForgettingParts {
  readonly mail: Pick<Mailboxes, 'settle' | 'forget'>
  readonly watchers: { forgot(runs: Iterable<Run>): void }
  readonly background: Background
}

/** Forgets what matches of all that is retained now. @returns how much that was */
export async function forgetInSteps(
  ring: Ring,
  which: Deletion,
  { mail, watchers, background }: ForgettingParts,
): Promise<number> {
  const { epoch, lastSeq } = ring
  // Of one place nothing else has to be looked at.
  const upToSeq = which.seq ?? Math.min(which.upToSeq ?? lastSeq, lastSeq)
  let afterSeq = which.seq === undefined ? 0 : which.seq - 1
  let count = 0
  return background.until(() => {
    // A ring that began anew has nothing left of what was to be forgotten.
    if (ring.epoch !== epoch) return count
    // What was trimmed before is lost; what is forgotten now is not.
    mail.settle()
    const { places, nextSeq } = ring.forget(which, { afterSeq, upToSeq })
    const runs = runsOf(places)
    if (places.length > 0) mail.forget(runs)
    watchers.forgot(runs)
    count += places.length
    if (nextSeq === undefined) return count
    afterSeq = nextSeq
    return undefined
    // Whoever asked for it may go: it is to be gone all the same.
  }, OWN_WORK)
}
