/**
 * What may enter this machine from another one: the same gate as that on the way out, under rules of its own.
 *
 * Unless the person draws it, everything enters as it was written: who pipes envelopes in by hand has chosen them.
 *
 * @see draft-cowles-aee-00 §11.5, AEE-093, AEE-095
 */
import { crossBoundary, requireBoundaryRules, type BoundaryRules } from '../../aee/boundary/boundary.ts'
import { PRIORITIES, type DecodedEnvelope } from '../../aee/envelope/envelope.ts'
import { safeLine } from '../../core/text/safe-text.ts'
import { readConfigFile } from '../../host/config/config-file.ts'
import type { Environment } from '../../host/config/paths.ts'

/** What became of an envelope at the gate; `note` is a line for the person, and `why` a sentence. */
export type Entry =
  | { readonly kind: 'kept-out'; readonly why: string }
  | { readonly kind: 'entered'; readonly decoded: DecodedEnvelope; readonly note: string | undefined }

export class InboundGate {
  readonly #rules: BoundaryRules
  readonly #isOpen: boolean

  /** @throws UsageError for rules that cannot be read: nothing enters under them */
  constructor(environment: Environment) {
    const { intents, redact, max_priority: maxPriority } = readConfigFile(environment).aee.inbound
    this.#rules = { intents, redact, maxPriority }
    requireBoundaryRules(this.#rules)
    this.#isOpen = intents.includes('*') && redact.length === 0 && maxPriority === PRIORITIES.at(-1)
  }

  /** What nothing was taken out of stays as it was written, byte for byte. */
  admit(decoded: DecodedEnvelope): Entry {
    if (this.#isOpen) return { kind: 'entered', decoded, note: undefined }
    const { id, priority } = decoded.envelope
    const crossing = crossBoundary(decoded.envelope, this.#rules, 'enter')
    if (crossing.kind === 'refused') return { kind: 'kept-out', why: crossing.why }
    const { envelope, isChanged, redacted, text } = crossing
    if (!isChanged) return { kind: 'entered', decoded, note: undefined }
    const parts = [
      ...(redacted.length === 0 ? [] : [`redacted in ${id}: ${redacted.join(', ')}`]),
      ...(envelope.priority === priority ? [] : [`${id} enters as ${envelope.priority}, not ${priority}`]),
    ]
    return { kind: 'entered', decoded: { ...decoded, envelope, text }, note: safeLine(parts.join('; ')) }
  }
}
