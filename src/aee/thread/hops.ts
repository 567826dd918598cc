/**
 * A workflow as hops: what answers what, how long each took, and what is still open.
 *
 * @see AEE-012, AEE-024, AEE-C11, AEE-C12
 */
import type { Envelope } from '../envelope/envelope.ts'
import { endsTask } from './task-end.ts'
import { linesOf, toForest } from './thread.ts'

/** A retained envelope as the daemon tells of it, as far as a hop looks. */
export interface HopItem {
  /** RFC 3339. */
  readonly acceptedAt: string
  readonly effectivePriority: string
  /** Its task had come to its end before (AEQ-26). */
  readonly late: boolean
  /** Who rejected it as context, and why. */
  readonly refuted: readonly { readonly by: string; readonly reason: string }[]
  readonly recipientCount: number
  readonly queuedCount: number
  readonly envelope: Pick<
    Envelope,
    'id' | 'ts' | 'type' | 'from' | 'to' | 'intent' | 'reply_to' | 'priority' | 'payload'
  >
}

/** One envelope in its place. */
export interface Hop<Item extends HopItem = HopItem> {
  readonly item: Item
  /** 0 for what answers nothing that is there. */
  readonly depth: number
  /** The id of the envelope it answers, when that is there. */
  readonly parent: string | null
  /** From the acceptance of that one to its own, on the daemon's clock, in milliseconds. */
  readonly afterMs: number | null
  /** The same on the clocks of their senders; null when a `ts` cannot be read. */
  readonly afterBySendersMs: number | null
  /** From its `ts` to its acceptance. */
  readonly onItsWayMs: number | null
  /** A task without a result or an error from who was asked. */
  readonly isOpen: boolean
  /** Whether anything answers it, whatever its type. */
  readonly isAnswered: boolean
}

/** From top to bottom, each hop followed by what answers it. @param items - in the order of cause and effect */
export function toHops<Item extends HopItem>(items: readonly Item[]): readonly Hop<Item>[] {
  const links = items.map((item, seq) => {
    const { id, reply_to: replyTo } = item.envelope
    return { seq, id, replyTo: replyTo ?? null, item }
  })
  const answered = new Set(links.flatMap(({ replyTo }) => (replyTo === null ? [] : [replyTo])))
  const byId = new Map(links.map(({ id, item }) => [id, item]))
  const ended = new Set(
    links.flatMap(({ item: { envelope }, replyTo }) => endedBy(envelope, byId.get(replyTo ?? ''))),
  )
  return Array.from(linesOf(toForest(links)), ({ item: { item, id, replyTo }, depth }) => {
    const parent = depth === 0 || replyTo === null ? undefined : byId.get(replyTo)
    const at = Date.parse(item.acceptedAt)
    const sentAt = Date.parse(item.envelope.ts)
    return {
      item,
      depth,
      parent: parent?.envelope.id ?? null,
      afterMs: parent === undefined ? null : span(Date.parse(parent.acceptedAt), at),
      afterBySendersMs: parent === undefined ? null : span(Date.parse(parent.envelope.ts), sentAt),
      onItsWayMs: span(sentAt, at),
      isOpen: item.envelope.type === 'task' && !ended.has(id),
      isAnswered: answered.has(id),
    }
  })
}

/** @returns the id of the task that an envelope ends, if it ends one */
function endedBy(envelope: HopItem['envelope'], task: HopItem | undefined): readonly string[] {
  return task !== undefined && endsTask(envelope, task.envelope) ? [task.envelope.id] : []
}

function span(fromMs: number, toMs: number): number | null {
  return Number.isNaN(fromMs) || Number.isNaN(toMs) ? null : toMs - fromMs
}
