/**
 * A text that is carried inside another one, octet for octet: the member of a JSON object, cut out of it unread.
 *
 * What is inside is bounded and read by whoever takes it; what is around it is read without it, so that neither counts
 * against the other's bounds. If both are JSON, the text was exactly this object with exactly this member: what stands in
 * the member's place while the rest is read is `null`, which is a value as well.
 *
 * @see FED-17, R-13, AEE-C02
 */
import { endOfString } from '../../core/text/json-shape.ts'

/** What was cut. */
export interface Carried {
  /** The member's value as it stands, without white space around it. */
  readonly text: string
  /** The object with `null` in its place. */
  readonly around: string
}

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_ARRAY = 0x5b
const CLOSE_ARRAY = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

/**
 * Cuts the first member of a name out of an object.
 *
 * @param name - as JSON writes it without escapes
 * @returns undefined where no member of the outermost object has it; for what is no JSON the answer means nothing
 */
export function cutMember(text: string, name: string): Carried | undefined {
  const start = startOfMember(text, name)
  if (start === undefined) return undefined
  const end = endOfValue(text, start)
  if (end === undefined) return undefined
  return { text: text.slice(start, end).trim(), around: `${text.slice(0, start)}null${text.slice(end)}` }
}

/** Where the value begins: behind the colon. */
function startOfMember(text: string, name: string): number | undefined {
  const quoted = `"${name}"`
  let depth = 0
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i)
    if (unit === OPEN_OBJECT || unit === OPEN_ARRAY) depth += 1
    else if (unit === CLOSE_OBJECT || unit === CLOSE_ARRAY) depth -= 1
    if (unit !== QUOTE) continue
    const end = endOfString(text, i)
    if (end === -1) return undefined
    const colon = depth === 1 && end - i === quoted.length - 1 && text.startsWith(quoted, i) ? end + 1 : -1
    if (colon !== -1 && text.charCodeAt(colon) === COLON) return colon + 1
    i = end
  }
  return undefined
}

/** Where the value ends: before the comma or the bracket that is not its own. */
function endOfValue(text: string, start: number): number | undefined {
  let depth = 0
  for (let i = start; i < text.length; i += 1) {
    const unit = text.charCodeAt(i)
    if (unit === QUOTE) {
      const end = endOfString(text, i)
      if (end === -1) return undefined
      i = end
    } else if (unit === OPEN_OBJECT || unit === OPEN_ARRAY) depth += 1
    else if (unit === CLOSE_OBJECT || unit === CLOSE_ARRAY) {
      if (depth === 0) return i
      depth -= 1
    } else if (unit === COMMA && depth === 0) return i
  }
  return undefined
}
