/**
 * The workflows that are retained, a page at a time: that with the newest envelope first.
 *
 * The ring is looked back over for the newest envelope of each, and what is said of a workflow is worked out over all of
 * its envelopes without their text; both in steps with other work in between.
 *
 * @see docs/http.md §9; W-5, HD-10
 */
import type { EnvelopeType } from '../../aee/envelope/envelope.ts'
import { endsTask, isTerminal } from '../../aee/thread/task-end.ts'
import { MAX_LISTED_PARTICIPANTS, MAX_LISTED_PARTICIPANTS_LENGTH } from '../../core/limits.ts'
import type { Asker } from './asker.ts'
import type { Background } from './background.ts'
import type { Search } from './facts-table.ts'
import { readHistory, type RetainedPage } from './history.ts'
import type { EnvelopeFacts, Retained } from './retained.ts'
import type { Ring, ThreadLink } from './ring.ts'
import { visitLinks } from './thread.ts'

/** Which page. */
export interface ThreadListRequest {
  /** Only workflows whose newest envelope stands before this place; absent, all there are. */
  readonly beforeSeq: number | undefined
  readonly limit: number
  /** Only those with a task that has not come to its end. */
  readonly onlyOpen: boolean
  readonly asker: Asker
}

/** One workflow, over what is retained of it. */
export interface ListedThread {
  readonly corr: string
  /** Wall times of the first acceptance and the last, in milliseconds. */
  readonly firstAtMs: number
  readonly lastAtMs: number
  readonly envelopes: number
  /** Entities in the order they came in, up to {@link MAX_LISTED_PARTICIPANTS}. */
  readonly participants: readonly string[]
  /** Of the first envelope. */
  readonly intent: string
  readonly openTasks: number
  readonly lastType: EnvelopeType
}

/** A page; `nextSeq` is the place before which there may be more. */
export interface ThreadListPage {
  readonly items: readonly ListedThread[]
  readonly nextSeq: number | undefined
}

/** Names one page holds before it is full, whatever its limit, in characters: any of them may fill an envelope. */
export const MAX_LIST_LENGTH = 1024 * 1024

/** Envelopes, and no frame. */
const ENVELOPES: Search = {
  // No frame has one.
  filter: [{ axis: 'content_type', value: 'none' }],
  handle: undefined,
  withEnvelopes: true,
}

/** Pages of workflows. */
export class ThreadList {
  readonly #ring: Ring
  readonly #background: Background

  constructor(ring: Ring, background: Background) {
    this.#ring = ring
    this.#background = background
  }

  /**
   * Reads a page. A workflow that grows meanwhile is of the pages before; one that is forgotten is of none.
   *
   * @throws AgentdError `closing`
   */
  async page(request: ThreadListRequest): Promise<ThreadListPage> {
    const { epoch } = this.#ring
    const page = await this.#read(request)
    // A ring that began anew meanwhile gives no sense to the places found so far.
    return this.#ring.epoch === epoch ? page : { items: [], nextSeq: undefined }
  }

