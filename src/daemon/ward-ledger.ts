/**
 * WARD: a receipt for each envelope that was accepted, which says that it existed and nothing of what it was.
 *
 * @see requirements 2.4, AEE-C16, AEE-C17
 */
import { hashOf } from '../aee/canonical.ts'
import { SERVICE_ENTITY } from '../aee/entity.ts'
import { formatWardEntry, wardEntry, type WardLink } from '../aee/ward.ts'
import { readWardEntry } from '../aee/ward-verify.ts'
import { readRetained, type EnvelopeFacts, type Retained } from '../broker/ring.ts'
import type { Clock } from '../core/clock.ts'
import { newSessionId } from '../core/ids.ts'
import type { EvidenceLedger } from './evidence-file.ts'

/** Ids remembered as witnessed: as many as the daemon's own window for resubmissions, twice. */
const MAX_WITNESSED = 200_000

export class WardLedger implements EvidenceLedger {
  readonly #clock: Clock
  readonly #principal: string
  #last: WardLink | undefined
  #chainId = ''
  /** One receipt per envelope and chain. */
  #witnessed = new Set<string>()

  constructor(clock: Clock, principal: string) {
    this.#clock = clock
    this.#principal = principal
  }

  begin(lastLine: string | undefined): void {
    this.#last = lastLine === undefined ? undefined : readWardEntry(Buffer.from(lastLine))
    this.#chainId = this.#last?.chain_id ?? `ward:${this.#principal}/${newSessionId()}`
    this.#witnessed = new Set()
  }

  accepted(retained: Retained, { id }: EnvelopeFacts): string {
    if (this.#witnessed.has(id)) return ''
    const { envelope } = readRetained(retained)
    if (envelope === undefined) return ''
    const entry = wardEntry(this.#last, {
      chainId: this.#chainId,
      entryId: newSessionId(),
      issuerId: SERVICE_ENTITY,
      atMs: this.#clock.nowMs(),
      sourceKind: 'AEE',
      sourceId: id,
      payloadHash: hashOf(envelope).replace('sha256:', ''),
      sourceTs: envelope.ts,
    })
    this.#last = entry
    this.#remember(id)
    return `${formatWardEntry(entry)}\n`
  }

  /** What was refused was never there. */
  refused(): string {
    return ''
  }

  #remember(id: string): void {
    this.#witnessed.add(id)
    if (this.#witnessed.size <= MAX_WITNESSED) return
    const [oldest] = this.#witnessed
    if (oldest !== undefined) this.#witnessed.delete(oldest)
  }
}
