/**
 * What a terminal is drawn on with: the whole seat, or one screen as text.
 *
 * @see SEAT-39
 */

/** The whole seat, or why it is one screen as text. */
export type ScreenForm = 'full' | 'dumb' | 'no-color'

/**
 * What the variables make of a terminal: one that says it is dumb obeys nothing, and `NO_COLOR` asks for text.
 *
 * @param isPlain - whether the whole seat was asked for without colours
 */
export function screenFormOf(
  env: Readonly<Record<string, string | undefined>>,
  isPlain: boolean,
): ScreenForm {
  if (!env['TERM'] || env['TERM'] === 'dumb') return 'dumb'
  return env['NO_COLOR'] && !isPlain ? 'no-color' : 'full'
}
