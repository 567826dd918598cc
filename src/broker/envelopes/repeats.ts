/**
 * The dedup window of envelopes: by id, over what was accepted lately and over what is retained.
 *
 * What the ring holds need not be remembered a second time, and survives a restart; the window is for what it
 * has let go of since.
 *
 * @see AEE-080, AEQ-16; docs/http.md §1 (`conformance`)
 */
import type { Clock } from '../../core/clock.ts'
import type { EnvelopeReply } from '../../protocol/http/envelope-replies.ts'
import { DedupWindow, type Repeat } from '../submit/dedup.ts'
import type { BrokerLimits } from '../quota/limits.ts'
import { isSame, type Content } from '../submit/fingerprint.ts'
import type { OtherNodes } from '../remote/other-nodes.ts'
import { replyTo } from './reply.ts'
import type { Ring } from '../ring/ring.ts'

/** How long an id is remembered at least, in milliseconds, unless 100 000 newer ones push it out. */
const WINDOW_MS = 24 * 60 * 60_000
const WINDOW_IDS = 100_000

interface RepeatsParts {
  readonly ring: Ring
  readonly clock: Clock
  readonly others: OtherNodes
  /** Read every time: in the conformance profile every envelope is a new one. */
  readonly limits: Pick<BrokerLimits, 'dedupEnvelopes'>
}

export class EnvelopeRepeats extends DedupWindow<EnvelopeReply> {
  readonly #parts: RepeatsParts

  constructor(parts: RepeatsParts) {
    super(parts.clock, { ids: WINDOW_IDS, windowMs: WINDOW_MS })
    this.#parts = parts
  }

  override check(key: string, content: Content): Repeat<EnvelopeReply> {
    const { ring, limits, others } = this.#parts
    if (!limits.dedupEnvelopes) return { kind: 'first' }
    const repeat = super.check(key, content)
    if (repeat.kind !== 'first') return repeat
    const retained = ring.find(key)
    if (retained?.type !== 'envelope') return repeat
    if (!isSame(retained, content)) return { kind: 'conflict' }
    return { kind: 'again', result: replyTo({ ring, others }, retained, []) }
  }
}
