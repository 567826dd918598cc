/**
 * The ids of frames and of envelopes, apart: every envelope is looked for when it comes, and that must not bring
 * the ids of all frames into memory.
 */
import { isEnvelopeKey, type Retained } from '../../broker/ring/retained.ts'
import { FrameIds, type Held } from './frame-ids.ts'
import type { CurrentStatements } from '../rows/statements.ts'
import type { Tail } from './tail.ts'

/** Ids read at a time: a millisecond or two, since the rows they stand in are large. */
const PAGE_FRAMES = 1_024

/** To SQLite. */
const WITHOUT_LIMIT = -1

/** Where ids are read from. */
interface IdsParts {
  readonly tail: Tail
  readonly file: CurrentStatements
}

export class Ids {
  readonly #parts: IdsParts
  #frames: FrameIds
  #envelopes: FrameIds

  constructor(parts: IdsParts) {
    this.#parts = parts
    this.#frames = this.#ofFrames()
    this.#envelopes = this.#ofEnvelopes()
  }

  /** As {@link FrameIds.find}. */
  find(key: string, held: Held): number | undefined {
    return this.#of(key).find(key, held)
  }

  /** As {@link FrameIds.findKnown}. */
  findKnown(key: string, held: Held): number | undefined {
    return this.#of(key).findKnown(key, held)
  }

  /** A page of the ids of frames; those of envelopes are few, and learned at once. As {@link FrameIds.learn}. */
  learn(held: Held): boolean {
    return this.#frames.learn(held)
  }

  /** The store began anew. */
  clear(): void {
    this.#frames = this.#ofFrames()
    this.#envelopes = this.#ofEnvelopes()
  }

  #of(key: string): FrameIds {
    return isEnvelopeKey(key) ? this.#envelopes : this.#frames
  }

  #ofFrames(): FrameIds {
    const { tail, file } = this.#parts
    return new FrameIds({
      newest: () => tail.after(0, Infinity).filter(isFrame),
      after: (seq) =>
        tail.reaches(seq)
          ? tail.after(seq, Infinity).filter(isFrame)
          : file.statements.frameIds.iterate(seq, WITHOUT_LIMIT),
      page: (seq) => file.statements.frameIds.all(seq, PAGE_FRAMES),
    })
  }

  #ofEnvelopes(): FrameIds {
    const { tail, file } = this.#parts
    return new FrameIds({
      newest: () => tail.after(0, Infinity).filter(isEnvelope),
      after: (seq) =>
        tail.reaches(seq)
          ? tail.after(seq, Infinity).filter(isEnvelope)
          : file.statements.envelopeIdsAfter.iterate(seq),
      page: (seq) => (seq === 0 ? file.statements.envelopeIds.all() : []),
    })
  }
}

function isFrame({ type }: Retained): boolean {
  return type === 'frame'
}

function isEnvelope({ type }: Retained): boolean {
  return type === 'envelope'
}
