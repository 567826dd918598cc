/**
 * The query string, read against the closed object of its route.
 */
import type { z } from 'zod'
import { AgentdError } from '../../core/errors.ts'
import { invalidValue } from '../../protocol/frame/filter.ts'
import { requireShape } from '../../protocol/refusal/refusal.ts'

/**
 * @param search - the part after the question mark
 * @throws AgentdError `filter-value-invalid` for a repeated filter (ACQ-27), otherwise `field-*` with the
 *   parameter as the field
 */
export function readQuery<T>(schema: z.ZodType<T>, search: string): T {
  const values = new Map<string, string>()
  for (const [name, value] of new URLSearchParams(search)) {
    if (values.has(name)) throw repeated(name)
    values.set(name, value)
  }
  return requireShape(schema, Object.fromEntries(values), 'query')
}

function repeated(name: string): AgentdError {
  if (name === 'filter') return invalidValue('There is one filter per stream; join its clauses with commas.')
  return new AgentdError('field-invalid', `"${name}" is given twice.`, { field: name })
}
