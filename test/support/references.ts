/**
 * What comments and test titles refer to: pages under `docs`, their sections, rules and findings, sections of the two
 * specifications, and ids of requirements; and what there is to refer to.
 */
import { existsSync, readFileSync, readdirSync } from 'node:fs'

const root = new URL('../../', import.meta.url)

/** One file that cites, with the marks of its comments taken out of the way of a broken line. */
export interface Citing {
  readonly path: string
  readonly text: string
}

/** A place that something refers to: a page or a specification, and what in it. */
export interface Place {
  readonly page: string
  readonly part: 'section' | 'rule' | 'heading'
  readonly name: string
  /** The section that a rule or a finding stands in, when it is told. */
  readonly section?: string | undefined
}

const NUMBERS = String.raw`\d+(?:\.\d+)*(?:(?:, | and |–|…)\d+(?:\.\d+)*)*`
const PART = String.raw`§§?${NUMBERS}(?: "[^"]*"| (?:rule|finding)s? ${NUMBERS})*|rule ${NUMBERS}|"[^"]*"`
const CITED = new RegExp(
  String.raw`(?<![\w/.-])(docs/[\w/-]+\.md|memo|draft-cowles-aee-00|RFC \d+|W3C Trace Context|VOLT(?: 0\.1)?)((?:[,;]? (?:${PART}))+)`,
  'g',
)
const PAGE = /(?<![\w/.-])docs\/[\w/-]+\.md/g
const ID = /(?<![\w-])(?:ACQ|AC|AEE|AEQ|SSE|PD|SEAT|FED|HO|OB|UI|R|P|S|E)-C?\d{2,3}(?![\w-])/g

/** Where the sections of the specifications are listed: the section of `docs/requirements.md`. */
const LISTS = new Map([
  ['memo', '14.1'],
  ['draft-cowles-aee-00', '14.2'],
])

/** Every source, test and program of the project. */
export function citingFiles(): Citing[] {
  const folders = ['src', 'conformance', 'test', 'bin'].flatMap((folder) =>
    readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' }).map(
      (name) => `${folder}/${name}`,
    ),
  )
  return [...folders, 'bundle.mjs', 'short-names.mjs']
    .filter((path) => /\.(?:ts|mjs|cjs)$/.test(path))
    .map((path) => ({ path, text: unbroken(readFileSync(new URL(path, root), 'utf8')) }))
}

/** The text with each comment's line breaks as spaces. */
function unbroken(text: string): string {
  return text.replace(/\n\s*(?:\*(?!\/)|\/\/) ?/g, ' ')
}

/** The pages that a text names, as `docs/http.md`. */
export function pagesIn(text: string): string[] {
  return [...text.matchAll(PAGE)].map(([page]) => page)
}

/** The ids that a text cites. */
export function idsIn(text: string): string[] {
  return [...text.matchAll(ID)].map(([id]) => id)
}

/** The sections, rules and headings that a text names, of our pages and of the two specifications. */
export function placesIn(text: string): Place[] {
  return [...text.matchAll(CITED)]
    .filter(([, page]) => page?.startsWith('docs/') === true || LISTS.has(String(page)))
    .flatMap(([, page, parts]) => placesOf(String(page), String(parts)))
}

/** The places that one page is cited for: sections, headings in quotation marks, rules and findings by number. */
function placesOf(page: string, parts: string): Place[] {
  const places: Place[] = []
  let section: string | undefined
  for (const [word, heading] of parts.matchAll(
    /§§?[\d., and–…]*\d|(?:rule|finding)s? [\d., and–…]*\d|"([^"]*)"/g,
  )) {
    const numbers = [...word.matchAll(/\d+(?:\.\d+)*/g)].map(String)
    if (heading !== undefined) places.push({ page, part: 'heading', name: heading })
    else if (word.startsWith('§')) {
      section = numbers.at(-1)
      places.push(...numbers.map((name) => ({ page, part: 'section' as const, name })))
    } else places.push(...numbers.map((name) => ({ page, part: 'rule' as const, name, section })))
  }
  return places
}

/** Sections that a text names without saying of what. */
export function strayIn(text: string): string[] {
  return [...text.replaceAll(CITED, '').matchAll(/.{0,40}§§?\d.{0,20}/g)].map(([stray]) => stray)
}

/** What each `@see` of a text says. */
export function seesIn(text: string): string[] {
  return [...text.matchAll(/@see\s+([^\n]*?)\s*(?:\*\/|@|\n|$)/g)].map(([, see]) => String(see))
}

export function exists(page: string): boolean {
  return existsSync(new URL(page, root))
}

const pages = new Map<string, string>()

/** The text of a page; empty when there is none. */
export function pageText(page: string): string {
  const known = pages.get(page)
  if (known !== undefined) return known
  const text = exists(page) ? readFileSync(new URL(page, root), 'utf8') : ''
  pages.set(page, text)
  return text
}

/** The ids that `docs/requirements.md` has a row for. */
export function listedIds(): Set<string> {
  return new Set(
    [...pageText('docs/requirements.md').matchAll(/^\| ([A-Z]+-C?\d+) \|/gm)].map(([, id]) => String(id)),
  )
}

/** Whether there is what a place names. */
export function isThere({ page, part, name, section }: Place): boolean {
  const list = LISTS.get(page)
  if (list !== undefined) return isInList(list, { part, name })
  const text = pageText(page)
  if (part === 'section') return sectionOf(text, name) !== ''
  if (part === 'heading') return text.includes(name)
  const within = section === undefined ? sectionNamed(text, 'Rules') : sectionOf(text, section)
  return new RegExp(`^${name}\\. `, 'm').test(within)
}

/** Of the specifications only their sections are listed; a title in quotation marks is theirs. */
function isInList(list: string, { part, name }: Pick<Place, 'part' | 'name'>): boolean {
  const rows = sectionOf(pageText('docs/requirements.md'), list)
  return part === 'heading' || rows.includes(`\n| ${name} |`)
}

/** The text of a numbered section, with those below it; empty when there is none. */
function sectionOf(text: string, number: string): string {
  return cut(text, new RegExp(`^(#{2,4}) ${number.replaceAll('.', '\\.')}\\.? `, 'm'))
}

function sectionNamed(text: string, title: string): string {
  return cut(text, new RegExp(`^(#{2,4}) ${title}$`, 'm'))
}

/** From a heading to the next of its rank or above. */
function cut(text: string, heading: RegExp): string {
  const match = heading.exec(text)
  if (match?.[1] === undefined) return ''
  const rest = text.slice(match.index + match[0].length)
  const end = new RegExp(`^#{1,${match[1].length}} `, 'm').exec(rest)
  return match[0] + rest.slice(0, end?.index)
}
