/**
 * How people name intents in a configuration: one exactly, or all below a dotted prefix.
 *
 * @see AEE-052, AEE-093
 */

/** What ends a prefix: `ops.backup.*` is everything below `ops.backup`. */
const BELOW = '.*'

/** Whether a text is an intent, a prefix ending in `.*`, or `*` for all; a star anywhere else means nothing. */
export function isIntentPattern(text: string): boolean {
  const name = text.endsWith(BELOW) ? text.slice(0, -BELOW.length) : text
  return text === '*' || (name !== '' && !name.includes('*'))
}

/** Whether a pattern covers an intent; `ops.*` covers `ops.backup.status.check`, and not `ops` itself. */
export function coversIntent(pattern: string, intent: string): boolean {
  if (pattern === '*' || pattern === intent) return true
  return pattern.endsWith(BELOW) && intent.startsWith(pattern.slice(0, -1))
}
