/**
 * A frame as `agentd tail` shows it: when, who, what kind, what it says.
 *
 * Every string of a frame is somebody else's; nothing is printed that `safe-text.ts` has not seen.
 */
import { SHELL_INSTRUMENT } from '../protocol/compose.ts'
import type { Frame } from '../protocol/frame.ts'
import type { Kind } from '../protocol/kinds.ts'
import { formatAge, safeBlock, safeLine } from '../protocol/safe-text.ts'
import { spokenKind, summarise } from '../protocol/summary.ts'
import type { Palette } from './palette.ts'
import { cutTo, padTo, widthOf, wrapTo } from './width.ts'

/** How frames are shown. */
export interface FrameView {
  readonly paint: Palette
  /** Undefined where nothing is to be cut or wrapped. */
  readonly columns: number | undefined
  /** Wrap what does not fit instead of cutting it. */
  readonly full: boolean
  /** Whose daemon it is: its own handle goes without saying. */
  readonly principal: string
  readonly nowMs: number
}

/** A frame younger than this is news; an older one says how old it is. */
const NEWS_MS = 5_000

/** Names as long as most are; a longer one is cut on a terminal. */
const WHO_COLUMNS = 14
const MAX_WHO_COLUMNS = 24
const KIND_COLUMNS = 12

/** Text on a terminal narrower than the rest of the line. */
const LEAST_TEXT_COLUMNS = 20

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

/** One line, or with `full` as many as it takes; a question on a terminal says below how to answer it. */
export function formatFrame(frame: Frame, view: FrameView): string {
  const { columns, paint } = view
  const time = formatTime(frame.created_at)
  const who = boundWho(formatSender(frame, view.principal), columns)
  const kind = formatKind(frame.kind)
  const head = `${paint.dim(time)} ${padTo(who, WHO_COLUMNS)} ${paint[GROUP[frame.kind]](padTo(kind, KIND_COLUMNS))} `
  const headColumns =
    time.length + Math.max(widthOf(who), WHO_COLUMNS) + Math.max(kind.length, KIND_COLUMNS) + 3
  const age = formatOldAge(frame, view.nowMs)
  if (columns === undefined) return `${head}${safeLine(summarise(frame))}${age}`
  const room = Math.max(LEAST_TEXT_COLUMNS, columns - headColumns)
  const lines = view.full
    ? wrapTo(`${safeBlock(textOf(frame))}${age}`, room)
    : [`${cutTo(safeLine(textOf(frame)), room - age.length)}${paint.dim(age)}`]
  const below =
    frame.kind === 'agent_query' ? [paint.dim(`${' '.repeat(time.length)} ${formatHint(frame)}`)] : []
  return [head + lines.join(`\n${' '.repeat(headColumns)}`), ...below].join('\n')
}

/** Who speaks: the instrument, behind the handle where that is not the principal's own. */
export function formatSender(frame: Frame, principal: string): string {
  const { sender_handle: sender, drafted_with: instrument } = frame
  if (instrument === SHELL_INSTRUMENT) return safeLine(sender)
  const name = instrument.replace(/^~/, '')
  return safeLine(sender === principal ? name : `${sender}/${name}`)
}

/** The kind as a person says it. */
export function formatKind(kind: string): string {
  return safeLine(spokenKind(kind))
}

/** HH:MM:SS on the clock of this machine. */
function formatTime(timestamp: string): string {
  const time = new Date(timestamp)
  if (Number.isNaN(time.getTime())) return '--:--:--'
  return [time.getHours(), time.getMinutes(), time.getSeconds()]
    .map((n) => String(n).padStart(2, '0'))
    .join(':')
}

/** On a terminal the id of a question stands below it, where it is never cut off. */
function textOf(frame: Frame): string {
  return frame.kind === 'agent_query' ? frame.payload.query_text : summarise(frame)
}

function formatHint(frame: Extract<Frame, { kind: 'agent_query' }>): string {
  return safeLine(`answer: agentd respond ${frame.payload.query_id} "…"`)
}

function boundWho(who: string, columns: number | undefined): string {
  return columns === undefined ? who : cutTo(who, MAX_WHO_COLUMNS)
}

function formatOldAge(frame: Frame, nowMs: number): string {
  const ageMs = nowMs - Date.parse(frame.created_at)
  return ageMs >= NEWS_MS ? ` (${formatAge(ageMs)} ago)` : ''
}
