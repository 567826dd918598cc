/**
 * What earlier runs of a service have answered, as far as it is retained.
 */
import type { Envelope } from '../../aee/envelope/envelope.ts'
import { BoundedMap } from '../../core/collections/bounded.ts'
import { isTerminal } from '../../aee/thread/task-end.ts'
import type { Thread } from '../reply/envelope-results.ts'
import { isEndOf, type EndLike } from '../envelopes/reply-line.ts'

/** Workflows whose ends are kept; one that was forgotten is asked for again. */
const KEPT = { most: 64, atOnce: 8 }

/** Asks for a workflow once, however many of its tasks are replayed. */
export class EarlierAnswers {
  readonly #entity: string
  readonly #thread: (corr: string) => Promise<Thread>
  /** By `corr`, oldest first: what this entity has ended there, and nothing else of the workflow. */
  readonly #ends = new BoundedMap<string, readonly EndLike[]>(KEPT)

  constructor(entity: string, thread: (corr: string) => Promise<Thread>) {
    this.#entity = entity
    this.#thread = thread
  }

  /** @throws what asking for the workflow throws; the next task of it asks anew */
  async has(task: Envelope): Promise<boolean> {
    const ends = this.#ends.get(task.corr) ?? (await this.#fetch(task.corr))
    return ends.some((end) => isEndOf(end, { task, acceptsDelegates: false }))
  }

  /** For when nothing more is replayed. */
  forget(): void {
    this.#ends.clear()
  }

  async #fetch(corr: string): Promise<readonly EndLike[]> {
    const { items } = await this.#thread(corr)
    const ends = items
      .map(({ envelope: { type, from, to, reply_to } }) => ({ type, from, to, corr, reply_to }))
      .filter((end) => isTerminal(end) && end.from === this.#entity)
    this.#ends.set(corr, ends)
    return ends
  }
}
