/** A tool's name, as it is the same in all spellings: `str_replace_editor`, `strReplaceEditor`. */
export function plainToolName(name: string): string {
  return name.toLowerCase().replaceAll(/[_-]/g, '')
}
