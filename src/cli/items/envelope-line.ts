/**
 * An envelope as `agentd tail` shows it: who asks whom for what, and what the daemon says of it.
 */
import type { Envelope, EnvelopeType } from '../../aee/envelope/envelope.ts'
import { formatMarks, summariseEnvelope } from '../../aee/envelope/summary.ts'
import type { PassedEnvelope, PassedFrame, StreamItem } from '../../client/index.ts'
import { formatItem, type ItemView } from './item-line.ts'
import type { Palette } from '../../core/display/palette.ts'

/** An envelope, and what stands beside it. */
export interface RemarkedEnvelope {
  readonly envelope: Envelope
  readonly effectivePriority: string
  readonly late: boolean
}

/** One colour per type. */
const TYPE_COLOURS: Readonly<Record<EnvelopeType, keyof Palette>> = {
  task: 'green',
  result: 'cyan',
  event: 'magenta',
  error: 'red',
  stream: 'dim',
}

/** As {@link formatItem}. */
export function formatEnvelope(remarked: RemarkedEnvelope, view: ItemView): string {
  const { envelope } = remarked
  const { ts, from, to, type, intent } = envelope
  const text = `${[intent, 'to', to, ...formatMarks(remarked)].join(' ')}: ${summariseEnvelope(envelope)}`
  return formatItem({ at: ts, who: from, label: type, colour: TYPE_COLOURS[type], summary: text, text }, view)
}

/** An item for programs: the envelope stands in it once, and `agentd envelope get` has its octets. */
export function withoutText(item: StreamItem | PassedFrame | PassedEnvelope): object {
  if (!('text' in item)) return item
  const { text: _, ...rest } = item
  return rest
}
