/**
 * The lanes of the mail: for each scope and each entity that some mailbox listens for, where in the sequence what was
 * sent to it is.
 *
 * A frame stands in one lane however many mailboxes read that, so a broadcast to two thousand idle sessions costs what
 * one to two costs; a mailbox knows its lanes by name and from which place on it reads them (HD-03).
 */
import { PRIORITIES, type Priority } from '../../aee/envelope/envelope.ts'
import { formatScope, type Scope } from '../../protocol/address/scope.ts'
import { Runs, type Run } from './runs.ts'

/** What stands in one lane, by what it counts as in a backlog; frames claim no priority. */
export type Lane = Readonly<Record<Priority, Runs>>

/** A run of a lane as it is written down. */
export interface LaneRun extends Run {
  readonly lane: string
  readonly priority: Priority
}

/** Runs begun before the places that retention has taken are let go of; so many have to pay for a look at everything. */
export const SWEEP_RUNS = 1_024

/** Whether a word names a priority. */
export function isPriority(word: string): word is Priority {
  return PRIORITIES.some((priority) => priority === word)
}

/** Whoever is told when something comes. */
export interface Awaiting {
  wake(): void
}

export class Lanes {
  /** The mailboxes somebody waits at. */
  readonly awaited = new Set<Awaiting>()
  #byName = new Map<string, Lane>()
  /** Runs begun since the last sweep, here and in what mailboxes have taken. */
  #begun = 0
  /** Runs the last sweep left. */
  #left = 0

  /** Whether there is as much to let go of as is worth a look at every mailbox. */
  get isSweepDue(): boolean {
    return this.#begun >= Math.max(SWEEP_RUNS, this.#left)
  }

  /** Runs of all lanes: what they cost. */
  get length(): number {
    return [...this.#byName.values()].flatMap(runsIn).reduce((sum, { length }) => sum + length, 0)
  }

  find(name: string): Lane | undefined {
    return this.#byName.get(name)
  }

  /** Puts a place behind all others of a lane. */
  append(name: string, seq: number, priority: Priority): void {
    if (this.#lane(name)[priority].append(seq)) this.#begun += 1
  }

  /** Some mailbox has a run of exceptions more. */
  noteException(): void {
    this.#begun += 1
  }

  /** What a daemon left, in order within each lane and priority. */
  restore(runs: Iterable<LaneRun>): void {
    for (const run of runs) this.#lane(run.lane)[run.priority].addRun(run)
    this.#left = this.length
  }

  delete(name: string): void {
    this.#byName.delete(name)
  }

  /** Takes out what the person had forgotten. */
  forget(gone: Runs): void {
    this.#byName = new Map(
      [...this.#byName].map(([name, lane]) => [name, laneOf((priority) => lane[priority].without(gone))]),
    )
  }

  /** Lets go of what retention has taken; every mailbox has to have counted it before. */
  dropBefore(seq: number): void {
    for (const [name, lane] of this.#byName) {
      const runs = runsIn(lane)
      for (const one of runs) one.dropBefore(seq)
      if (runs.every(({ length }) => length === 0)) this.#byName.delete(name)
    }
    this.#begun = 0
    this.#left = this.length
  }

  /** The sequence began anew. */
  clear(): void {
    this.#byName.clear()
    this.#begun = 0
    this.#left = 0
  }

  #lane(name: string): Lane {
    const there = this.#byName.get(name)
    if (there !== undefined) return there
    const made = laneOf(() => new Runs())
    this.#byName.set(name, made)
    return made
  }
}

/** The lane of what is sent to a scope; equal scopes have one. */
export function scopeLane(scope: Scope): string {
  return formatScope(scope)
}

/** The lane of what is sent to an entity. No scope that expands begins so. */
export function entityLane(entity: string): string {
  return `aee:${entity}`
}

/** The lane of one mailbox alone: what waits for it and not for everybody its lanes are for. No scope begins so. */
export function ownLane(address: string): string {
  return `@${address}`
}

/** The lanes of every scope that names an address: all, each beginning of its instrument, and itself. */
export function scopeLanesOf(address: string): readonly string[] {
  const slash = address.indexOf('/')
  const [handle, instrument] = [address.slice(0, slash), address.slice(slash + 1, address.indexOf('@'))]
  const prefixes = Array.from({ length: instrument.length + 1 }, (_, i) => instrument.slice(0, i))
  return [...prefixes.map((prefix) => `${handle}/${prefix}*`), address]
}

/** The runs of a lane, whatever they count as. */
export function runsIn(lane: Lane): readonly Runs[] {
  return PRIORITIES.map((priority) => lane[priority])
}

function laneOf(make: (priority: Priority) => Runs): Lane {
  return { low: make('low'), normal: make('normal'), high: make('high'), urgent: make('urgent') }
}
