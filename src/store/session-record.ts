/**
 * A session as it is read back from the store: what an earlier version wrote has its bounds applied here.
 *
 * @see docs/http.md §4; HD-01, HD-02
 */
import type { SessionRecord } from '../broker/session/ledger.ts'
import { addPredecessors, type Predecessor } from '../broker/kinship/predecessors.ts'

/**
 * Octets of one record that are read. What a session may say of itself is a quarter of it; one list that an earlier
 * version let grow reached gigabytes, which no reading survives.
 */
export const MAX_RECORD_OCTETS = 1_048_576

/** What is written, and what was before places stood beside the addresses of predecessors. */
type WrittenRecord = Omit<SessionRecord, 'predecessors'> & {
  readonly predecessors?: readonly Predecessor[]
  readonly heirOf?: readonly string[]
}

/**
 * @param json - as the store wrote it, its digest compared
 * @param lastSeq - the newest place: up to there a predecessor of an earlier version was certainly carried on
 */
export function readSessionRecord(json: string, lastSeq: number): SessionRecord {
  // The store's own writing, read back.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const { heirOf = [], predecessors, ...record } = JSON.parse(json) as WrittenRecord
  const written = predecessors ?? heirOf.map((address) => ({ address, upToSeq: lastSeq }))
  return { ...record, predecessors: addPredecessors([], written, record.facts.address) }
}
