/**
 * The pages of the documentation as data: their headings, links, marked tables and fenced blocks, as they stand.
 */
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..', '..')

/** One page; `path` counts from the root of the checkout. */
export interface Page {
  readonly path: string
  readonly text: string
}

/** One fenced block. */
export interface Block {
  /** Number of the line of its fence, from 1. */
  readonly line: number
  readonly language: string
  /** `key=value` words of the info string. */
  readonly tags: ReadonlyMap<string, string>
  readonly text: string
}

/** Every page that a reader is led to: those at the root, and everything below `docs`. */
export const PAGES: readonly Page[] = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'CHANGELOG.md',
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md'))
    .map((path) => `docs/${path}`)
    .toSorted(),
].map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }))

/** @throws Error when there is no such page */
export function pageAt(path: string): Page {
  const page = PAGES.find((one) => one.path === path)
  if (page === undefined) throw new Error(`there is no page ${path}`)
  return page
}

/** What stands between the markers of a name, in the one page that has them. */
export function markedTable(name: string): string {
  const marked = new RegExp(`<!-- ${name}:begin -->\n([\\s\\S]*?)\n<!-- ${name}:end -->`, 'g')
  const found = PAGES.flatMap(({ text }) => [...text.matchAll(marked)].map(([, table = '']) => table))
  const [table] = found
  if (table === undefined || found.length > 1)
    throw new Error(`${found.length} pages have the table "${name}"`)
  return table
}

/** Every fenced block of a page, in order. */
export function blocksOf({ text }: Page): readonly Block[] {
  return [...text.matchAll(/^```(\w*)([^\n]*)\n([\s\S]*?)^```$/gm)].map((match) => {
    const [, language = '', info = '', block = ''] = match
    return { line: text.slice(0, match.index).split('\n').length, language, tags: tagsOf(info), text: block }
  })
}

function tagsOf(info: string): ReadonlyMap<string, string> {
  const pairs = info
    .trim()
    .split(/\s+/)
    .map((word) => word.split('='))
  return new Map(
    pairs.flatMap(([key, value]): [string, string][] =>
      key !== undefined && value !== undefined ? [[key, value]] : [],
    ),
  )
}

/** The text of a page without its fenced blocks. */
export function proseOf({ text }: Page): string {
  return text.replaceAll(/^```[\s\S]*?^```$/gm, '')
}

/** The anchors a link may lead to, as a forge makes them from headings. */
export function anchorsOf(page: Page): ReadonlySet<string> {
  const anchors = new Set<string>()
  for (const [, heading = ''] of proseOf(page).matchAll(/^#{1,6} +(.+?) *#*$/gm)) {
    const anchor = heading
      .toLowerCase()
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .replaceAll(/[^\p{L}\p{N}\p{M}_ -]/gu, '')
      .replaceAll(' ', '-')
    let twin = anchor
    for (let n = 1; anchors.has(twin); n += 1) twin = `${anchor}-${n}`
    anchors.add(twin)
  }
  return anchors
}

/** Where the links and pictures of a page lead, save those to other hosts. */
export function localLinksOf(page: Page): readonly string[] {
  const prose = proseOf(page).replaceAll(/`[^`\n]*`/g, '')
  return [...prose.matchAll(/\]\((?![a-z]+:)([^)\s]+)\)/g)].map(([, link = '']) => link)
}

/** What stands in the prose of a page as `code`. */
export function inlineCodeOf(page: Page): readonly string[] {
  return [...proseOf(page).matchAll(/`([^`]+)`/g)].map(([, code = '']) => code.replaceAll(/\s+/g, ' '))
}
