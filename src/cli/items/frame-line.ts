/**
 * A frame as `agentd tail` shows it.
 */
import { SHELL_INSTRUMENT } from '../../protocol/frame/compose.ts'
import { expiresAtMs, type Frame } from '../../protocol/frame/frame.ts'
import type { Kind } from '../../protocol/frame/kinds.ts'
import { safeLine } from '../../core/text/safe-text.ts'
import { decisionLines } from '../../protocol/frame/spoken-decision.ts'
import { spokenKind } from '../../protocol/frame/spoken-kind.ts'
import { summarise } from '../../protocol/frame/summary.ts'
import { formatItem, type ItemView } from './item-line.ts'
import type { Palette } from '../../core/display/palette.ts'

/** One colour per group of kinds. */
const GROUP: Readonly<Record<Kind, keyof Palette>> = {
  agent_advisory: 'cyan',
  agent_broadcast: 'cyan',
  agent_handover: 'magenta',
  agent_return_event: 'magenta',
  agent_lock_request: 'yellow',
  agent_lock_release: 'yellow',
  agent_lease_extend: 'yellow',
  agent_query: 'green',
  agent_response: 'green',
  agent_binding_moment: 'bold',
  peer_diagnostic_request: 'red',
  peer_diagnostic_response: 'red',
  intent_declare: 'dim',
  intent_withdraw: 'dim',
  flush_executed: 'dim',
}

/**
 * As {@link formatItem}; a question on a terminal says below how to answer it.
 *
 * @param beside - what is known of it besides: what the session it came from is called, and what a lease is on that it
 *   names by the id alone
 */
export function formatFrame(frame: Frame, view: ItemView, beside: KnownBeside = {}): string {
  const { name, resource } = beside
  const summary = summariseWith(frame, resource)
  // All eight slots of a decision are shown, however narrow the terminal is.
  const isDecision = frame.kind === 'agent_binding_moment'
  return formatItem(
    {
      at: frame.created_at,
      who: formatSender(frame, view.principal, name),
      label: spokenKind(frame.kind),
      colour: GROUP[frame.kind],
      isStale: view.dimsStale === true && expiresAtMs(frame) <= view.nowMs,
      summary,
      ...textAndHint(frame, summary),
    },
    isDecision ? { ...view, full: true } : view,
  )
}

/** What is known of a frame that it does not say. */
export interface KnownBeside {
  readonly name?: string | undefined
  readonly resource?: string | undefined
}

/** What the frame says, with what its lease is on in front where it does not say that itself. */
export function summariseWith(frame: Frame, resource: string | undefined): string {
  const summary = summarise(frame)
  return resource === undefined ? summary : `${resource} ${summary}`
}

/** On a terminal the id of a question, and how it is answered, stands below it. */
function textAndHint(frame: Frame, summary: string): { text: string; hint?: string } {
  if (frame.kind === 'agent_query')
    return {
      text: frame.payload.query_text,
      hint: `answer: agentd respond ${frame.payload.query_id} "…"`,
    }
  if (frame.kind !== 'agent_binding_moment') return { text: summary }
  const text = decisionLines(frame).slice(0, -1).join('\n')
  return { text, hint: `answer: agentd decide ${frame.frame_id} 1` }
}

/** Who speaks: the session by its name; else the instrument, behind the handle where that is not the principal's own. */
export function formatSender(frame: Frame, principal: string, name?: string): string {
  if (name !== undefined) return safeLine(name)
  const { sender_handle: sender, drafted_with: instrument } = frame
  if (instrument === SHELL_INSTRUMENT) return safeLine(sender)
  const body = instrument.replace(/^~/, '')
  return safeLine(sender === principal ? body : `${sender}/${body}`)
}

/** The kind as a person says it. */
export function formatKind(kind: string): string {
  return safeLine(spokenKind(kind))
}
