/**
 * The upkeep of a broker: forgetting, warming up, and beginning anew when the ring had to.
 */
import type { Clock } from '../core/clock.ts'
import type { Observers } from '../core/collections/observers.ts'
import type { Workflows } from './envelopes/workflows.ts'
import { FORGOTTEN_EVERYWHERE, type ReportItem } from './origins/origins.ts'
import type { RingShares } from './quota/ring-shares.ts'
import type { Background } from './ring/background.ts'
import type { OtherNodes } from './remote/other-nodes.ts'
import { learnAhead } from './ring/look-back.ts'
import type { Deletion, Ring } from './ring/ring.ts'
import { forgetInSteps } from './session/forgetting.ts'
import type { Sessions } from './session/sessions.ts'
import type { Streams } from './streams.ts'
import type { DedupWarmup } from './submit/dedup-warmup.ts'
import type { Watchers } from './watch.ts'

/** What it is done on. */
interface UpkeepParts {
  readonly ring: Ring
  readonly others: Pick<OtherNodes, 'ownNodes'>
  readonly clock: Pick<Clock, 'nowMs'>
  readonly background: Background
  readonly sessions: Sessions
  readonly streams: Streams
  readonly watchers: Watchers
  readonly shares: RingShares
  readonly workflows: Workflows
  readonly warmup: DedupWarmup
  /** Told when something retained was forgotten or lost. */
  readonly forgetting: Observers<[]>
}

/** Ids that are written down together. */
const PACK_ITEMS = 256

export class Upkeep {
  readonly #parts: UpkeepParts

  constructor(parts: UpkeepParts) {
    this.#parts = parts
  }

  /** As `Broker.forget`. */
  async forget(which: Deletion, everywhere: readonly string[] = []): Promise<number> {
    const { background, forgetting, ring, sessions, shares, warmup, watchers } = this.#parts
    // First, since afterwards nobody knows their ids: who is interrupted here does it again.
    this.#forgetElsewhere(everywhere)
    // A forgotten frame's id stays used.
    await warmup.goOn(background)
    warmup.finish()
    const forgotten = await forgetInSteps(ring, which, { mail: sessions.mail, watchers, background })
    if (forgotten > 0) shares.clear()
    if (forgotten > 0) forgetting.tell()
    return forgotten
  }

  #forgetElsewhere(ids: readonly string[]): void {
    const { others, ring, clock } = this.#parts
    const realm = others.ownNodes?.realm
    if (realm === undefined || ids.length === 0) return
    const atMs = clock.nowMs()
    const told = ids.map((id): ReportItem => [id, '', 'dropped', atMs])
    for (let i = 0; i < told.length; i += PACK_ITEMS)
      ring.origins.report([{ realm, node: FORGOTTEN_EVERYWHERE, items: told.slice(i, i + PACK_ITEMS) }])
  }

  /** Before anybody has to wait for it: the dedup window for the first submission, and what the first look back would learn. */
  async warmUp(): Promise<void> {
    const { background, ring, warmup } = this.#parts
    await warmup.goOn(background)
    await learnAhead(ring.lookBack, background)
  }

  /** The ring began anew: what was remembered of places and tasks says nothing any more. */
  beginAnew(reason: 'corrupt', previousEpoch: string): void {
    const { forgetting, sessions, shares, streams, watchers, workflows } = this.#parts
    sessions.beginAnew()
    workflows.clear()
    shares.clear()
    forgetting.tell()
    streams.restart(reason, previousEpoch)
    watchers.restart(reason, previousEpoch)
  }
}
