/**
 * The retained envelopes of a ring in memory by what they share: a workflow, what they answer, what they refute.
 */
import { SERVICE_ENTITY } from '../../aee/envelope/entity.ts'
import { answeredBy, type EnvelopeFacts, type RetainedEnvelope } from './retained.ts'
import { MAX_OPEN_ANSWERS, MAX_REFUTATIONS, type ThreadLink } from './ring.ts'

export class EnvelopeIndex {
  readonly #byCorr = new Gathered()
  readonly #byRefuted = new Gathered()
  readonly #byAnswered = new Gathered()
  /** Those to and from the daemon aside. */
  readonly #byParty = new Gathered()

  add(retained: RetainedEnvelope): void {
    const { envelope } = retained
    this.#byCorr.add(envelope.corr, retained)
    this.#byRefuted.add(envelope.refutes, retained)
    this.#byAnswered.add(answeredBy(envelope), retained)
    for (const party of partiesOf(envelope)) this.#byParty.add(party, retained)
  }

  remove(retained: RetainedEnvelope): void {
    const { envelope } = retained
    this.#byCorr.remove(envelope.corr, retained)
    this.#byRefuted.remove(envelope.refutes, retained)
    this.#byAnswered.remove(answeredBy(envelope), retained)
    for (const party of partiesOf(envelope)) this.#byParty.remove(party, retained)
  }

  /** As `Ring.thread`. */
  thread(corr: string, afterSeq: number, limit: number): readonly ThreadLink[] {
    const links: ThreadLink[] = []
    for (const { seq, envelope } of this.#byCorr.of(corr)) {
      if (links.length === limit) break
      if (seq > afterSeq) links.push({ seq, facts: envelope })
    }
    return links
  }

  /** As `Ring.hasParty`. */
  hasParty(corr: string, entity: string): boolean {
    return this.#byParty.has(partyName(corr, entity))
  }

  /** As `Ring.threadMark`. */
  threadMark(corr: string): string {
    const all = this.#byCorr.of(corr)
    return `${all.length}-${all.at(-1)?.seq ?? 0}`
  }

  /** As `Ring.answersTo`. */
  answersTo(id: string): readonly EnvelopeFacts[] {
    return this.#byAnswered
      .of(id)
      .slice(0, MAX_OPEN_ANSWERS)
      .map(({ envelope }) => envelope)
  }

  /** As `Ring.refutationsOf`. */
  refutationsOf(id: string): readonly RetainedEnvelope[] {
    return this.#byRefuted.of(id).slice(-MAX_REFUTATIONS)
  }
}

/** Envelopes gathered under a name they share. */
class Gathered {
  readonly #byName = new Map<string, Set<RetainedEnvelope>>()

  add(name: string | undefined, retained: RetainedEnvelope): void {
    if (name === undefined) return
    const together = this.#byName.get(name)
    if (together === undefined) this.#byName.set(name, new Set([retained]))
    else together.add(retained)
  }

  remove(name: string | undefined, retained: RetainedEnvelope): void {
    if (name === undefined) return
    const together = this.#byName.get(name)
    together?.delete(retained)
    if (together?.size === 0) this.#byName.delete(name)
  }

  has(name: string): boolean {
    return this.#byName.has(name)
  }

  /** In the order they came. */
  of(name: string): readonly RetainedEnvelope[] {
    return [...(this.#byName.get(name) ?? [])]
  }
}

/** Who an envelope makes a party of its workflow: asking the daemon makes nobody one, and neither does its answer. */
function partiesOf({ corr, from, to }: EnvelopeFacts): readonly string[] {
  if (from === SERVICE_ENTITY || to === SERVICE_ENTITY) return []
  return [partyName(corr, from), partyName(corr, to)]
}

/** No two pairs have one name: either may hold any character, so the first says how long it is. */
function partyName(corr: string, entity: string): string {
  return `${corr.length} ${corr} ${entity}`
}
