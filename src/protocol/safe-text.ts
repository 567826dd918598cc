/**
 * Untrusted text made fit for a terminal or for the context of a model.
 *
 * Frames carry what some web page or repository may have written. Escape sequences, bidirectional overrides,
 * zero-width and tag characters never get through; the words do.
 *
 * @see design
 */

/** Controls (C0, DEL, C1), bidirectional marks, zero-width and invisible characters, tags, lone surrogates. */
const UNSAFE =
  /[\u0000-\u001F\u007F-\u009F\u00AD\u061C\u180E\u200B-\u200F\u2028-\u202E\u2060-\u206F\uFE00-\uFE0F\uFEFF\uFFF9-\uFFFB\u{E0000}-\u{E0FFF}]|\p{Surrogate}/gu

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

const UNITS: readonly (readonly [number, string])[] = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'm'],
  [1_000, 's'],
]

/** An age as people say it: `now`, `42s`, `3m`, `5h`, `2d`. */
export function formatAge(ageMs: number): string {
  const unit = UNITS.find(([size]) => ageMs >= size)
  return unit === undefined ? 'now' : `${Math.floor(ageMs / unit[0])}${unit[1]}`
}
