/**
 * The texts of the specifications, cut into their sentences: what docs/requirements.md §15 has a row for each of.
 *
 * The texts are others' and not in the repository; `clauses.json` has a hash of each sentence in their place.
 */
import { createHash } from 'node:crypto'

/** A full stop, and what begins a sentence behind it; `e.g.` and `i.e.` end none. */
const END = /(?<=[.!?]["')]?)(?<!\b(?:e\.g|i\.e)\.) (?=[A-Z"(])/

/** Names one sentence without telling it: twelve hexadecimal digits of the SHA-256 of its words. */
export function hashOf(sentence: string): string {
  return createHash('sha256').update(sentence).digest('hex').slice(0, 12)
}

/** The sentences of the memo: paragraphs between blank lines, each cut into its sentences. */
export function sentencesOfMemo(text: string): string[] {
  return paragraphsOf(text).flatMap((lines) => sentencesIn(lines.join(' ')))
}

/** The sentences of AEE's README, one line after the other; an example is one. */
export function sentencesOfReadme(text: string): string[] {
  const found: string[] = []
  let example = ''
  for (const line of text.split('\n')) {
    if (example === '' && line.trim() !== '{') {
      found.push(...sentencesIn(line))
      continue
    }
    const ends = line.startsWith('}') && depthOf(`${example}}`) === 0
    example += ` ${ends ? '}' : line}`
    if (!ends) continue
    found.push(squeeze(example), ...sentencesIn(line.slice(1)))
    example = ''
  }
  return found
}

/** The sentences of the AEE draft: of its prose and lists; each row of a table and each example is one. */
export function sentencesOfDraft(text: string): string[] {
  return blocksOf(text).flatMap((lines) => {
    const [first = ''] = lines
    if (isTable(first)) return rowsOf(lines)
    if (lines.length === 1 && /^(?:\d+(?:\.\d+)*\. +\S|Acknowledgements$|Author's Address$)/.test(first))
      return []
    const whole = lines.join(' ')
    if (/^\s*\{/.test(first)) return [squeeze(whole)]
    return sentencesIn(whole.replace(/^\s*(?:\d+\.|\*)\s+/, ''))
  })
}

function sentencesIn(paragraph: string): string[] {
  const words = squeeze(paragraph)
  return words === '' ? [] : words.split(END)
}

function squeeze(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}

function depthOf(json: string): number {
  return json.split('{').length - json.split('}').length
}

function paragraphsOf(text: string): string[][] {
  return text
    .split(/\n(?:[^\S\n]*\n)+/)
    .map((paragraph) => paragraph.split('\n').filter((line) => line.trim() !== ''))
    .filter((lines) => lines.length > 0)
}

/** The paragraphs of the draft, with what a page break has parted put together again. */
function blocksOf(text: string): string[][] {
  const blocks: string[][] = []
  for (const lines of paragraphsOf(text)) {
    const before = blocks.at(-1)
    if (before !== undefined && goesOn(before, lines)) before.push(...lines)
    else blocks.push([...lines])
  }
  return blocks
}

function goesOn(before: readonly string[], lines: readonly string[]): boolean {
  const [first = ''] = before
  if (isTable(first)) return isTable(lines[0] ?? '')
  return !/^\s*\{/.test(first) && /(?:,| MUST)\s*$/.test(before.at(-1) ?? '')
}

function isTable(line: string): boolean {
  return /^\s*[|+]/.test(line)
}

/** The rows of a table whose cells go over several lines, between lines of `+---+`. */
function rowsOf(lines: readonly string[]): string[] {
  return lines
    .map((line) => (/^\s*\+/.test(line) ? '\n' : line))
    .join('\u0000')
    .split('\n')
    .map((row) => row.split('\u0000').filter((line) => line.trim() !== ''))
    .filter((row) => row.length > 0)
    .map((row) => {
      const cells = row.map((line) => line.trim().split('|').slice(1, -1))
      return squeeze((cells[0] ?? []).map((_, at) => cells.map((line) => line[at]).join(' ')).join(' | '))
    })
}
