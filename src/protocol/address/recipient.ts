/**
 * What a recipient is written as: a scope of the wire, or what a person calls a session.
 *
 * It imports nothing: the short ways of the command line read it too.
 *
 * @see memo §6; docs/http.md §4
 */

/** What the three sorts of scope begin with; a name, an id and an entity cannot. */
const SCOPE_HEADS = ['~', 'org:', 'accord:']

/** Whether a text is meant as a scope, which the daemon reads; anything else is looked up on the roster. */
export function isScopeText(text: string): boolean {
  return SCOPE_HEADS.some((head) => text.startsWith(head))
}
