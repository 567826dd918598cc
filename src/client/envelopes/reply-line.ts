/**
 * The stream that replies to the tasks of one entity come in by, and the tasks that wait for them.
 *
 * @see AEE-024, AEE-031, AEE-097
 */
import { isChannel } from '../../aee/envelope/entity.ts'
import type { Envelope } from '../../aee/envelope/envelope.ts'
import { goesBack, isTerminal } from '../../aee/thread/task-end.ts'
import { AgentdError, UsageError } from '../../core/errors.ts'
import { toError } from '../http/backoff.ts'
import type { Thread, ThreadEnvelope } from '../reply/envelope-results.ts'
import type { AgentdStream } from '../stream/stream.ts'
import { ENVELOPES_ONLY, type EnvelopeItem, type StreamItem, type StreamOptions } from '../stream/options.ts'

/** A task that was sent, or is about to be, and whoever wants to hear of it. */
export interface WaitingTask {
  readonly task: Envelope
  /** Whether a result or an error of anybody ends it, and not only one of whoever was asked. */
  readonly acceptsDelegates: boolean
  /** One of its parts, or what somebody else says about it. */
  takePart(item: EnvelopeItem): void
  /** What ends it. */
  takeEnd(item: EnvelopeItem): void
  /** No reply can come any more. */
  fail(error: Error): void
}

/** What a line needs of whoever asks. */
export interface LineParts {
  open(options: StreamOptions): AgentdStream
  /** The retained envelopes of a workflow. */
  thread(corr: string): Promise<Thread>
  nowMs(): number
}

/** The stream of one entity, and the tasks that wait on it. */
export class ReplyLine {
  readonly opened: Promise<unknown>
  readonly #parts: LineParts
  readonly #stream: AgentdStream
  readonly #followed: Promise<void>
  /** By the id of the task. */
  readonly #waiting = new Map<string, WaitingTask>()

  /** @param onEnd - called when the stream is over before anybody asked for it */
  constructor(entity: string, parts: LineParts, onEnd: () => void) {
    this.#parts = parts
    this.#stream = parts.open({ ...ENVELOPES_ONLY, entities: [entity] })
    this.opened = this.#stream.opened
    this.#followed = this.#follow(onEnd)
  }

  get size(): number {
    return this.#waiting.size
  }

  get isIdle(): boolean {
    return this.#waiting.size === 0
  }

  /** @throws UsageError for an id that waits already */
  add(waiting: WaitingTask): void {
    const { id } = waiting.task
    if (this.#waiting.has(id)) throw new UsageError(`A task "${id}" waits for its reply already.`)
    this.#waiting.set(id, waiting)
  }

  /** @returns whether it was there */
  remove(waiting: WaitingTask): boolean {
    const isThere = this.#waiting.get(waiting.task.id) === waiting
    return isThere && this.#waiting.delete(waiting.task.id)
  }

  failAll(error: Error): void {
    for (const waiting of this.#waiting.values()) waiting.fail(error)
  }

  async end(): Promise<void> {
    await this.#stream.return()
    await this.#followed
  }

  async #follow(onEnd: () => void): Promise<void> {
    let reason: Error = closedError()
    try {
      for await (const item of this.#stream) this.#take(item)
    } catch (error) {
      reason = toError(error)
    }
    onEnd()
    this.failAll(reason)
  }

  #take(item: StreamItem): void {
    if (item.type === 'envelope') this.#dispatch(item)
    if (item.type === 'gap') {
      const corrs = new Set([...this.#waiting.values()].map(({ task }) => task.corr))
      for (const corr of corrs) void this.#lookBack(corr)
    }
  }

  #dispatch(item: EnvelopeItem): void {
    const { envelope } = item
    if (isTerminal(envelope)) {
      const waiting = this.#waiting.get(envelope.reply_to ?? '')
      if (waiting?.task.corr !== envelope.corr) return
      if (isEndOf(envelope, waiting)) waiting.takeEnd(item)
      else waiting.takePart(item)
    } else if (envelope.type === 'stream') {
      for (const waiting of this.#waiting.values()) if (isPart(envelope, waiting.task)) waiting.takePart(item)
    }
  }

  /** What the stream could not get, the end of a task may have been among; the ring often has it still. */
  async #lookBack(corr: string): Promise<void> {
    let items: readonly ThreadEnvelope[]
    try {
      ;({ items } = await this.#parts.thread(corr))
    } catch {
      // Nothing is worse than before: the tasks wait on, within their time.
      return
    }
    for (const found of items) {
      // With its first end a task has left, so that a second one finds nobody.
      const waiting = this.#waiting.get(found.envelope.reply_to ?? '')
      if (waiting !== undefined && isEndOf(found.envelope, waiting)) waiting.takeEnd(this.#toItem(found))
    }
  }

  #toItem({ eventId, envelope, effectivePriority, late }: ThreadEnvelope): EnvelopeItem {
    const text = JSON.stringify(envelope)
    return {
      type: 'envelope',
      eventId,
      envelope,
      text,
      effectivePriority,
      late,
      receivedMs: this.#parts.nowMs(),
    }
  }
}

/** What of an envelope tells whether it ends a task. */
export type EndLike = Pick<Envelope, 'type' | 'from' | 'to' | 'corr'> & {
  readonly reply_to?: Envelope['reply_to'] | undefined
}

/**
 * Whether a task is over with it. Ids are no secret: what somebody else says under one ends nothing, save where
 * anybody may answer.
 */
export function isEndOf(
  reply: EndLike,
  { task, acceptsDelegates }: Pick<WaitingTask, 'task' | 'acceptsDelegates'>,
): boolean {
  if (!isTerminal(reply) || reply.reply_to !== task.id || reply.corr !== task.corr) return false
  return acceptsDelegates || goesBack(reply, task)
}

/**
 * Whether a stream envelope belongs to a task. It need not name the task (AEE-014); then the workflow and the
 * two parties tell.
 */
function isPart(part: Envelope, task: Envelope): boolean {
  if (part.corr !== task.corr) return false
  if (typeof part.reply_to === 'string' && part.reply_to !== '') return part.reply_to === task.id
  return part.from === task.to || isChannel(task.to)
}

/** What waits is told when its participant has gone. */
export function closedError(): AgentdError {
  return new AgentdError('closing', 'This client has been closed; connect again to ask.')
}
