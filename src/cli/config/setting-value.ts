/**
 * Values as a person writes them behind a key, and as they are shown again.
 */
import { UsageError } from '../../core/errors.ts'
import { memberOf, tryParseJson, type JsonObject } from '../../core/text/json-object.ts'

/**
 * What was meant, by what the key takes. What does not fit stays a text, and the schema says what is wrong with it.
 *
 * @param schema - JSON Schema of the key
 * @param words - several are a list, and so is one with commas; a list may be JSON, too
 * @throws UsageError for several where one is taken
 */
export function readValue(schema: JsonObject, words: readonly string[], key: string): unknown {
  const [word = ''] = words
  const kind = memberOf(schema, 'type')
  if (kind === 'array') return words.length > 1 ? words : readListed(word)
  if (words.length > 1) throw new UsageError(`"${key}" takes one value; put quotes around it.`)
  if (kind === 'integer' || kind === 'number') return /^-?\d+(?:\.\d+)?$/.test(word) ? Number(word) : word
  if (kind === 'boolean') return word === 'true' || (word === 'false' ? false : word)
  return kind === 'object' ? (tryParseJson(word) ?? word) : word
}

function readListed(word: string): unknown {
  if (word.startsWith('[')) return tryParseJson(word) ?? word
  return word
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')
}

/** Texts as they are, everything else as JSON; not yet safe to print. */
export function showValue(value: unknown): string {
  if (value === undefined) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}
