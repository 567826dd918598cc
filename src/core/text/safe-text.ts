/**
 * Untrusted text made fit for a terminal or for the context of a model.
 *
 * Frames carry what some web page or repository may have written. Escape sequences, bidirectional overrides,
 * zero-width and tag characters never get through; the words do.
 *
 * @see
 */

/** Controls, format characters (bidirectional, zero-width, tags), line separators, lone surrogates, invisibles. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu

/** What a line break becomes where only one line is to be had. */
const LINE_BREAK_MARK = ' ⏎ '

/** One line: line breaks shown as a mark, tabs as a space, everything unsafe removed. */
export function safeLine(text: string): string {
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
