/**
 * Envelopes by what is known of them, without their text: workflows, answers, entities.
 *
 * Every row is checked like one that is read whole.
 */
import type { EnvelopeFacts } from '../../broker/ring/retained.ts'
import { MAX_OPEN_ANSWERS, type ThreadLink } from '../../broker/ring/ring.ts'
import { PartyRows } from './party-rows.ts'
import { readFacts, toFrameRow } from './row.ts'
import type { CurrentStatements } from './statements.ts'

/** Envelopes looked through for the entities that are known. */
const RECENT_ENVELOPES = 16_384

/** What SQLite takes for no limit. */
const NO_LIMIT = -1

export class EnvelopeRows {
  readonly #file: CurrentStatements
  readonly #parties: PartyRows
  /** How often something was forgotten, which may have stood between the ends of a workflow. */
  #forgettings = 0

  constructor(file: CurrentStatements) {
    this.#file = file
    this.#parties = new PartyRows(file)
  }

  /** @throws DamagedRow, as all of these */
  thread(corr: string, afterSeq = 0, limit = NO_LIMIT): readonly ThreadLink[] {
    const rows = this.#file.statements.thread.all(corr, afterSeq, limit)
    return rows.map(toFrameRow).map((row) => ({
      seq: row.seq,
      acceptedAtMs: row.accepted_at_ms,
      facts: readFacts(row),
    }))
  }

  /** As `Ring.hasParty`. */
  hasParty(corr: string, entity: string): boolean {
    return this.#parties.has(corr, entity)
  }

  /** The ring began anew. */
  clear(): void {
    this.#parties.clear()
  }

  /** As `Ring.threadMark`. */
  threadMark(corr: string): string {
    return `${this.#file.statements.threadEnds.get({ corr }) ?? ''} ${this.#forgettings}`
  }

  /** Something of the ring was forgotten. */
  forgotten(): void {
    this.#forgettings += 1
  }

  answersTo(id: string): readonly EnvelopeFacts[] {
    return this.#file.statements.answers.all(id, MAX_OPEN_ANSWERS).map(toFrameRow).map(readFacts)
  }

  /** Newest last: what is heard of last is remembered longest. */
  entities(): readonly string[] {
    const rows = this.#file.statements.entities.all(RECENT_ENVELOPES).toReversed()
    return rows
      .map(toFrameRow)
      .map(readFacts)
      .flatMap(({ from, to }) => [from, to])
  }
}
