/**
 * Names by pattern, as the configuration, a charter and a link's rules write them.
 *
 * @see FED-61, FED-69
 */

/** Whether a pattern covers a name: the name itself, or, with `*` at its end, whatever begins with the rest. */
export function covers(pattern: string, name: string): boolean {
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern
}
