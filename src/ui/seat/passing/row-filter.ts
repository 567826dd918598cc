/**
 * Which rows are looked at: by words, kind, session, or only what the person sent or was sent.
 *
 * @see SEAT-20, SEAT-36
 */
import { withinHandle } from '../here/session.ts'
import type { Row, Rows } from './rows.ts'

/** What is looked for; an empty one takes every row. */
export interface RowFilter {
  /** Words that stand in the row, each of them, in any case. */
  readonly words: string
  readonly kind: string | undefined
  /** An address: its session sent it, or it went to that session alone. */
  readonly session: string | undefined
  /** Only what the person sent, and what was sent to the person alone. */
  readonly onlyMine: boolean
}

/** Takes every row. */
export const EVERY_ROW: RowFilter = { words: '', kind: undefined, session: undefined, onlyMine: false }

/** Whether a filter leaves nothing out. */
export function isEveryRow({ words, kind, session, onlyMine }: RowFilter): boolean {
  return words.trim() === '' && kind === undefined && session === undefined && !onlyMine
}

/** Whether a row is one of those; what is missing is always told. */
export function fits(row: Row, filter: RowFilter, principal: string): boolean {
  if (row.gap !== undefined) return true
  if (filter.kind !== undefined && row.kind !== filter.kind) return false
  if (filter.session !== undefined && row.from !== filter.session && row.to !== filter.session) return false
  if (filter.onlyMine && !isMine(row, principal)) return false
  const words = filter.words.toLowerCase().split(/\s+/)
  const said = `${row.from} ${row.to} ${row.kind} ${row.text} ${row.thread}`.toLowerCase()
  return words.every((word) => said.includes(word))
}

/** Whether an address is the person's: the principal itself, one of the seats, or the entity that stands for it. */
export function isPersonal(address: string, principal: string): boolean {
  if (address === principal || address === `human.${principal.slice(1)}`) return true
  return address.startsWith(`${principal}/`) && withinHandle(address).startsWith('human')
}

/** Whether what was sent to a scope or an entity came to the person's seats too: to everybody, or to the person. */
export function isForSeat(to: string, principal: string): boolean {
  if (isPersonal(to, principal)) return true
  return (
    to.startsWith(`${principal}/`) && to.endsWith('*') && 'human'.startsWith(withinHandle(to).slice(0, -1))
  )
}

function isMine({ from, to }: Row, principal: string): boolean {
  // A scope of the bare principal means everybody; as a sender it is the person.
  return isPersonal(from, principal) || (to !== principal && isPersonal(to, principal))
}

/** The rows that fit, by their places: kept up as rows come and go, and worked out anew only when the filter changes. */
export class FilteredRows {
  readonly #rows: Rows
  readonly #principal: string
  readonly #filter: RowFilter
  #places: number[] = []
  /** How many of them stand for rows that are gone. */
  #gone = 0
  #seen: number
  #forgettings = 0

  constructor(rows: Rows, filter: RowFilter, principal: string) {
    this.#rows = rows
    this.#filter = filter
    this.#principal = principal
    this.#seen = rows.start
  }

  /** Takes in what has come since the last time. */
  update(): void {
    const { start, end } = this.#rows
    for (let place = Math.max(this.#seen, start); place < end; place += 1) {
      const row = this.#rows.get(place)
      if (row !== undefined && fits(row, this.#filter, this.#principal)) this.#places.push(place)
    }
    this.#seen = end
    if (this.#forgettings !== this.#rows.forgettings) this.#dropForgotten()
    while (this.#gone < this.#places.length && (this.#places[this.#gone] ?? 0) < start) this.#gone += 1
    // Now and then, not for every row that goes.
    if (this.#gone > 1_024 && this.#gone * 2 > this.#places.length) {
      this.#places = this.#places.slice(this.#gone)
      this.#gone = 0
    }
  }

  #dropForgotten(): void {
    this.#forgettings = this.#rows.forgettings
    this.#places = this.#places.filter((place) => this.#rows.get(place) !== undefined)
    this.#gone = 0
  }

  /** How many fit. */
  get length(): number {
    return this.#places.length - this.#gone
  }

  /** The place of the row at an index, counted from 0 for the oldest; undefined beyond them. */
  placeAt(index: number): number | undefined {
    return index < 0 ? undefined : this.#places[this.#gone + index]
  }

  /** The index of the first row at a place or behind it: where one stands, also when that row has gone. */
  indexOf(place: number): number {
    let [low, high] = [this.#gone, this.#places.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#places[middle] ?? 0) < place) low = middle + 1
      else high = middle
    }
    return low - this.#gone
  }
}
