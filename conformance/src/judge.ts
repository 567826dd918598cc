/**
 * Whether an answer is one of those that a vector expects.
 */
import type { Answer } from './adapter.ts'
import { isEqualJson, isJsonObject, readObjects, type JsonObject } from './json.ts'

/**
 * Compares an answer with what is expected of it: each member that is named has to be the same, others are free.
 *
 * @param input - what was asked, written out
 * @returns what is wrong with the answer; undefined when it passes
 */
export function judge(answer: Answer, expected: JsonObject, input: JsonObject): string | undefined {
  const { codes, field, received, ...members } = expected
  if (members['ok'] === true && answer['ok'] !== true) return `it is refused: ${showError(answer['error'])}`
  for (const [name, value] of Object.entries(members)) {
    const complaint = compare(answer[name], value, name)
    if (complaint !== undefined) return complaint
  }
  if (received !== undefined) return judgeReceived(answer, received, input)
  return members['ok'] === false ? judgeError(answer['error'], codes, field) : undefined
}

/** What is inside counts the same way: named members of an object, every item of a list. */
function compare(actual: unknown, expected: unknown, path: string): string | undefined {
  if (Array.isArray(expected) && Array.isArray(actual) && expected.length === actual.length) {
    return expected.map((item, at) => compare(actual[at], item, `${path}[${at}]`)).find(isSaid)
  }
  if (isJsonObject(expected) && isJsonObject(actual)) {
    const { codes, field, ...members } = expected
    const inner = Object.entries(members).map(([name, value]) =>
      compare(actual[name], value, `${path}.${name}`),
    )
    return (
      inner.find(isSaid) ?? (members['ok'] === false ? judgeError(actual['error'], codes, field) : undefined)
    )
  }
  if (isEqualJson(actual, expected)) return undefined
  return `"${path}" is ${show(actual)}, not ${show(expected)}`
}

const isSaid = (complaint: string | undefined): boolean => complaint !== undefined

/** An error has one of the codes, and names the field: by its path, or by its own name alone. */
function judgeError(error: unknown, codes: unknown, field: unknown): string | undefined {
  const { code, field: named, message } = isJsonObject(error) ? error : {}
  if (Array.isArray(codes)) {
    if (!codes.includes(code)) return `the code is ${show(code)}, not ${codes.map(show).join(' or ')}`
    if (typeof message !== 'string' || message === '') return 'there is no message for people (memo §10)'
  }
  if (typeof field !== 'string' || named === field || named === field.split('.').at(-1)) return undefined
  return `the field is ${show(named)}, not ${show(field)}`
}

/**
 * What each session received, as places of `submit`; the order is nobody's promise. What arrives is the frame that was
 * submitted, and its event has an id.
 */
function judgeReceived(answer: Answer, expected: unknown, input: JsonObject): string | undefined {
  const received = answer['received']
  if (!isJsonObject(expected) || !isJsonObject(received)) return `"received" is ${show(received)}`
  const frames = readObjects(input, 'submit').map((submission) => submission['frame'])
  for (const [session, places] of Object.entries(expected)) {
    const events = readObjects(received, session)
    const found = events.map(({ frame }) => frames.findIndex((one) => idOf(one) === idOf(frame)))
    if (!isEqualJson(found.toSorted(ascending), places))
      return `${session} received ${show(found)} of what was submitted, not ${show(places)}`
    const strange = events.find(({ frame }, at) => !isEqualJson(frame, frames[found[at] ?? -1]))
    if (strange !== undefined) return `${session} received a frame that is not what was submitted`
    if (events.some(({ id }) => typeof id !== 'string' || id === ''))
      return `${session} received an event without id`
  }
  return undefined
}

function idOf(frame: unknown): unknown {
  return isJsonObject(frame) ? frame['frame_id'] : undefined
}

function ascending(left: number, right: number): number {
  return left - right
}

function showError(error: unknown): string {
  const { code, field, message } = isJsonObject(error) ? error : {}
  return [code, field, message].filter((part) => typeof part === 'string').join(', ')
}

/** A value as it is told in a complaint. */
export function show(value: unknown): string {
  const text = JSON.stringify(value) ?? 'absent'
  return text.length > 160 ? `${text.slice(0, 160)}…` : text
}

/** What a report says of the answer to an open vector: whether it was taken, and of its error the code. */
export function showAnswer({ ok, error }: Answer): string {
  if (ok === true) return 'taken'
  return `refused: ${show(isJsonObject(error) ? error['code'] : error)}`
}
