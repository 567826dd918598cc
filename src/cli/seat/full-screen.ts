/**
 * Whether a terminal can be drawn on.
 *
 * @see SEAT-39
 */

/** One that says it is dumb obeys nothing. */
export function isFullScreen(env: Readonly<Record<string, string | undefined>>): boolean {
  return env['TERM'] !== undefined && env['TERM'] !== '' && env['TERM'] !== 'dumb'
}
