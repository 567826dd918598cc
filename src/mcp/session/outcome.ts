/**
 * What a call ends with: a result, or a failure that is a result too.
 *
 * The text is the JSON of the structured content and nothing else, since hosts show one or the other. Everything
 * a peer wrote passes through here and is made inert; no tool has to remember to.
 *
 * @see
 */
import { messageOf } from '../../core/thrown.ts'
import { AgentdError } from '../../core/errors.ts'
import { AgentdUnknownAnswer, AgentdUnreachable, HostRefusal } from '../../client/index.ts'
import { safeBlock } from '../../core/text/safe-text.ts'
import { MAX_RESULT_LIST, MAX_RESULT_TEXT } from './bounds.ts'
import { ToolFailure } from './failure.ts'
import type { Facts } from './tool.ts'

/** A JSON value, as far as results hold one. */
type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json }

/** The result of `tools/call`. */
export interface ToolOutcome {
  readonly [member: string]: unknown
  readonly content: { type: 'text'; text: string }[]
  readonly structuredContent: { [name: string]: unknown }
  readonly isError?: true
}

/** What a caller is told about a failure. */
interface Told {
  readonly code: string
  readonly field?: string | undefined
  readonly message: string
  readonly retry_after_ms?: number | undefined
}

/** @param unread - how many messages wait; undefined when that could not be found out */
export function succeeded(facts: Facts, unread: number | undefined): ToolOutcome {
  return outcomeOf({ ...facts, unread })
}

/** As {@link succeeded}, of what was thrown. */
export function failed(error: unknown, unread: number | undefined): ToolOutcome {
  return { ...outcomeOf({ error: tell(error), unread }), isError: true }
}

/** Whether a thrown value is a fault of this program: nothing here throws anything else on purpose. */
export function isDefect(error: unknown): boolean {
  const expected = [AgentdError, AgentdUnreachable, AgentdUnknownAnswer, HostRefusal, ToolFailure]
  return expected.every((one) => !(error instanceof one))
}

function outcomeOf(facts: Facts): ToolOutcome {
  const structuredContent = inertObject(facts)
  return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent }
}

function tell(error: unknown): Told {
  const message = messageOf(error)
  if (error instanceof AgentdError) {
    return { code: error.code, field: error.field, message, retry_after_ms: error.retryAfterMs }
  }
  if (error instanceof ToolFailure) return { code: error.code, field: error.field, message }
  if (error instanceof AgentdUnreachable) return { code: 'unreachable', message }
  if (error instanceof HostRefusal) return { code: 'unsafe', message }
  if (error instanceof AgentdUnknownAnswer) {
    return { code: error.code ?? 'unknown-answer', field: error.field, message }
  }
  return { code: 'defect', message: `This is a defect of agentd; please report it: ${message}` }
}

/** A copy in which every string is safe and short, and no member is absent yet named. */
function inert(value: unknown): Json {
  if (typeof value === 'string') return safeText(value)
  if (typeof value === 'number' || typeof value === 'boolean') return value
  if (Array.isArray(value)) return inertList(value)
  return typeof value === 'object' && value !== null ? inertObject(value) : null
}

/** The beginning of a long one, and how much there is besides: a frame may name thousands of files (ACQ-14). */
function inertList(value: readonly unknown[]): readonly Json[] {
  const shown = value.slice(0, MAX_RESULT_LIST).map((one) => inert(one))
  const more = value.length - shown.length
  return more === 0 ? shown : [...shown, `… (${more} more)`]
}

function inertObject(value: object): { [name: string]: Json } {
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  return Object.fromEntries(members.map(([name, member]) => [safeText(name), inert(member)]))
}

/** What the end of a text that had to be cut says. */
const CUT = '… (cut)'

/** Cut first: half of a pair at the end goes with everything else that is not safe. */
function safeText(text: string): string {
  return text.length <= MAX_RESULT_TEXT
    ? safeBlock(text)
    : `${safeBlock(text.slice(0, MAX_RESULT_TEXT))}${CUT}`
}
