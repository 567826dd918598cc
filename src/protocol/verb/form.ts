/**
 * The arguments of a verb as a form, which is what a shell can write without knowing how JSON quotes a text:
 * `curl --data-urlencode text=… --data-urlencode file_refs=…`.
 *
 * @see docs/http.md §8; OP-14
 */
import type * as z from 'zod'
import { AgentdError } from '../../core/errors.ts'
import { decodeText, parseJson } from '../../core/text/json.ts'
import { defOf } from '../frame/acceptor.ts'
import type { Arguments } from './row.ts'

/** Fields of one form, each of which costs a look; what has more is sent as JSON. */
export const MAX_FORM_FIELDS = 16_384

/**
 * A text is itself, a list of texts is its name as often as it has one, and everything else is written as JSON.
 *
 * @param shape - the arguments of the verb; what is none of them is handed on, and refused with the whole
 * @returns what the verb's schema has still to admit
 * @throws AgentdError `field-invalid` for what is no form in UTF-8, has too many fields or one of them twice
 */
export function decodeForm(bytes: Uint8Array, shape: z.ZodRawShape): Arguments {
  const fields = readFields(decodeText(bytes, 'body'))
  return Object.fromEntries(
    [...fields].map(([name, values]) => {
      const argument = Object.hasOwn(shape, name) ? shape[name] : undefined
      return [name, readValue(name, values, argument === undefined ? 'text' : formOf(argument))]
    }),
  )
}

/** Name → its values, in the order in which they were written. */
function readFields(text: string): ReadonlyMap<string, readonly string[]> {
  const fields = new Map<string, string[]>()
  const written = text === '' ? [] : text.split('&', MAX_FORM_FIELDS + 1)
  if (written.length > MAX_FORM_FIELDS) throw malformed(`has more than ${MAX_FORM_FIELDS} fields`)
  for (const field of written) {
    const equals = field.indexOf('=')
    const name = unescape(equals === -1 ? field : field.slice(0, equals))
    const value = equals === -1 ? '' : unescape(field.slice(equals + 1))
    const values = fields.get(name)
    if (values === undefined) fields.set(name, [value])
    else values.push(value)
  }
  return fields
}

/** How an argument is written. */
type FieldForm = 'text' | 'texts' | 'json'

function formOf(argument: z.core.$ZodType): FieldForm {
  const def = defOf(argument)
  // What is behind "may be left out".
  if (def.type === 'optional' || def.type === 'default') return formOf(def.innerType)
  if (def.type === 'array') return formOf(def.element) === 'text' ? 'texts' : 'json'
  return def.type === 'string' || def.type === 'enum' ? 'text' : 'json'
}

function readValue(name: string, values: readonly string[], form: FieldForm): unknown {
  const [value = '', ...more] = values
  if (form === 'texts') return values
  if (more.length > 0) throw new AgentdError('field-invalid', `"${name}" is given twice.`, { field: name })
  return form === 'json' ? parseJson(value, name) : value
}

/** @throws AgentdError for octets that are no UTF-8, which must not be replaced */
function unescape(written: string): string {
  try {
    return decodeURIComponent(written.replaceAll('+', ' '))
  } catch (error) {
    if (error instanceof URIError) throw malformed('is not a form in UTF-8')
    throw error
  }
}

function malformed(fault: string): AgentdError {
  return new AgentdError('field-invalid', `The body ${fault}.`, { field: 'body' })
}
