/**
 * An item as a program is handed it: who and what in variables, and all of it as JSON.
 *
 * A variable holds names and ids alone, on one line and cut: the words of others stand in the JSON only.
 *
 * @see docs/commands.md "A command for each"
 */
import { clip } from '../../core/text/clip.ts'
import { safeLine } from '../../core/text/safe-text.ts'
import { spokenKind } from '../../protocol/frame/spoken-kind.ts'
import type { EnvelopeItem, FrameItem, PassedEnvelope, PassedFrame } from '../../client/index.ts'
import { withoutText } from '../items/envelope-line.ts'
import { formatSender } from '../items/frame-line.ts'
import { toWireNames } from '../terminal/wire-names.ts'
import type { Task } from './command-queue.ts'

/** A frame or an envelope, whichever way it came. */
export type Item = PassedFrame | PassedEnvelope | FrameItem | EnvelopeItem

/** Who sent it, as it is shown. */
export interface Sender {
  /** What the session is called; undefined where that is not known. */
  readonly name: string | undefined
  /** Whose daemon it is. */
  readonly principal: string
}

/** UTF-16 code units of one variable; no name and no id is as long. */
const MAX_FACT = 512

/** The item for a command. */
export function toTask(item: Item, sender: Sender): Task {
  return {
    label: labelOf(item, sender),
    facts: factsOf(item, sender),
    input: `${JSON.stringify(toWireNames(withoutText(item)))}\n`,
  }
}

/** What it is and whose, in words: `advisory of cc-otter`. */
function labelOf(item: Item, { name, principal }: Sender): string {
  return item.type === 'frame'
    ? `${spokenKind(item.frame.kind)} of ${formatSender(item.frame, principal, name)}`
    : safeLine(`${item.envelope.type} of ${item.envelope.from}`)
}

function factsOf(item: Item, { name, principal }: Sender): Readonly<Record<string, string>> {
  const passed = 'scope' in item ? { SENDER: item.sender ?? principal, SCOPE: item.scope } : listened(item)
  const facts = { ...ownFacts(item), ...passed, EVENT_ID: item.eventId, NAME: name }
  return Object.fromEntries(
    Object.entries(facts).flatMap(([fact, value]) =>
      value === undefined ? [] : [[`AGENTD_ITEM_${fact}`, clip(safeLine(value), MAX_FACT)]],
    ),
  )
}

function ownFacts(item: Item): Readonly<Record<string, string | undefined>> {
  if (item.type === 'frame') {
    const { frame } = item
    const question = frame.kind === 'agent_query' ? frame.payload.query_id : undefined
    return { TYPE: item.type, KIND: frame.kind, ID: frame.frame_id, QUERY_ID: question }
  }
  const { type, id, from, intent, corr } = item.envelope
  return { TYPE: item.type, KIND: type, ID: id, ENTITY: from, INTENT: intent, CORR: corr }
}

/** A session that listens is told the handle that sent, and not the address. */
function listened(item: FrameItem | EnvelopeItem): Readonly<Record<string, string>> {
  return item.type === 'frame' ? { SENDER: item.frame.sender_handle } : {}
}
