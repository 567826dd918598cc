/**
 * In which order a backlog is handed over: the urgent first, and nobody last for ever.
 *
 * Each priority has a share of what is handed over while it has something waiting: eight urgent ones go for
 * every low one, not before every low one. What was handed over counts for the next time, so the shares hold for
 * drains of one item as well. Frames claim no priority and count as normal.
 *
 * @see AEE-094, R-33
 */
import { PRIORITIES, type Priority } from '../../aee/envelope/envelope.ts'
import { priorityOf, type Retained } from '../ring/retained.ts'

/** Shares of a backlog; `low` gets at least one in fifteen (R-33 asks for five in a hundred). */
const WEIGHTS: Readonly<Record<Priority, number>> = { urgent: 8, high: 4, normal: 2, low: 1 }

/** Highest first: what goes first when two have had the same share. */
const BY_RANK: readonly Priority[] = PRIORITIES.toReversed()

type Turns = Record<Priority, number>

export class FairOrder {
  /** How far each priority has come, in items divided by its weight; only differences matter. */
  #turns: Turns = { low: 0, normal: 0, high: 0, urgent: 0 }

  /** @param waiting - oldest first. @returns the same in the order they should go */
  order<T>(waiting: readonly T[], priorityOf: (item: T) => Priority): readonly T[] {
    const queues = new Map(BY_RANK.map((priority) => [priority, new Array<T>()]))
    for (const item of waiting) queues.get(priorityOf(item))?.push(item)
    const busy = [...queues].filter(([, queue]) => queue.length > 0)
    if (busy.length <= 1) return waiting
    const turns = { ...this.#turns }
    const next = new Map(busy.map(([priority]) => [priority, 0]))
    return waiting.map((fallback) => {
      const chosen = first(turns, [...next.keys()])
      const queue = queues.get(chosen) ?? []
      const place = next.get(chosen) ?? 0
      turns[chosen] += 1 / WEIGHTS[chosen]
      if (place + 1 < queue.length) next.set(chosen, place + 1)
      else next.delete(chosen)
      return queue[place] ?? fallback
    })
  }

  /** Takes note of what was handed over, and of what was waiting beside it. */
  served(taken: readonly Retained[], waiting: readonly Retained[]): void {
    for (const retained of taken) {
      const priority = priorityOf(retained)
      this.#turns[priority] += 1 / WEIGHTS[priority]
    }
    // Who had nothing waiting has saved nothing up: it joins where the others are.
    const busy = new Set(waiting.map(priorityOf))
    const level = Math.min(...[...busy].map((priority) => this.#turns[priority]))
    for (const priority of PRIORITIES) {
      const turns = this.#turns[priority]
      this.#turns[priority] = busy.has(priority) ? turns - level : Math.max(0, turns - level)
    }
  }
}

/** The one that has come least far; the highest among equals. */
function first(turns: Readonly<Turns>, candidates: readonly Priority[]): Priority {
  return candidates.reduce((best, one) => (turns[one] < turns[best] ? one : best))
}
