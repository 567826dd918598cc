/**
 * A word as a shell takes it for one.
 */

/** Quoted only where a shell needs it, so that most lines read as a person would write them. */
export function shellWord(word: string): string {
  return /^[A-Za-z0-9_./+:@%=-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`
}
