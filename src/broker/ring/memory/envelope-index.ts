/**
 * The retained envelopes of a ring in memory by what they share: a workflow, what they answer, what they refute.
 */
import { SERVICE_ENTITY } from '../../../aee/envelope/entity.ts'
import { SetMap } from '../../../core/collections/set-map.ts'
import { answeredBy, type EnvelopeFacts, type RetainedEnvelope } from '../retained.ts'
import { MAX_OPEN_ANSWERS, MAX_REFUTATIONS, type ThreadLink } from '../ring.ts'

export class EnvelopeIndex {
  readonly #byCorr = new SetMap<string, RetainedEnvelope>()
  readonly #byRefuted = new SetMap<string, RetainedEnvelope>()
  readonly #byAnswered = new SetMap<string, RetainedEnvelope>()
  /** Those to and from the daemon aside. */
  readonly #byParty = new SetMap<string, RetainedEnvelope>()

  add(retained: RetainedEnvelope): void {
    for (const [index, name] of this.#namesOf(retained)) index.add(name, retained)
  }

  remove(retained: RetainedEnvelope): void {
    for (const [index, name] of this.#namesOf(retained)) index.delete(name, retained)
  }

  /** As `Ring.thread`. */
  thread(corr: string, afterSeq: number, limit: number): readonly ThreadLink[] {
    const links: ThreadLink[] = []
    for (const { seq, acceptedAtMs, envelope } of this.#byCorr.of(corr)) {
      if (links.length === limit) break
      if (seq > afterSeq) links.push({ seq, acceptedAtMs, facts: envelope })
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
    return `${all.size}-${[...all].at(-1)?.seq ?? 0}`
  }

  /** As `Ring.answersTo`. */
  answersTo(id: string): readonly EnvelopeFacts[] {
    const answers = [...this.#byAnswered.of(id)].slice(0, MAX_OPEN_ANSWERS)
    return answers.map(({ envelope }) => envelope)
  }

  /** As `Ring.refutationsOf`. */
  refutationsOf(id: string): readonly RetainedEnvelope[] {
    return [...this.#byRefuted.of(id)].slice(-MAX_REFUTATIONS)
  }

  /** Where an envelope stands, and under what. */
  *#namesOf({ envelope }: RetainedEnvelope): Generator<readonly [SetMap<string, RetainedEnvelope>, string]> {
    const answered = answeredBy(envelope)
    yield [this.#byCorr, envelope.corr]
    if (envelope.refutes !== undefined) yield [this.#byRefuted, envelope.refutes]
    if (answered !== undefined) yield [this.#byAnswered, answered]
    for (const party of partiesOf(envelope)) yield [this.#byParty, party]
  }
}

/** Who an envelope makes a party of its workflow: asking the daemon makes nobody one, and neither does its answer. */
function partiesOf({ corr, from, to }: EnvelopeFacts): readonly string[] {
  if (from === SERVICE_ENTITY || to === SERVICE_ENTITY) return []
  return [partyName(corr, from), partyName(corr, to)]
}

/**
 * A workflow and an entity as one name: no two pairs have the same. Either may hold any character, so the first says how
 * long it is.
 */
export function partyName(corr: string, entity: string): string {
  return `${corr.length} ${corr} ${entity}`
}
