/**
 * The watch, held for as long as the page is open: read as it comes, resumed where it broke.
 *
 * @see W-1, SEAT-19; docs/http.md §6
 */
import { STREAM_DEAD_MS } from '../../../core/limits.ts'
import { objectOf, textMember, type JsonObject } from '../../../core/text/json-object.ts'
import { SseDecoder, type SseBlock } from '../../../protocol/sse/decoder.ts'
import type { CallOutcome } from '../../seat/outcome.ts'
import type { SeatModel } from '../../seat/seat-model.ts'
import { readWatchEvent } from '../../seat/watch-event.ts'
import type { Door } from './door.ts'

/** Items of the past that a new page shows. */
const REPLAY_ITEMS = 500

/** How long it waits before it tries again, at first and at the most, in milliseconds (SEAT-19). */
const FIRST_WAIT_MS = 250
const MAX_WAIT_MS = 5_000

/** A snapshot is one line: every session and every need. */
const MAX_LINE_LENGTH = 16 * 1_048_576

/** Codes after which coming again by itself changes nothing. */
const FINAL: ReadonlySet<string> = new Set(['signed-out', 'too-many-pages', 'link-used', 'unauthenticated'])

/** What the process behind the page tells of its own, and what it means for the link. */
const NOTICES: Readonly<Record<string, string>> = { taken: 'too-many-pages', 'signed-out': 'signed-out' }

/** What it is made from. */
export interface WatchingParts {
  readonly door: Door
  readonly model: SeatModel
  /** Called after every piece that was fed. */
  readonly onNews: (items: number) => void
  /** Each time a watch begins, with the version of the daemon. */
  readonly onBegin: (version: string) => void
}

/** One page's watch. */
export class Watching {
  readonly #parts: WatchingParts
  #stop = new AbortController()
  #waitMs = FIRST_WAIT_MS
  #isOver = false

  constructor(parts: WatchingParts) {
    this.#parts = parts
  }

  /** Watches until it is over for good. @param takesPlace - of the page that was connected first (SEAT-26) */
  async watch(takesPlace = false): Promise<void> {
    this.#isOver = false
    let takes = takesPlace
    while (!this.#isOver) {
      await this.#once(takes)
      takes = false
      if (!this.#isOver) await this.#pause()
    }
  }

  async #once(takesPlace: boolean): Promise<void> {
    const { door, model, onBegin } = this.#parts
    this.#stop = new AbortController()
    const from = model.newestEventId === '' ? `replay=${REPLAY_ITEMS}` : ''
    const query = [from, takesPlace ? 'take=1' : ''].filter((part) => part !== '').join('&')
    const opened = await door.open(`/v1/watch?${query}`, model.newestEventId, this.#stop.signal)
    if (!(opened instanceof Response)) return this.#refused(opened)
    onBegin(opened.headers.get('agentd-version') ?? '')
    await this.#read(opened)
  }

  #refused(outcome: CallOutcome): void {
    const code = outcome.kind === 'refused' ? outcome.code : 'process-gone'
    if (FINAL.has(code)) this.#end(code)
    else this.#tell('lost', code)
  }

  async #read({ body }: Response): Promise<void> {
    const { door, model } = this.#parts
    const decoder = new SseDecoder(model.newestEventId, MAX_LINE_LENGTH)
    const reader = body?.pipeThrough(new TextDecoderStream()).getReader()
    let deadline = this.#watchdog()
    try {
      for (;;) {
        const piece = await reader?.read()
        if (piece === undefined || piece.done) break
        clearTimeout(deadline)
        deadline = this.#watchdog()
        this.#take(decoder.feed(piece.value))
      }
    } catch {
      // However it ended, what comes next is the same.
    } finally {
      clearTimeout(deadline)
      this.#stop.abort()
      // A process that was killed ends its streams as politely as one that is still there.
      door.broke()
    }
    // Whoever said goodbye has said why.
    if (!this.#isOver && model.link.state === 'live') this.#tell('lost', 'connection')
  }

  #take(blocks: readonly SseBlock[]): void {
    const { model, onNews } = this.#parts
    for (const { event, data, lastEventId } of blocks) {
      if (data === undefined) continue
      const value: unknown = JSON.parse(data)
      if (event === 'agentd_seat') {
        this.#hear(objectOf(value))
        continue
      }
      const read = readWatchEvent(event, value, event === 'agentd_passed' ? lastEventId : undefined)
      if (read === undefined) continue
      if (read.type === 'snapshot') this.#waitMs = FIRST_WAIT_MS
      model.feed(read)
    }
    onNews(blocks.length)
  }

  #hear(notice: JsonObject): void {
    const code = NOTICES[textMember(notice, 'what') ?? '']
    if (code !== undefined) this.#end(code)
  }

  #end(code: string): void {
    this.#isOver = true
    if (code === 'signed-out') this.#parts.door.forget()
    this.#tell('over', code)
  }

  #tell(state: 'lost' | 'over', reason: string): void {
    this.#parts.model.setLink(state, reason)
    this.#parts.onNews(0)
  }

  /** A stream says something every quarter of a minute; one that does not is dead. */
  #watchdog(): ReturnType<typeof setTimeout> {
    return setTimeout(() => this.#stop.abort(), STREAM_DEAD_MS)
  }

  async #pause(): Promise<void> {
    const waitMs = this.#waitMs
    this.#waitMs = Math.min(MAX_WAIT_MS, waitMs * 2)
    await new Promise((resolve) => setTimeout(resolve, waitMs))
  }
}
