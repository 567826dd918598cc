/**
 * Tasks and whether they have come to their end: what a reply is judged by.
 *
 * @see AEE-024, AEE-026, AEE-028; AEQ-04, AEQ-05, AEQ-26
 */
import type { Advice } from '../../aee/conformance/advice.ts'
import type { Envelope } from '../../aee/envelope/envelope.ts'
import { endsTask, goesBack, isTerminal } from '../../aee/thread/task-end.ts'
import { BoundedMap } from '../../core/collections/bounded.ts'
import { envelopeKey, type EnvelopeFacts } from '../ring/retained.ts'
import type { Ring } from '../ring/ring.ts'

/** Tasks remembered; an older one is looked up in the ring again. */
export const MAX_REMEMBERED_TASKS = 16_384

/** Tasks that are forgotten together. */
const FORGOTTEN_AT_ONCE = 1_024

/** Characters that the names of one remembered task may have. */
const MAX_NAMES_LENGTH = 2_048

/** What is remembered of a task. */
interface Task {
  readonly facts: Pick<EnvelopeFacts, 'type' | 'from' | 'to' | 'corr' | 'intent'>
  hasEnded: boolean
}

/** What a reply looks like beside what it answers. */
export interface Judgement {
  readonly isLate: boolean
  readonly advice: readonly Advice[]
}

const NOTHING_TO_SAY: Judgement = { isLate: false, advice: [] }

export class Workflows {
  readonly #ring: Ring
  readonly #tasks = new BoundedMap<string, Task>({ most: MAX_REMEMBERED_TASKS, atOnce: FORGOTTEN_AT_ONCE })

  constructor(ring: Ring) {
    this.#ring = ring
  }

  /** Compares an envelope with the task it answers; one nobody knows here is nobody's fault. */
  judge(envelope: Envelope): Judgement {
    const { type, reply_to: replyTo } = envelope
    if (typeof replyTo !== 'string' || type === 'task' || type === 'event') return NOTHING_TO_SAY
    const task = this.#find(replyTo)
    if (task === undefined) return NOTHING_TO_SAY
    const isLate = task.facts.type === 'task' && task.hasEnded
    const advice = [...mismatches(envelope, task)]
    if (isLate && type !== 'stream') {
      advice.push(advise('reply_to', 'names a task that has had its result or error', true))
    }
    return { isLate, advice }
  }

  /** Takes note of what was accepted. */
  accepted(facts: EnvelopeFacts): void {
    if (facts.type === 'task') this.#remember(facts.id, { facts, hasEnded: false })
    if (facts.replyTo === null) return
    const task = this.#find(facts.replyTo)
    if (task !== undefined && endsTask(facts, task.facts)) task.hasEnded = true
  }

  /** It was not accepted after all: what follows from it is looked up again. */
  refused({ id, replyTo }: EnvelopeFacts): void {
    this.#tasks.delete(id)
    if (replyTo !== null) this.#tasks.delete(replyTo)
  }

  /** The ring began anew. */
  clear(): void {
    this.#tasks.clear()
  }

  #find(id: string): Task | undefined {
    const known = this.#tasks.get(id)
    if (known !== undefined) return known
    const facts = this.#ring.find(envelopeKey(id))?.envelope
    if (facts === undefined) return undefined
    const hasEnded = this.#ring.answersTo(id).some((one) => endsTask(one, facts))
    return this.#remember(id, { facts, hasEnded })
  }

  #remember(id: string, task: Task): Task {
    const { from, to, corr, intent } = task.facts
    // Names may fill an envelope; a task with such is looked up in the ring every time.
    if (id.length + from.length + to.length + corr.length + intent.length > MAX_NAMES_LENGTH) return task
    this.#tasks.set(id, task)
    return task
  }
}

/** What a reply says otherwise than its task (AEQ-04, AEQ-05). */
function* mismatches(envelope: Envelope, { facts }: Task): Generator<Advice> {
  if (facts.type !== 'task') {
    if (isTerminal(envelope))
      yield advise('reply_to', `names an envelope of type ${facts.type}, not a task`, true)
    return
  }
  if (isTerminal(envelope) && !goesBack(envelope, facts)) {
    yield advise('reply_to', 'names a task of other parties', true)
  }
  if (envelope.corr !== facts.corr) yield advise('corr', 'differs from that of its task', true)
  if (!isSameIntent(facts.intent, envelope.intent))
    yield advise('intent', 'differs from that of its task', false)
}

/** A gateway names the two halves of one exchange `….request` and `….response` (AEE-C18). */
function isSameIntent(task: string, reply: string): boolean {
  return reply === task || reply === task.replace(/\.request$/, '.response')
}

function advise(field: string, rule: string, isStrict: boolean): Advice {
  return { code: 'field-invalid', field, message: `"${field}" ${rule}.`, isStrict }
}
