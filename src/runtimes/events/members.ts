/**
 * Looking into JSON of somebody else's, where every member may be missing or something else.
 */
import { isJsonObject, tryParseJson } from '../../core/text/json-object.ts'

/** A JSON object of unknown content. */
export type EventMembers = Readonly<Record<string, unknown>>

const NOTHING: EventMembers = Object.freeze({})

/** The object, or an empty one. */
export function objectOf(value: unknown): EventMembers {
  return isJsonObject(value) ? value : NOTHING
}

/** The member as text; undefined when it is absent, empty or something else. */
export function textMember(value: EventMembers, name: string): string | undefined {
  const found = memberOf(value, name)
  return typeof found === 'string' && found !== '' ? found : undefined
}

/** The first of several spellings that holds text. */
export function firstTextOf(value: EventMembers, names: readonly string[]): string | undefined {
  for (const name of names) {
    const found = textMember(value, name)
    if (found !== undefined) return found
  }
  return undefined
}

/** What a payload calls its event; empty where it says nothing. */
export function wireNameOf(payload: EventMembers): string {
  return firstTextOf(payload, ['hook_event_name', 'hookEventName']) ?? ''
}

export function numberOf(value: EventMembers, name: string): number | undefined {
  const found = memberOf(value, name)
  return typeof found === 'number' && Number.isFinite(found) ? found : undefined
}

/** The member as a list; an empty one when it is none. */
export function listMember(value: EventMembers, name: string): readonly unknown[] {
  const found = memberOf(value, name)
  return Array.isArray(found) ? found : []
}

/** An own member; `__proto__` and its kin are members like any other, or none. */
export function memberOf(value: EventMembers, name: string): unknown {
  return Object.hasOwn(value, name) ? value[name] : undefined
}

/** @returns undefined for text that is no JSON object */
export function parseMembers(text: string): EventMembers | undefined {
  const value = tryParseJson(text)
  return isJsonObject(value) ? value : undefined
}
