/**
 * Two mailboxes as one: what waits in either waits in the one that is left, once.
 *
 * @see docs/http.md §4, `successor_of`
 */
import { PRIORITIES } from '../../aee/envelope/envelope.ts'
import { ownLane, type LaneRun, type Lanes } from './lanes.ts'
import { Reading, type ReadingParts, type Stretch } from './reading.ts'
import { Runs, type Run } from './runs.ts'

/** What the one that is left holds, and what stands in its own lane, which is rewritten. */
export interface United {
  readonly stretches: readonly Stretch[]
  readonly from: number
  readonly taken: Runs
  readonly own: readonly LaneRun[]
}

/**
 * Works it out, and rewrites the own lanes of both.
 *
 * @param heir - the one that is left
 * @param left - the one that is given up; its stretches have all ended
 */
export function unite(heir: ReadingParts, left: ReadingParts): United {
  const { lanes, address } = heir
  const taken = stillTaken(heir.taken, new Reading(left)).with(stillTaken(left.taken, new Reading(heir)))
  const own = ownRuns(heir).concat(ownRuns(left))
  const from = Math.min(heir.from, left.from)
  const stretches = [...openedLate(left), ...openedLate(heir)]
  for (const one of [left, heir]) lanes.delete(ownLane(one.address))
  // What waits by a lane that both read does not wait in a lane of its own as well.
  const shared = new Reading({ address, lanes, stretches, from, taken: new Runs() })
  const apart = own
    .flatMap((run) => pieces(run, (seq) => !shared.holds(seq)).map((piece) => ({ ...run, ...piece })))
    .map((run) => ({ ...run, lane: ownLane(address) }))
  const united = inOrder(lanes, ownLane(address), apart)
  return { stretches, from, taken, own: united }
}

/** What one has taken stays taken where it does not wait in the other. */
function stillTaken(taken: Runs, other: Reading): Runs {
  const isTaken = (seq: number): boolean => !other.has(seq)
  return new Runs(
    [...taken].flatMap((run) => (other.countIn(run.first, run.last) === 0 ? [run] : pieces(run, isTaken))),
  )
}

/** Everything before its first place was read or counted, whatever the other one still has to read. */
function openedLate({ stretches, from }: ReadingParts): readonly Stretch[] {
  return stretches.map((stretch) => ({ ...stretch, from: Math.max(stretch.from, from) }))
}

function ownRuns({ lanes, address, from }: ReadingParts): readonly LaneRun[] {
  const lane = lanes.find(ownLane(address))
  if (lane === undefined) return []
  return PRIORITIES.flatMap((priority) =>
    [...lane[priority]]
      .filter(({ last }) => last >= from)
      .map(({ first, last }) => ({
        lane: ownLane(address),
        priority,
        first: Math.max(first, from),
        last,
      })),
  )
}

/** Puts runs into a lane, each place once. @returns them as they stand there */
function inOrder(lanes: Lanes, name: string, runs: readonly LaneRun[]): readonly LaneRun[] {
  lanes.restore(runs.toSorted((a, b) => a.first - b.first))
  return ownRuns({ lanes, address: name.slice(1), from: 0, stretches: [], taken: new Runs() })
}

/** The parts of a run whose places are admitted. */
function pieces({ first, last }: Run, admits: (seq: number) => boolean): readonly Run[] {
  const admitted = new Runs()
  for (let seq = first; seq <= last; seq += 1) if (admits(seq)) admitted.append(seq)
  return [...admitted]
}
