/**
 * Who is here, a line for each: who waits first, then who works, then who is idle; the person's own seats apart.
 *
 * @see SEAT-10, SEAT-20
 */
import { folderOf, type SeatSession } from './session.ts'

/** `●` works, `▲` waits at its own prompt, `○` idle or silent about it: never told by a colour alone (SEAT-32). */
export type HereMark = '●' | '▲' | '○'

/** One line of the list. */
export interface HereLine {
  readonly session: SeatSession
  readonly mark: HereMark
  readonly folder: string | undefined
  /** In its own words what it announced last, while it is at work, or asks at its prompt; undefined when it is idle. */
  readonly doing: string | undefined
  /** Since when it does what the line says; undefined where nothing tells. */
  readonly sinceMs: number | undefined
}

/** The list, and the person beside it. */
export interface HereList {
  readonly lines: readonly HereLine[]
  /** The person's own seats: pages and terminals. */
  readonly seats: readonly SeatSession[]
  readonly waiting: number
}

/** What a session announced last. */
export interface LastWord {
  readonly text: string
  readonly atMs: number
}

const MARKS = { waiting: '▲', working: '●', idle: '○' } as const
const RANKS: readonly HereMark[] = ['▲', '●', '○']

/** @param lastWordOf - what the session at an address announced last, if it is known */
export function listHere(
  sessions: Iterable<SeatSession>,
  lastWordOf: (address: string) => LastWord | undefined,
): HereList {
  const all = [...sessions]
  const lines = all
    .filter(({ isPerson }) => !isPerson)
    .map((session) => lineOf(session, lastWordOf(session.address)))
    .toSorted(
      (a, b) =>
        RANKS.indexOf(a.mark) - RANKS.indexOf(b.mark) ||
        (a.session.called < b.session.called ? -1 : Number(a.session.called > b.session.called)),
    )
  const seats = all.filter(({ isPerson }) => isPerson)
  return { lines, seats, waiting: lines.filter(({ mark }) => mark === '▲').length }
}

function lineOf(session: SeatSession, last: LastWord | undefined): HereLine {
  const { activity } = session
  const folder = folderOf(session)
  // One that says nothing of itself is at work as long as it announces something.
  const mark = activity === undefined ? (last === undefined ? '○' : '●') : MARKS[activity.state]
  if (mark !== '●') {
    const asks = mark === '▲' ? (activity?.text ?? activity?.reason) : undefined
    return { session, mark, folder, doing: asks, sinceMs: activity?.sinceMs }
  }
  return { session, mark, folder, doing: last?.text, sinceMs: last?.atMs ?? activity?.sinceMs }
}
