/**
 * What a member of an envelope may hold, as functions that say what is wrong with a value.
 */
import { isJsonObject } from '../../core/text/json-object.ts'

/** The end of a sentence that says what a member must be; undefined when it is that. */
export type MemberRule = (value: unknown) => string | undefined

/** A string of at least `min` characters, which are code points (AEQ-07). */
export function textRule(min: number): MemberRule {
  const fault = `must be a string of at least ${min} ${min === 1 ? 'character' : 'characters'}`
  return (value) => (typeof value === 'string' && reaches(value, min) ? undefined : fault)
}

/** One of some strings, case and all. */
export function oneOf(values: readonly string[]): MemberRule {
  const fault = `must be one of ${values.join(', ')}`
  return (value) => (typeof value === 'string' && values.includes(value) ? undefined : fault)
}

/** @returns `must be` and the alternatives, for any value that is none of them */
export function anyOf(says: string, ...tests: readonly ((value: unknown) => boolean)[]): MemberRule {
  const fault = `must be ${says}`
  return (value) => (tests.some((test) => test(value)) ? undefined : fault)
}

export const isText = (value: unknown): boolean => typeof value === 'string'
export const isNull = (value: unknown): boolean => value === null
export const isObject = (value: unknown): boolean => isJsonObject(value)

/** A character is one or two code units, so only a short string is counted. */
function reaches(text: string, min: number): boolean {
  return text.length >= 2 * min || (text.length >= min && Array.from(text).length >= min)
}
