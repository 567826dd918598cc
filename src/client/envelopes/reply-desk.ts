/**
 * Where replies to one's own tasks come in: one stream per entity, however many tasks wait for theirs.
 *
 * @see AEE-024, AEE-031, AEE-097
 */
import { AgentdError } from '../../core/errors.ts'
import { ReplyLine, closedError, type LineParts, type WaitingTask } from './reply-line.ts'

/** Tasks of one participant that may wait at once; protects memory from a caller that never looks. */
export const MAX_WAITING_TASKS = 1_024

/** Hands each reply to the task it is to. */
export class ReplyDesk {
  readonly #parts: LineParts
  /** By the entity that asks. */
  readonly #lines = new Map<string, ReplyLine>()
  /** Lines that are ending. */
  readonly #ending = new Set<Promise<void>>()
  #isClosed = false

  constructor(parts: LineParts) {
    this.#parts = parts
  }

  /**
   * Resolves when a reply to the task would be heard.
   *
   * @throws AgentdError `busy` beyond the bound, `closing` afterwards
   */
  async join(waiting: WaitingTask): Promise<void> {
    if (this.#isClosed) throw closedError()
    if (this.#count() >= MAX_WAITING_TASKS) {
      throw new AgentdError(
        'busy',
        `At most ${MAX_WAITING_TASKS} tasks may wait; let some of them end first.`,
      )
    }
    const { from } = waiting.task
    const line = this.#lines.get(from) ?? this.#openLine(from)
    line.add(waiting)
    await line.opened
  }

  /** Resolves when nothing of the task is left here; the last task of an entity takes the stream with it. */
  async leave(waiting: WaitingTask): Promise<void> {
    const { from } = waiting.task
    const line = this.#lines.get(from)
    if (line?.remove(waiting) !== true || !line.isIdle) return
    this.#lines.delete(from)
    await this.#end(line)
  }

  /** Fails what waits. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const line of this.#lines.values()) {
      line.failAll(closedError())
      void this.#end(line)
    }
    this.#lines.clear()
    await Promise.all(this.#ending)
  }

  #count(): number {
    let count = 0
    for (const { size } of this.#lines.values()) count += size
    return count
  }

  #openLine(entity: string): ReplyLine {
    const line = new ReplyLine(entity, this.#parts, () => {
      if (this.#lines.get(entity) === line) this.#lines.delete(entity)
    })
    this.#lines.set(entity, line)
    return line
  }

  #end(line: ReplyLine): Promise<void> {
    const ended = line.end().finally(() => this.#ending.delete(ended))
    this.#ending.add(ended)
    return ended
  }
}
