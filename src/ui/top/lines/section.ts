/**
 * Lists one below the other: their headings, how many lines each has, and which part of a list those show.
 */
import { fitLine, own, widthOfLine, type Line } from './line.ts'

/** ` NEEDS YOU ───────`; what is left out of the list below it stands in it. */
export function headingLine(heading: string, columns: number, hidden = 0): Line {
  const more = hidden === 0 ? [] : [own(`(${hidden} more) `, 'dim')]
  const head = [own(` ${heading.toUpperCase()} `, 'bold'), ...more]
  return fitLine([...head, own('─'.repeat(Math.max(0, columns - widthOfLine(head))), 'dim')], columns)
}

/** Lines of each list on the screen "now". */
export interface Shares {
  readonly needs: number
  readonly here: number
  readonly passing: number
}

/** What passes keeps of the room, however many need the person: one part of so many. */
const PASSING_PART = 5

/** One line for each of the three at the least; what needs the person comes first, and what passes has what is left. */
export function shareRows(wants: Omit<Shares, 'passing'>, rows: number): Shares {
  const kept = Math.max(1, Math.floor(rows / PASSING_PART))
  const room = Math.max(2, rows - kept)
  const half = Math.max(1, Math.ceil(room / 2))
  const least = Math.min(Math.max(1, wants.needs), Math.max(half, room - Math.max(1, wants.here)))
  const needs = Math.min(least, room - 1)
  const here = Math.min(Math.max(1, wants.here), room - needs)
  return { needs, here, passing: Math.max(0, rows - needs - here) }
}

/** A part of a list. */
export interface Part {
  readonly first: number
  readonly end: number
}

/** So many lines of a list that the chosen one is among them, in the middle where that is possible. */
export function partAround(chosen: number, count: number, height: number): Part {
  const wished = Math.max(0, chosen) - Math.floor(height / 2)
  const first = Math.max(0, Math.min(wished, count - height))
  return { first, end: Math.min(count, first + height) }
}
