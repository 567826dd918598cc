/**
 * The tables of docs/requirements.md §15 as data: clause → what shows it.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { pageAt } from '../support/pages.ts'
import { idsIn } from '../support/references.ts'

const ROOT = join(import.meta.dirname, '..', '..')

/** Where a table stands, by the specification it is of. */
export const TABLES = { memo: '15.1', aee: '15.2', readme: '15.3' } as const

/** A text that has a table. */
export type Specification = keyof typeof TABLES

/** What shows a clause: a test, or a file of vectors, and what to look for in it when that is no id. */
export interface Witness {
  /** A file below `test`, or one of `conformance/vectors` without its ending. */
  readonly name: string
  /** A part of a test's title. */
  readonly title: string | undefined
}

/** One row. */
export interface ClauseRow {
  /** As it stands in the first cell, to find the row by. */
  readonly clause: string
  /** The sentences it is about: section and place in it, such as `3.1:2`. */
  readonly sentences: readonly string[]
  readonly ids: readonly string[]
  readonly witnesses: readonly Witness[]
  /** In place of witnesses: why there is nothing to show. */
  readonly why: string | undefined
}

/** Section and hashes of its sentences, in the order of the text. */
export type ClauseIndex = readonly (readonly [string, readonly string[]])[]

const Sections = z.array(z.tuple([z.string(), z.array(z.string().regex(/^[\da-f]{12}$/))]))

/** What `clauses.json` has of each text: no word of it, but a hash of each sentence. */
export const INDEX: Readonly<Record<Specification, ClauseIndex>> = z
  .object({ memo: Sections, aee: Sections, readme: Sections })
  .parse(JSON.parse(readFileSync(join(import.meta.dirname, 'clauses.json'), 'utf8')))

/** The rows of one table. */
export function clauseRows(specification: Specification): ClauseRow[] {
  return rowsBelow(TABLES[specification]).map((cells) => {
    const [clause = '', , ids = '', shown = ''] = cells
    return { clause, sentences: sentencesOf(clause), ids: idsIn(ids), ...shownBy(shown) }
  })
}

/** The cells of every row below a heading of `docs/requirements.md`, its head left out. */
export function rowsBelow(section: string): string[][] {
  const [, part = ''] = pageAt('docs/requirements.md').text.split(`\n### ${section} `)
  const [own = ''] = part.split(/\n#/)
  const lines = own.split('\n').filter((line) => line.startsWith('|'))
  return lines.slice(2).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
}

/** What the cell `shown by` says: names in backquotes, or one word. */
export function shownBy(cell: string): Pick<ClauseRow, 'witnesses' | 'why'> {
  if (/^[a-z]+$/.test(cell)) return { witnesses: [], why: cell }
  const witnesses = [...cell.matchAll(/`([^`]+)`(?: "([^"]+)")?/g)].map(([, name, title]) => ({
    name: String(name),
    title,
  }))
  return { witnesses, why: undefined }
}

/** `3.1:2–4` is three sentences of section 3.1; `12` one of a text without sections. */
function sentencesOf(clause: string): string[] {
  const {
    section = '',
    from,
    to,
  } = /^(?<section>[\w.]+:)?(?<from>\d+)(?:–(?<to>\d+))?$/.exec(clause)?.groups ?? {}
  const first = Number(from)
  return Array.from({ length: Number(to ?? from) - first + 1 }, (_, at) => `${section}${first + at}`)
}

/** The sentences that the index has, named as rows name them. */
export function sentencesListed(specification: Specification): string[] {
  return INDEX[specification].flatMap(([section, hashes]) =>
    hashes.map((_, at) => (section === '' ? `${at + 1}` : `${section}:${at + 1}`)),
  )
}

/** What a witness says, without comments; undefined when there is none. */
export function textOfWitness({ name }: Witness): string | undefined {
  const path = name.includes('/') ? join('test', name) : join('conformance', 'vectors', `${name}.jsonl`)
  if (!existsSync(join(ROOT, path))) return undefined
  const text = readFileSync(join(ROOT, path), 'utf8')
  return path.endsWith('.ts') ? text.replaceAll(/^\s*\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '') : text
}

/** A title that names more ids than these at once shows none of them. */
const SWEEP = 25

/** The ids that a text cites, each of `AC-123…AC-129` and `AEE-C05…C08` among them; of a sweep its ends alone. */
export function idsCited(text: string): ReadonlySet<string> {
  const ranges = [...text.matchAll(/\b([A-Z]+-C?)(\d+)…(?:[A-Z]+-)?C?(\d+)/g)]
    .filter(([, , from, to]) => Number(to) - Number(from) < SWEEP)
    .flatMap(([, stem = '', from = '', to]) =>
      Array.from(
        { length: Number(to) - Number(from) + 1 },
        (_, at) => `${stem}${String(Number(from) + at).padStart(from.length, '0')}`,
      ),
    )
  return new Set([...idsIn(text), ...ranges])
}
