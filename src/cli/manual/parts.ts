/**
 * The parts that all manual pages are made of, as lines of roff.
 *
 * @see man(7)
 */
import { bold, italic, roffLine, roffText } from './roff.ts'

/** What stands at the head of a page. */
interface Title {
  readonly name: string
  /** 1 for commands, 7 for what is worth knowing besides. */
  readonly section: 1 | 7
  readonly version: string
  readonly says: string
}

/** The head, and the section that `apropos` reads. */
export function title({ name, section: number, version, says }: Title): readonly string[] {
  return [
    // Words are not broken, since they may be names, and spaces are not widened.
    '.nr HY 0',
    `.TH "${roffLine(name.toUpperCase())}" ${number} "" "${roffLine(`agentd ${version}`)}" "agentd manual"`,
    '.ad l',
    '.SH NAME',
    `${roffText(name)} \\- ${roffText(says)}`,
  ]
}

/** A section with its heading; none for no lines. */
export function section(heading: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [`.SH ${heading}`, ...lines]
}

/** A term on a line of its own, and behind it what it means. */
export function item(term: string, says: string): readonly string[] {
  const words = term.split(/(?<=[ ,])/).map((word) => {
    const text = roffLine(word.trimEnd())
    return `${word.startsWith('<') || word.startsWith('[') ? italic(text) : bold(text)}${word.endsWith(' ') ? ' ' : ''}`
  })
  return ['.TP', words.join(''), says === '' ? '\\&' : roffText(says)]
}
