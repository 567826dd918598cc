/**
 * The headings of frames, each once: all that a sender writes to one scope shares its own.
 */
import type { FrameHeading } from './packed-frame.ts'
import type { RetainedFrame } from '../retained.ts'

/** Headings remembered; past that they are gathered anew, and what is kept keeps those it has. */
const MAX_HEADINGS = 1_024

export class Headings {
  readonly #known = new Map<string, FrameHeading>()
  /** Turns are mostly of one sender: what came last comes again. */
  #last: FrameHeading | undefined

  of(frame: RetainedFrame): FrameHeading {
    if (this.#last !== undefined && isSame(this.#last, frame)) return this.#last
    const { kind, senderHandle, tool, scope, scopeText, senderAddress } = frame
    // None of them has a line break in it.
    const name = [kind, senderHandle, tool, scopeText, senderAddress].join('\n')
    const known = this.#known.get(name)
    const heading = known ?? { kind, senderHandle, tool, scope, scopeText, senderAddress }
    if (known === undefined) this.#remember(name, heading)
    this.#last = heading
    return heading
  }

  #remember(name: string, heading: FrameHeading): void {
    if (this.#known.size >= MAX_HEADINGS) this.#known.clear()
    this.#known.set(name, heading)
  }
}

function isSame(a: FrameHeading, b: RetainedFrame): boolean {
  return (
    a.kind === b.kind &&
    a.scopeText === b.scopeText &&
    a.senderAddress === b.senderAddress &&
    a.senderHandle === b.senderHandle &&
    a.tool === b.tool
  )
}
