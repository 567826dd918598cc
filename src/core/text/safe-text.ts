/**
 * Untrusted text made fit for a terminal or for the context of a model.
 *
 * Frames carry what some web page or repository may have written. Escape sequences, bidirectional overrides,
 * zero-width and tag characters never get through; the words do.
 *
 * @see
 */
import { PLAIN, UNSEEN_RANGES } from './unseen.ts'

/** Controls, format characters (bidirectional, zero-width, tags), line separators, invisibles, and lone surrogates. */
const UNSAFE = new RegExp(`[${UNSEEN_RANGES}\\u{d800}-\\u{dfff}]`, 'gu')

/** What a line break becomes where only one line is to be had. */
const LINE_BREAK_MARK = ' ⏎ '

/** One line: line breaks shown as a mark, tabs as a space, everything unsafe removed. */
export function safeLine(text: string): string {
  if (PLAIN.test(text)) return text
  return text
    .replaceAll(/\r\n|\r|\n/g, LINE_BREAK_MARK)
    .replaceAll('\t', ' ')
    .replaceAll(UNSAFE, '')
}

/** Several lines: line feeds stay, everything else as in {@link safeLine}. */
export function safeBlock(text: string): string {
  return text
    .split(/\r\n|\r|\n/)
    .map((line) => safeLine(line))
    .join('\n')
}
