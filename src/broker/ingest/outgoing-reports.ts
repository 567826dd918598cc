/**
 * What becomes here of frames that another node accepted, noted for that node: what a recipient has seen, was handed or
 * has let expire. Of what comes before an end a turn's worth together, of each recipient only the last.
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
import type { Ledger, ReceiptBook } from '../session/ledger.ts'
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

  /**
   * A book that has the origins told of what is noted in it. An end is told in the transaction that writes it down: whoever
   * dies in between has either both or neither, and nothing would ever tell it again.
   */
  beside(ledger: Pick<Ledger, 'concluded'>): ReceiptBook {
    return {
      concluded: (seqs, address, outcome) => {
        const write = (): void => ledger.concluded(seqs, address, outcome)
        const told = this.#linesOf(seqs, address, outcome)
        if (told.size === 0) return write()
        // What came before the end is not worth telling any more.
        for (const key of told.keys()) this.#noted.delete(key)
        this.#parts.ring.origins.report(gathered(told.values()), write)
      },
      stepped: (seqs, address, step) => this.#note(seqs, address, step),
    }
  }

  /** Writes down what is noted. */
  flush(): void {
    if (this.#noted.size === 0) return
    const reports = gathered(this.#noted.values())
    this.#noted.clear()
    this.#parts.ring.origins.report(reports)
  }

  #note(seqs: readonly number[], address: string, step: Step): void {
    for (const [key, line] of this.#linesOf(seqs, address, step)) {
      if (this.#noted.size === 0) this.#parts.defer(() => this.flush())
      this.#noted.set(key, line)
      if (this.#noted.size >= MAX_NOTED) this.flush()
    }
  }

  /** What is told of one recipient at some places, by place and name; nothing of what was accepted here first. */
  #linesOf(seqs: readonly number[], address: string, step: Step): ReadonlyMap<string, Noted> {
    const { authority, principal, ring } = this.#parts
    const { state, atMs, via } = step
    const lines = new Map<string, Noted>()
    // Nothing ever came from elsewhere: not a place has to be looked at.
    if (ring.origins.isEmpty) return lines
    for (const seq of seqs) {
      const retained = ring.get(seq)
      if (retained?.origin === undefined) continue
      const { node } = retained.origin
      const realm = reportsKey({ origin: retained.origin, scopeText: retained.scopeText })
      const isOwn = senderActor(retained, authority) === principal
      const name = isOwn ? address : handleOf(address)
      const id = idOf(retained)
      const item: ReportItem = via === undefined ? [id, name, state, atMs] : [id, name, state, atMs, via]
      lines.set(`${seq} ${name}`, { realm, node, item })
    }
    return lines
  }
}

/** By whom they are for. */
function gathered(lines: Iterable<Noted>): readonly ReportsTo[] {
  const byNode = new Map<string, ReportsTo & { items: ReportItem[] }>()
  for (const { realm, node, item } of lines) {
    const key = `${realm} ${node}`
    const there = byNode.get(key)
    if (there === undefined) byNode.set(key, { realm, node, items: [item] })
    else there.items.push(item)
  }
  return [...byNode.values()]
}
