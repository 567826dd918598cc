/**
 * Whether the engine keeps what it was given. A server of 2026 whose disk is full lets everybody in, answers whatever is asked of its
 * streams, and of a batch says nothing: neither that it has it nor that it has not (FT-16).
 *
 * @see FED-18, FED-65
 */
import type { Clock, Timer } from '../core/clock.ts'
import { noWordOfBatch, type NotKept } from './hub/faults.ts'
import type { Hub } from './hub/hub.ts'

/** Behind a batch without a word for so long, the server is asked whether it is there, in milliseconds. */
export const ASKED_MS = 5_000

/** It answers in turn, so that it has the batch; how long its engine then has to keep it. */
export const KEPT_MS = 10_000

/** Longer than until it is doubted again: a hub that was is trusted when nothing more is held against it by then. */
export const TRUSTED_MS = ASKED_MS + KEPT_MS + 5_000

interface KeepingParts {
  readonly clock: Clock
  readonly hub: Pick<Hub, 'isThere'>
}

/**
 * @param taken - the engine's word on a batch
 * @throws NotKept where the server has it and says no more; whatever `taken` is rejected with
 */
export async function requireKept<Word>(taken: Promise<Word>, parts: KeepingParts): Promise<Word> {
  const doubt = new Doubt(parts)
  try {
    return await Promise.race([taken, doubt.raised])
  } finally {
    doubt.end()
  }
}

class Doubt {
  /** Rejects when there is one, and settles in no other way. */
  readonly raised: Promise<never>
  readonly #parts: KeepingParts
  #raise: (fault: NotKept) => void = () => {}
  #timer: Timer | undefined
  #isOver = false

  constructor(parts: KeepingParts) {
    this.#parts = parts
    this.raised = new Promise((_resolve, reject) => {
      this.#raise = reject
    })
    this.#wait(ASKED_MS, () => void this.#ask())
  }

  end(): void {
    this.#isOver = true
    this.#timer?.cancel()
  }

  #wait(delayMs: number, act: () => void): void {
    if (!this.#isOver) this.#timer = this.#parts.clock.after(delayMs, act)
  }

  /** On a slow way the batch itself may take longer, and so does the answer that comes behind it. */
  async #ask(): Promise<void> {
    if (await this.#parts.hub.isThere()) this.#wait(KEPT_MS, () => this.#raise(noWordOfBatch()))
    else this.#wait(ASKED_MS, () => void this.#ask())
  }
}
