/**
 * One word for zsh and fish; both end a single quote the same way only without backslashes inside.
 */
export function quoteWord(text: string): string {
  return `'${text.replaceAll('\\', '').replaceAll("'", '’')}'`
}
