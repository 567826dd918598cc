/**
 * WARD: a receipt for each envelope that was accepted, which says that it existed and nothing of what it was.
 *
 * @see docs/requirements.md §2.4, AEE-C16, AEE-C17
 */
import { canonicalJson, sha256Hex } from '../aee/envelope/canonical.ts'
import { SERVICE_ENTITY } from '../aee/envelope/entity.ts'
import { toLedgerText } from '../aee/evidence/ledger-text.ts'
import { formatWardEntry, wardEntry, type WardLink } from '../aee/evidence/ward.ts'
import { readWardEntry } from '../aee/evidence/ward-verify.ts'
import { envelopeOf, type RetainedEnvelope } from '../broker/ring/retained.ts'
import type { Clock } from '../core/clock.ts'
import { newSessionId } from '../core/ids.ts'
import type { EvidenceLedger, EvidencePast } from './evidence-file.ts'

export class WardLedger implements EvidenceLedger {
  readonly #clock: Clock
  readonly #principal: string
  #last: WardLink | undefined
  #chainId = ''
  /** One receipt per envelope and chain; as many as a file has room for. */
  #witnessed = new Set<string>()

  constructor(clock: Clock, principal: string) {
    this.#clock = clock
    this.#principal = principal
  }

  begin(past: EvidencePast | undefined): boolean {
    this.#last = past === undefined ? undefined : readWardEntry(Buffer.from(past.lastLine))
    this.#chainId = this.#last?.chain_id ?? `ward:${this.#principal}/${newSessionId()}`
    this.#witnessed = new Set()
    for (const line of past?.lines() ?? []) {
      const entry = readWardEntry(Buffer.from(line))
      if (entry !== undefined) this.#witnessed.add(entry.source_id)
    }
    return past === undefined || this.#last !== undefined
  }

  accepted(retained: RetainedEnvelope): string {
    const { id } = retained.envelope
    const sourceId = toLedgerText(id)
    if (this.#witnessed.has(sourceId)) return ''
    const envelope = envelopeOf(retained)
    const entry = wardEntry(this.#last, {
      chainId: this.#chainId,
      entryId: newSessionId(),
      issuerId: SERVICE_ENTITY,
      atMs: this.#clock.nowMs(),
      sourceKind: 'AEE',
      sourceId: id,
      payloadHash: sha256Hex(canonicalJson(envelope)),
      sourceTs: envelope.ts,
    })
    this.#last = entry
    this.#witnessed.add(sourceId)
    return `${formatWardEntry(entry)}\n`
  }

  /** That it existed was witnessed when it came. */
  handedOver(): string {
    return ''
  }

  /** What was refused was never there. */
  refused(): string {
    return ''
  }
}
