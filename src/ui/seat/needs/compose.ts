/**
 * What the person sends of their own accord, as the request for it.
 *
 * @see SEAT-05, SEAT-23
 */
import type { SeatSession } from '../here/session.ts'
import { verbRequest, type SeatRequest } from './answers.ts'

/** What is said, and to whom. */
export interface Composed {
  readonly verb: 'send' | 'ask' | 'hand-over'
  /** As the wire has it. */
  readonly scope: string
  readonly text: string
  /** Paths, as they were typed; empty ones count for nothing. */
  readonly files: readonly string[]
}

/** The request. A question has no files: it asks in words. */
export function composeRequest({ verb, scope, text, files }: Composed): SeatRequest {
  const named = files.map((file) => file.trim()).filter((file) => file !== '')
  const to = { recipient_scope: scope }
  switch (verb) {
    case 'ask':
      return verbRequest('agent_query', { text, ...to })
    case 'hand-over':
      return verbRequest('agent_handover', {
        body: text,
        ...(named.length > 0 && { pointer_refs: named }),
        ...to,
      })
    case 'send':
    default:
      return verbRequest('agent_advise', { text, ...(named.length > 0 && { file_refs: named }), ...to })
  }
}

/**
 * The scope that somebody means who types one, or what a session is called.
 *
 * @returns undefined for what is neither
 */
export function scopeOf(
  typed: string,
  principal: string,
  sessions: Iterable<SeatSession>,
): string | undefined {
  const text = typed.trim()
  if (text === '') return undefined
  if (text.startsWith(principal)) return text
  if (text === '*') return `${principal}/*`
  return [...sessions].find(({ called, address }) => called === text || address.endsWith(`/${text}`))?.address
}
