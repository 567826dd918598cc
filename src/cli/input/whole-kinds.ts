/**
 * Kinds as lines show them, where a filter is written: `kind:query` is `kind:agent_query`.
 */
import { KIND_NAMES } from '../../protocol/frame/kinds.ts'
import { spokenKind } from '../../protocol/frame/summary.ts'

const SHORT_KIND = /(?<=^|,)kind:([a-z][a-z _-]*)(?=,|$)/g

/** The filter with the whole name of each kind that was written short; what is no kind stays, for the refusal to name. */
export function wholeKinds(filter: string): string {
  return filter.replaceAll(SHORT_KIND, (clause, short: string) => {
    const said = short.replaceAll(/[_-]/g, ' ')
    const kind = KIND_NAMES.find((name) => spokenKind(name) === said)
    return kind === undefined ? clause : `kind:${kind}`
  })
}
