/**
 * What a recipient is written as: a scope of the wire, or what a person calls a session.
 *
 * It imports nothing: the short ways of the command line read it too.
 *
 * @see memo §6; docs/http.md §4; FED-60
 */

/** What the three sorts of scope begin with; a name, an id and an entity cannot. */
const SCOPE_HEADS = ['~', 'org:', 'accord:']

/** Whether a text is meant as a scope, which the daemon reads; anything else is looked up on the roster. */
export function isScopeText(text: string): boolean {
  return SCOPE_HEADS.some((head) => text.startsWith(head))
}

/** `~org` where a handle stands: alone, or behind the sort of the scope. */
const PRONOUN = /^(?:org:|accord:)?~org(?=\/|$)/

/** Whether a text has the pronoun `~org` in the place of a handle: it is resolved before anything is sent (ACQ-10). */
export function hasPronoun(text: string): boolean {
  return PRONOUN.test(text)
}

/**
 * A scope with an organisation's handle in the place of the pronoun. By itself, `~org` is all members of it.
 *
 * @param org - a handle, `~acme`
 * @returns undefined for what means nothing: sessions of an organisation, which has none
 */
export function withOrganisation(text: string, org: string): string | undefined {
  if (text === '~org' || text === '~org/*') return `org:${org}/members/*`
  return text.startsWith('~org/') ? undefined : text.replace('~org', org)
}
