/**
 * A look at what a record carries that reads nothing of it: for whom it is, cut out of its text.
 *
 * It decides how something is refused, and nothing else; what is let in is read, and looked at again.
 *
 * @see FED-57, FED-63
 */
import { tryParseJson } from '../../core/text/json-object.ts'
import { cutMember } from '../../link/text/carried.ts'
import type { EnvelopeRecord, FrameRecord } from '../../link/record.ts'
import { readScope, type Scope } from '../../protocol/address/scope.ts'
import type { Frame } from '../../protocol/frame/frame.ts'
import type { Glance } from './record-rules.ts'

/** Undefined for a text that does not say it where it is looked for: in its own members, by names without escapes. */
export function glanceAt(record: FrameRecord | EnvelopeRecord): Glance | undefined {
  if (record.t === 'envelope') return { of: 'envelope', to: record.to }
  const { frameText: text } = record
  const [kind, scope] = [wordIn(text, 'kind'), readScope(record.scope)]
  if (kind === undefined || scope === undefined) return undefined
  if (kind !== 'agent_response') return { of: 'frame', kind, scope }
  const queryId = wordIn(cutMember(text, 'payload')?.text ?? '', 'query_id')
  return queryId === undefined ? undefined : { of: 'frame', kind, scope, queryId }
}

/** The same of what was read. */
export function glanceOf(frame: Frame, scope: Scope): Glance {
  const { kind } = frame
  return { of: 'frame', kind, scope, ...(kind === 'agent_response' && { queryId: frame.payload.query_id }) }
}

/** A member that is a text. */
export function wordIn(text: string, name: string): string | undefined {
  const value = tryParseJson(cutMember(text, name)?.text ?? '')
  return typeof value === 'string' ? value : undefined
}
