/**
 * Everything that retained items differ in, as far as a filter looks: each combination once, under a small number.
 *
 * A combination that no retained item has any more gives its number back. When there are more of them than numbers,
 * what comes is known by its kind alone, and a search has to read it to know the rest (HD-12).
 */
import { filterAdmits, type Filter, type FilterFacts } from '../../protocol/frame/filter.ts'
import { ENVELOPE_KIND } from './retained.ts'

/** What is known of an item without reading it. */
export interface IndexedFacts extends FilterFacts {
  /** Its scope as text; an envelope's `to`. */
  readonly scopeText: string
}

/** What a look back is for; what it then reads it judges again. */
export interface Search {
  readonly filter: Filter
  /** Only what comes from this handle or goes to it; undefined for any. */
  readonly handle: string | undefined
  /** Whether envelopes are wanted, whatever the filter says of kinds. */
  readonly withEnvelopes: boolean
}

/** The numbers a search admits, by number; and their marks, as {@link markOf} gives them, in one word. */
export interface Admitted {
  readonly codes: Uint8Array
  readonly marks: number
}

/** Combinations told apart. More of them at a time than sessions that a daemon holds is nobody's work. */
export const MAX_FACTS = 8_192

/** One combination. */
interface Entry extends FilterFacts {
  readonly key: string
  /** The handle of its scope; an envelope has none. */
  readonly scopeHandle: string | undefined
  /** Whether more than the kind is known. */
  readonly isWhole: boolean
  /** Retained items that have it. */
  count: number
}

/** Stands at a place that holds nothing. */
export const NO_FACTS = 0

export class FactsTable {
  /** By number; a free one is undefined, and the first stands for nothing. */
  readonly #entries: (Entry | undefined)[] = [undefined]
  readonly #codes = new Map<string, number>()
  readonly #free: number[] = []
  /** Turns are mostly of one sender: what came last comes again. */
  #last: (IndexedFacts & { readonly code: number }) | undefined

  /** Combinations in use. */
  get size(): number {
    return this.#codes.size
  }

  /** The number of what an item is; one more item has it. */
  take(item: IndexedFacts): number {
    const code = this.#codeOf(item)
    const entry = this.#entries[code]
    if (entry !== undefined) entry.count += 1
    return code
  }

  /** One item less has it. */
  release(code: number): void {
    const entry = this.#entries[code]
    if (entry === undefined) return
    entry.count -= 1
    if (entry.count > 0) return
    this.#entries[code] = undefined
    this.#codes.delete(entry.key)
    this.#free.push(code)
    this.#last = undefined
  }

  /** Which numbers a search may want. */
  admitted(search: Search): Admitted {
    const codes = new Uint8Array(this.#entries.length)
    let marks = 0
    for (const [code, entry] of this.#entries.entries()) {
      if (entry === undefined || !mayAdmit(search, entry)) continue
      codes[code] = 1
      marks |= markOf(code)
    }
    return { codes, marks }
  }

  #codeOf(item: IndexedFacts): number {
    const last = this.#last
    if (last !== undefined && isSame(last, item)) return last.code
    const code = this.#find(entryOf(item), item)
    const { kind, senderHandle, tool, scopeText } = item
    this.#last = { kind, senderHandle, tool, scopeText, code }
    return code
  }

  #find(entry: Entry, item: IndexedFacts): number {
    const known = this.#codes.get(entry.key)
    if (known !== undefined) return known
    if (entry.isWhole && this.#codes.size >= MAX_FACTS) return this.#find(kindAlone(item), item)
    const code = this.#free.pop() ?? this.#entries.length
    this.#entries[code] = entry
    this.#codes.set(entry.key, code)
    return code
  }
}

/** One bit for a number, which it shares with one number in 32. */
export function markOf(code: number): number {
  return 1 << (code & 31)
}

function isSame(a: IndexedFacts, b: IndexedFacts): boolean {
  return (
    a.kind === b.kind && a.senderHandle === b.senderHandle && a.tool === b.tool && a.scopeText === b.scopeText
  )
}

/** Kinds, handles and tool classes have no blank in them. */
function entryOf({ kind, senderHandle, tool, scopeText }: IndexedFacts): Entry {
  const slash = scopeText.indexOf('/')
  const scopeHandle =
    kind === ENVELOPE_KIND ? undefined : slash === -1 ? scopeText : scopeText.slice(0, slash)
  const key = `${kind} ${senderHandle} ${tool ?? ''} ${scopeHandle ?? ''}`
  return {
    key,
    kind,
    senderHandle,
    tool,
    scopeText: `${scopeHandle ?? ''}/`,
    scopeHandle,
    isWhole: true,
    count: 0,
  }
}

function kindAlone({ kind }: IndexedFacts): Entry {
  const unknown = { senderHandle: '', tool: undefined, scopeText: '', scopeHandle: undefined }
  return { key: kind, kind, ...unknown, isWhole: false, count: 0 }
}

function mayAdmit({ filter, handle, withEnvelopes }: Search, entry: Entry): boolean {
  if (entry.kind === ENVELOPE_KIND) return withEnvelopes
  if (!entry.isWhole) return filter.every(({ axis, value }) => axis !== 'kind' || value === entry.kind)
  const { senderHandle, scopeHandle } = entry
  // Whether a handle is a member, or reached by a grant, is nothing to remember: what then is read is judged again.
  const isToMembers = ['org:', 'accord:'].some((head) => scopeHandle?.startsWith(head) === true)
  const isOfHandle = handle === undefined || senderHandle === handle || scopeHandle === handle || isToMembers
  return isOfHandle && filterAdmits(filter, entry)
}
