/**
 * The query string, read against the closed object of its route.
 */
import type { z } from 'zod'
import { AgentdError } from '../../core/errors.ts'
import { invalidValue } from '../../protocol/frame/filter.ts'
import { brokenRule, type QueryRule } from '../../protocol/http/query-rules.ts'
import { requireShape } from '../../protocol/refusal/refusal.ts'

/**
 * @param search - the part after the question mark
 * @param rules - what holds of the parameters together
 * @throws AgentdError `filter-value-invalid` for a repeated filter (ACQ-27), otherwise `field-*` with the
 *   parameter as the field; by the rule that it breaks, one that the schema admits
 */
export function readQuery<T>(schema: z.ZodType<T>, search: string, rules: readonly QueryRule[] = []): T {
  const values = new Map<string, string>()
  for (const [name, value] of new URLSearchParams(search)) {
    if (values.has(name)) throw repeated(name)
    values.set(name, value)
  }
  const given = Object.fromEntries(values)
  const query = requireShape(schema, given, 'query')
  const broken = rules.find(({ isBroken }) => isBroken?.(given) === true)
  if (broken !== undefined) throw brokenRule(broken)
  return query
}

function repeated(name: string): AgentdError {
  if (name === 'filter') return invalidValue('There is one filter per stream; join its clauses with commas.')
  return new AgentdError('field-invalid', `"${name}" is given twice.`, { field: name })
}
