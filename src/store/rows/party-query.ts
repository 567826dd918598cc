/**
 * How the rows of a workflow are asked for a party's.
 */

/** What is asked: the first envelope of a party between two places of a workflow. */
export interface PartyKeys {
  readonly corr: string
  readonly entity: string
  readonly after: number
  readonly upTo: number
}

const FROM = "json_extract(envelope, '$.from')"
const TO = "json_extract(envelope, '$.to')"

/** Asking the daemon about a workflow does not make one a part of it, and neither does its answer (AEQ-23). */
export const PARTY_CLAUSE = `corr = @corr AND seq > @after AND seq <= @upTo
  AND @entity IN (${FROM}, ${TO}) AND 'service.agentd' NOT IN (${FROM}, ${TO}) ORDER BY seq LIMIT 1`

/** The place that so many envelopes of a workflow reach to, behind another. */
export const REACH_QUERY =
  'SELECT max(seq) FROM (SELECT seq FROM frames WHERE corr = ? AND seq > ? ORDER BY seq LIMIT ? + 0)'
