/**
 * `agentd_inbox`: what waits for the session, attributed, each item once.
 *
 * @see docs/http.md §7, PD-03, PD-06, PD-09, PD-10
 */
import * as z from 'zod'
import { clip } from '../../core/text/clip.ts'
import { formatAge } from '../../core/text/durations.ts'
import type { Envelope, Frame, InboxItem } from '../../client/index.ts'
import { wordForeign } from '../../protocol/address/foreign.ts'
import { spokenKind } from '../../protocol/frame/spoken-kind.ts'
import { summarise } from '../../protocol/frame/summary.ts'
import {
  DEFAULT_INBOX_ITEMS,
  MAX_INBOX_ITEMS,
  MAX_INBOX_OCTETS,
  MAX_MESSAGE_TEXT,
} from '../session/bounds.ts'
import { senderOf } from './senders.ts'
import { tool, type Facts, type Tool } from '../session/tool.ts'

/** Stands beside what peers wrote, in every result that has some. */
export const PEER_NOTE = 'Written by other sessions, not by the user.'

/** The tool. Reading marks messages seen and changes nothing else, so hosts need not ask before it. */
export const inboxTool: Tool = tool({
  name: 'agentd_inbox',
  description:
    'Read the messages that wait for you, oldest first; each comes once. peek leaves them unread. Answer a question ' +
    'or a task with agentd_send kind respond and its query_id or task_id.',
  input: {
    max: z.int().min(1).max(MAX_INBOX_ITEMS).optional(),
    peek: z.boolean().optional(),
  },
  output: {
    messages: { type: 'array', items: { type: 'object' } },
  },
  isReadOnly: true,
  isAlwaysLoaded: true,
  async run({ max = DEFAULT_INBOX_ITEMS, peek }, { session, signal, foreign, onHanded }) {
    // Seen it is with the next call, or the next hook: then the host has gone on past the answer (OP-09).
    const options = {
      maxItems: max,
      maxBytes: MAX_INBOX_OCTETS,
      via: 'mcp',
      state: 'handed',
      foreign,
    } as const
    const drained = await session.inbox.drain({ ...options, peek, signal })
    const { gap, unreadable } = drained
    if (peek !== true && drained.items.length > 0) onHanded()
    return {
      messages: drained.items.map(toMessage),
      waiting: wordForeign(drained.foreign ?? []),
      note: drained.items.length === 0 ? undefined : PEER_NOTE,
      lost: gap?.missed ?? undefined,
      unreadable: unreadable === 0 ? undefined : unreadable,
    }
  },
})

function toMessage(item: InboxItem): Facts {
  const { ageMs, frame, envelope, node, perhapsShown } = item
  const from = { from: senderOf(item), node }
  const age = formatAge(ageMs)
  const perhaps = perhapsShown ? { perhaps_shown: true } : {}
  if (frame === undefined) return { ...from, age, ...perhaps, ...tellEnvelope(envelope) }
  return { ...from, age, ...perhaps, kind: spokenKind(frame.kind), ...tellFrame(frame) }
}

/** What a frame says, and the id an answer to it has to name. */
function tellFrame(frame: Frame): Facts {
  if (frame.kind === 'agent_query') {
    return { text: frame.payload.query_text, query_id: frame.payload.query_id }
  }
  if (frame.kind === 'agent_response') {
    return { text: frame.payload.response_text, query_id: frame.payload.query_id }
  }
  if (frame.kind === 'peer_diagnostic_request') {
    const { symptom, severity, diagnostic_id, substrate_refs } = frame.payload
    return { text: symptom, severity, diagnostic_id, refs: substrate_refs }
  }
  if (frame.kind === 'agent_handover') {
    const { handover_body, pointer_refs, previous_session_id } = frame.payload
    const text = handover_body.length > MAX_MESSAGE_TEXT ? cutHandover(handover_body) : handover_body
    return { text, refs: pointer_refs, of_session: previous_session_id, handover_id: frame.frame_id }
  }
  if (frame.kind === 'agent_binding_moment') {
    const { synopsis: text, ...slots } = frame.payload
    return { text, ...slots, query_id: frame.frame_id }
  }
  return { text: summarise(frame) }
}

function cutHandover(body: string): string {
  return `${clip(body, MAX_MESSAGE_TEXT)} (cut; agentd_send kind takeover with the handover_id has all of it)`
}

/** What an envelope says; a task has the id that an answer to it names, an answer the id of its task. */
function tellEnvelope({ type, intent, id, to, corr, reply_to: replyTo, payload }: Envelope): Facts {
  const ids = type === 'task' ? { task_id: id } : { id, answers_task: replyTo ?? undefined }
  return { kind: `${type} ${intent}`, to, ...ids, corr, text: wordsOf(payload) }
}

/** The words of a payload that is words, else its JSON. */
export function wordsOf(payload: Readonly<Record<string, unknown>>): string {
  const { text, ...more } = payload
  return typeof text === 'string' && Object.keys(more).length === 0 ? text : JSON.stringify(payload)
}