  async #read({ beforeSeq, limit, onlyOpen, asker }: ThreadListRequest): Promise<ThreadListPage> {
    const newest = new NewestOfEach(this.#ring, beforeSeq, asker)
    const items: ListedThread[] = []
    let length = 0
    let before = beforeSeq
    for (;;) {
      const found = await this.#find(newest, before, limit - items.length)
      for (const { seq, envelope } of found.frames.toReversed()) {
        const thread = envelope && (await this.#summarise(envelope.corr, asker))
        if (thread === undefined || (onlyOpen && thread.openTasks === 0)) continue
        items.push(thread)
        length += lengthOf(thread)
        if (length >= MAX_LIST_LENGTH) return { items, nextSeq: seq }
      }
      before = found.olderSeq
      if (before === undefined || items.length === limit) return { items, nextSeq: before }
    }
  }

  #find(newest: NewestOfEach, beforeSeq: number | undefined, limit: number): Promise<RetainedPage> {
    const admits = (retained: Retained): boolean => newest.admits(retained)
    const request = { afterSeq: undefined, beforeSeq, limit, search: ENVELOPES, asker: newest, admits }
    return readHistory(this.#ring, request, this.#background)
  }

  /** @returns undefined for a workflow of which nothing is retained any more */
  async #summarise(corr: string, asker: Asker): Promise<ListedThread | undefined> {
    const sum = new ThreadSum(corr)
    await visitLinks({ ring: this.#ring, background: this.#background, asker }, corr, (link) => sum.add(link))
    return sum.total
  }
}

function lengthOf({ corr, intent, participants }: ListedThread): number {
  return participants.reduce((sum, name) => sum + name.length, corr.length + intent.length)
}

/** Of items that are looked at from the newest back: which is the newest of its workflow, and of none of the pages before. */
class NewestOfEach implements Asker {
  readonly #ring: Ring
  readonly #beforeSeq: number | undefined
  readonly #asker: Asker
  readonly #known = new Set<string>()
  #knownLength = 0

  constructor(ring: Ring, beforeSeq: number | undefined, asker: Asker) {
    this.#ring = ring
    this.#beforeSeq = beforeSeq
    this.#asker = asker
  }

  get connection(): object {
    return this.#asker.connection
  }

  get isGone(): boolean {
    return this.#asker.isGone
  }

  /** What was found, and the names of what was looked at. */
  holds(octets: number): void {
    this.#asker.holds(octets + this.#knownLength)
  }

  admits({ envelope }: Retained): boolean {
    if (envelope === undefined || this.#known.has(envelope.corr)) return false
    this.#known.add(envelope.corr)
    this.#knownLength += envelope.corr.length
    this.holds(0)
    const beforeSeq = this.#beforeSeq
    return beforeSeq === undefined || this.#ring.thread(envelope.corr, beforeSeq - 1, 1).length === 0
  }
}

/** A workflow as its envelopes come, in order. */
class ThreadSum {
  readonly #corr: string
  readonly #open = new Map<string, EnvelopeFacts>()
  /** Results and errors that ended no task so far: late ones, and those that came before what they answer. */
  readonly #unmatched: EnvelopeFacts[] = []
  readonly #participants = new Set<string>()
  #participantsLength = 0
  #envelopes = 0
  #first: ThreadLink | undefined
  #last: ThreadLink | undefined

  constructor(corr: string) {
    this.#corr = corr
  }

  add(link: ThreadLink): void {
    const { facts } = link
    this.#envelopes += 1
    this.#first ??= link
    this.#last = link
    if (facts.type === 'task') this.#open.set(facts.id, facts)
    else if (isTerminal(facts) && !this.#end(facts)) this.#unmatched.push(facts)
    for (const entity of [facts.from, facts.to]) this.#name(entity)
  }

  get total(): ListedThread | undefined {
    if (this.#first === undefined || this.#last === undefined) return undefined
    for (const reply of this.#unmatched) this.#end(reply)
    return {
      corr: this.#corr,
      firstAtMs: this.#first.acceptedAtMs,
      lastAtMs: this.#last.acceptedAtMs,
      envelopes: this.#envelopes,
      participants: [...this.#participants],
      intent: this.#first.facts.intent,
      openTasks: this.#open.size,
      lastType: this.#last.facts.type,
    }
  }

  /** @returns whether it was the end of a task that was open */
  #end(reply: EnvelopeFacts): boolean {
    const task = this.#open.get(reply.replyTo ?? '')
    return task !== undefined && endsTask(reply, task) && this.#open.delete(task.id)
  }

  #name(entity: string): void {
    const isFull =
      this.#participants.size === MAX_LISTED_PARTICIPANTS ||
      this.#participantsLength + entity.length > MAX_LISTED_PARTICIPANTS_LENGTH
    if (isFull || this.#participants.has(entity)) return
    this.#participants.add(entity)
    this.#participantsLength += entity.length
  }
}
