/**
 * A commit's message as git hands it to a hook: where it ends, and the trailers somebody has put under it.
 */

/** The line below which `git commit --verbose` shows what is no part of the message, behind the comment mark. */
const SCISSORS = ' ------------------------ >8 ------------------------'

/** What a hook needs to know of the repository to read one. */
export interface MessageForm {
  /** What a comment begins with; `#` unless `core.commentChar` says otherwise. */
  readonly commentMark: string
}

/** With trailers alone in it, a message would no longer count as empty, and leaving it empty is how one aborts. */
export function hasText(text: string, form: MessageForm): boolean {
  return ownLines(text, form).some((line) => line.trim() !== '' && !line.startsWith(form.commentMark))
}

/**
 * The message without the trailers of this name in its last paragraph (HD-21).
 *
 * Names are compared whole: `Acted-By-Proxy` is another one, though git takes either for the other's beginning.
 *
 * @param name - of letters and hyphens
 */
export function withoutTrailer(text: string, name: string, form: MessageForm): string {
  const lines = text.split('\n')
  const [start, end] = lastParagraph(lines, form)
  const isNamed = new RegExp(`^${name}[ \\t]*:`, 'i')
  let isDropping = false
  const kept = lines.filter((line, at) => {
    if (at < start || at >= end) return true
    // A line that begins with white space goes on with the one before.
    if (/^[ \t]/.test(line)) return !isDropping
    isDropping = isNamed.test(line)
    return !isDropping
  })
  return kept.join('\n')
}

/** Whether its last paragraph has a trailer of this name and value. */
export function hasTrailer(
  text: string,
  trailer: { readonly name: string; readonly value: string },
  form: MessageForm,
): boolean {
  const lines = text.split('\n')
  const wanted = `${trailer.name}: ${trailer.value}`.toLowerCase()
  return lines.slice(...lastParagraph(lines, form)).some((line) => line.trim().toLowerCase() === wanted)
}

function ownLines(text: string, { commentMark }: MessageForm): readonly string[] {
  const lines = text.split('\n')
  const end = lines.indexOf(commentMark + SCISSORS)
  return end === -1 ? lines : lines.slice(0, end)
}

/** From where to where; empty for a message of one paragraph, which is its subject. */
function lastParagraph(lines: readonly string[], form: MessageForm): [start: number, end: number] {
  const isNothing = (line: string): boolean => line.trim() === '' || line.startsWith(form.commentMark)
  let end = ownLines(lines.join('\n'), form).length
  while (end > 0 && isNothing(lines[end - 1] ?? '')) end -= 1
  let start = end
  while (start > 0 && (lines[start - 1] ?? '').trim() !== '') start -= 1
  const isSubject = lines.slice(0, start).every(isNothing)
  return isSubject ? [end, end] : [start, end]
}
