/**
 * Letting go of what has been remembered longest.
 */

/** How much is remembered, and how many go together. */
export interface EvictionBound {
  readonly most: number
  readonly atOnce: number
}

/**
 * Forgets the oldest when there are too many. Many at once: a map or a set walks over what was deleted at its front
 * every time somebody asks for its first.
 */
export function evictOldest(
  kept: Pick<Map<string, unknown>, 'size' | 'keys' | 'delete'>,
  { most, atOnce }: EvictionBound,
): void {
  if (kept.size <= most) return
  for (const name of kept.keys()) {
    if (kept.size <= most - atOnce) return
    kept.delete(name)
  }
}
