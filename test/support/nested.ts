/**
 * Values and texts nested so deeply that a function that calls itself for each level has no stack for them.
 */

/** More levels than `JSON.stringify` has a stack for, and few enough to fit a frame. */
const LEVELS = 30_000

/** The text of a JSON object with as many lists in its one member, or as many as are said. */
export function nestedText(levels = LEVELS): string {
  return `{"a":${'['.repeat(levels)}${']'.repeat(levels)}}`
}

/** As {@link nestedText}, parsed. */
export function nestedObject(levels = LEVELS): Record<string, unknown> {
  let list: unknown[] = []
  for (let level = 1; level < levels; level += 1) list = [list]
  return { a: list }
}
