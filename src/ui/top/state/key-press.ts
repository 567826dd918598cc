/**
 * A key as the person pressed it.
 */

/** Whether it writes itself; every other key has a name of several letters. */
export function isOneCharacter(key: string): boolean {
  return /^.$/su.test(key)
}

/** One press. */
export interface KeyPress {
  /** As `KeyboardEvent.key` has it: `a`, `Enter`, `ArrowUp`, `Escape`. */
  readonly key: string
  readonly isCtrl: boolean
  readonly isAlt: boolean
  /** Whether it stands in a text that was pasted: then it is text and nothing else. */
  readonly isPasted: boolean
}
