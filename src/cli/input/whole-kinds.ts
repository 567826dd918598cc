/**
 * Kinds as lines show them, wherever a command takes one: `query` is `agent_query`.
 */
import { Option } from 'commander'
import { UsageError } from '../../core/errors.ts'
import { KIND_NAMES, type Kind } from '../../protocol/frame/kinds.ts'
import { findKind, noKindWords } from '../../protocol/frame/spoken-kind.ts'

const SHORT_KIND = /(?<=^|,)kind:([a-z][a-z _-]*)(?=,|$)/g

/** The filter with the whole name of each kind that was written short; what is no kind stays, for the refusal to name. */
export function wholeKinds(filter: string): string {
  return filter.replaceAll(SHORT_KIND, (clause, short: string) => {
    const kind = findKind(short, KIND_NAMES)
    return kind === undefined ? clause : `kind:${kind}`
  })
}

/** @throws UsageError that says which one may have been meant */
export function requireKindOf(text: string): Kind {
  const kind = findKind(text, KIND_NAMES)
  if (kind !== undefined) return kind
  throw new UsageError(noKindWords(text, KIND_NAMES))
}

/** An option that takes one kind; what it holds is a whole name. */
export function kindOption(flags: string, description: string): Option {
  return new Option(flags, description).choices([...KIND_NAMES]).argParser(requireKindOf)
}
