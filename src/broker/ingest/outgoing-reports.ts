/**
 * What becomes here of frames that another node accepted, noted for that node: what a recipient has seen, was handed or
 * has let expire. A turn's worth together, of each recipient only how it ended.
 *
 * @see FED-52
 */
import type { Via } from '../../protocol/http/requests.ts'
import { handleOf } from '../../protocol/address/handle.ts'
import type { Authority } from '../authority/authority.ts'
import { senderActor } from '../origins/owner.ts'
import { reportsKey } from '../origins/stream-key.ts'
import type { ReportItem, ReportState, ReportsTo } from '../origins/origins.ts'
import type { Defer } from '../ring/background.ts'
import type { Ring } from '../ring/ring.ts'
import type { ReceiptBook } from '../session/ledger.ts'
import { idOf } from './receipts.ts'

/** Lines of a turn that are kept together before they are written. */
const MAX_NOTED = 4_096

interface ReportBookParts {
  readonly principal: string
  readonly ring: Ring
  readonly authority: Pick<Authority, 'actorOf'>
  readonly defer: Defer
}

/** What is told of one recipient. */
interface Step {
  readonly state: ReportState
  readonly atMs: number
  readonly via?: Via
}

/** One line and whom it is for. */
interface Noted {
  readonly realm: string
  readonly node: string
  readonly item: ReportItem
}

export class OutgoingReports {
  readonly #parts: ReportBookParts
  /** By place and recipient. */
  readonly #noted = new Map<string, Noted>()

  constructor(parts: ReportBookParts) {
    this.#parts = parts
  }

  /** A book that has the origins told of what is noted in it. */
  overhear(book: ReceiptBook): ReceiptBook {
    return {
      concluded: (seqs, address, outcome) => {
        book.concluded(seqs, address, outcome)
        this.#note(seqs, address, outcome)
      },
      stepped: (seqs, address, step) => {
        book.stepped(seqs, address, step)
        this.#note(seqs, address, step)
      },
    }
  }

  /** Writes down what is noted. */
  flush(): void {
    if (this.#noted.size === 0) return
    const byNode = new Map<string, ReportsTo & { items: ReportItem[] }>()
    for (const { realm, node, item } of this.#noted.values()) {
      const key = `${realm} ${node}`
      const there = byNode.get(key)
      if (there === undefined) byNode.set(key, { realm, node, items: [item] })
      else there.items.push(item)
    }
    this.#noted.clear()
    this.#parts.ring.origins.report([...byNode.values()])
  }

  #note(seqs: readonly number[], address: string, { state, atMs, via }: Step): void {
    const { authority, defer, principal, ring } = this.#parts
    // Nothing ever came from elsewhere: not a place has to be looked at.
    if (ring.origins.isEmpty) return
    for (const seq of seqs) {
      const retained = ring.get(seq)
      if (retained?.origin === undefined) continue
      const { node } = retained.origin
      const realm = reportsKey({ origin: retained.origin, scopeText: retained.scopeText })
      const isOwn = senderActor(retained, authority) === principal
      const name = isOwn ? address : handleOf(address)
      const id = idOf(retained)
      const item: ReportItem = via === undefined ? [id, name, state, atMs] : [id, name, state, atMs, via]
      if (this.#noted.size === 0) defer(() => this.flush())
      this.#noted.set(`${seq} ${name}`, { realm, node, item })
      if (this.#noted.size >= MAX_NOTED) this.flush()
    }
  }
}
