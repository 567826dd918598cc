/**
 * Texts of any length, as far as there is room for them.
 */

/** The text, or its first `maxLength` code units and an ellipsis; half a surrogate pair is no text and goes too. */
export function clip(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : `${text.slice(0, maxLength).replace(/[\uD800-\uDBFF]$/, '')}…`
}
