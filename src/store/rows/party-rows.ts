/**
 * Who is a party of which workflow, asked of the rows of its envelopes.
 *
 * They are looked through by SQLite, without their text, and once for whoever asks: behind the place that was reached,
 * or at the envelope that was found, it goes on the next time (HD-10). An index of all parties on disk was measured:
 * it doubles what storing an envelope costs.
 */
import { partyName } from '../../broker/ring/memory/envelope-index.ts'
import { BoundedMap } from '../../core/collections/bounded.ts'
import { readFacts, toFrameRow, type FrameColumns } from './row.ts'
import type { CurrentStatements } from './statements.ts'

/** Envelopes looked through at once, some thirty milliseconds of work; the next question goes on behind them. */
export const MAX_LOOKED_THROUGH = 8_192

/** Askers remembered, and how many are forgotten together; one who is forgotten is looked for from the beginning. */
const REMEMBERED = { most: 4_096, atOnce: 256 }

/** Characters of an asker and a workflow that are remembered; either name may fill an envelope. */
const MAX_NAMES_LENGTH = 1_024

export class PartyRows {
  readonly #file: CurrentStatements
  /** Up to which place nothing of a workflow is an asker's. */
  readonly #reached = new BoundedMap<string, number>(REMEMBERED)

  constructor(file: CurrentStatements) {
    this.#file = file
  }

  /** As `Ring.hasParty`. @throws DamagedRow when the envelope that was found is not what was written */
  has(corr: string, entity: string): boolean {
    const name = partyName(corr, entity)
    const { reach, party } = this.#file.statements
    const after = this.#reached.get(name) ?? 0
    const upTo = reach.get(corr, after, MAX_LOOKED_THROUGH) ?? after
    const columns: FrameColumns | undefined = party.get({ corr, entity, after, upTo })
    const found = columns && toFrameRow(columns)
    if (found !== undefined) readFacts(found)
    if (name.length <= MAX_NAMES_LENGTH) this.#reached.set(name, found === undefined ? upTo : found.seq - 1)
    return found !== undefined
  }

  /** The ring began anew: its places are others. */
  clear(): void {
    this.#reached.clear()
  }
}
