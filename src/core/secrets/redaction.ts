/**
 * Blacking out secrets in a text that somebody is about to send: credentials by their form, and what stands behind a name
 * that says secret.
 *
 * It never grows a text, so what fitted a bound still does, and leaves what it has blacked out alone.
 *
 * @see memo §14 (AC-186), AEE-089
 */
import { SECRET_FORMS, type SecretForm } from './secret-forms.ts'
import { isSecretName } from './secret-names.ts'

/** What stands where something was taken out. */
export const REDACTED = '[redacted]'

/** What was blacked out that is told by name; a text of nothing but secrets is not told in full. */
const MAX_TOLD = 8

/** A text without its secrets. */
export interface RedactedText {
  readonly text: string
  /** What was blacked out, each sort of thing once, such as `a GitHub token`; never the secret itself. */
  readonly found: readonly string[]
}

/** `password=`, `"token": `, `secret := `, also where quotes are escaped; or `--api-key `. */
const ASSIGNED =
  /(?:(?<![\w.$-])(?<name>[A-Za-z_$][\w.$-]{0,63})\\?["'`]?[ \t]{0,4}(?::=|=>|={1,3}|:)[ \t]{0,4}|(?<![\w-])--(?<flag>[A-Za-z][\w-]{0,63})(?:=|[ \t]{1,4}))/

/** What stands in quotes, to the same one. */
const QUOTED = /(?<open>\\?(?<quote>["'`]))(?<quoted>(?:(?!\\?\k<quote>)[^\n]){6,4096})/

/** A value without quotes ends where code goes on; taken whole or not at all, and none is called, indexed or filled in. */
const BARE = /(?=(?<bare>[^\s"'`,;(){}<>[\]\\&|$*%=][^\s"'`,;(){}<>[\]\\&|$]{5,4096}))\k<bare>(?![([$])/

/** A name, and what is given to it. */
const ASSIGNMENT = new RegExp(`(?<before>${ASSIGNED.source})(?:${QUOTED.source}|${BARE.source})`, 'g')

/** A cookie is several values, and all of it is one secret. */
const COOKIE = /(?<before>(?<![\w-])(?:set-)?cookie:[ \t]{0,4})(?<secret>[\w-]{1,64}=[^\r\n"'`]{6,2048})/gi

/** Blacks out every secret that is found. */
export function redactSecrets(text: string): RedactedText {
  const found = new Set<string>()
  let redacted = text
  for (const form of [...SECRET_FORMS, { what: 'a cookie', pattern: COOKIE, accepts: hasDigit }]) {
    redacted = withoutForm(redacted, form, found)
  }
  redacted = withoutAssigned(redacted, found)
  return { text: redacted, found: [...found].slice(0, MAX_TOLD) }
}

/** Whether a text holds a credential that is known by its form. */
export function holdsSecret(text: string): boolean {
  const found = new Set<string>()
  return SECRET_FORMS.some((form) => withoutForm(text, form, found) !== text)
}

function withoutForm(text: string, { what, pattern, accepts }: SecretForm, found: Set<string>): string {
  return text.replace(pattern, (match: string, ...rest: readonly unknown[]) => {
    const { before = '', secret = match.slice(before.length) } = groupsOf(rest)
    if (accepts !== undefined && !accepts(secret)) return match
    found.add(what)
    return before + blackedOut(secret)
  })
}

function withoutAssigned(text: string, found: Set<string>): string {
  return text.replace(ASSIGNMENT, (match: string, ...rest: readonly unknown[]) => {
    const { before = '', name, flag, open = '', quoted, bare = '' } = groupsOf(rest)
    const called = name ?? flag ?? ''
    const value = quoted ?? bare
    const isSecret = quoted === undefined ? isBareLiteral(value) : isQuotedLiteral(value, called)
    if (!isSecretName(called) || !isSecret) return match
    found.add(`the value of ${called}`)
    return before + open + blackedOut(value)
  })
}

/** The named groups, which a replacer is given last; those that took no part are left out. */
function groupsOf(rest: readonly unknown[]): Readonly<Record<string, string>> {
  const groups: unknown = rest.at(-1)
  if (typeof groups !== 'object' || groups === null) return {}
  return Object.fromEntries(
    Object.entries(groups).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  )
}

/** Algorithms and types, which code names behind a secret's name. */
const TERM = /^(?:(?:big)?u?int|float|utf|base|sha|md|[hrep]s|aes|ed|x|secp)-?\d{1,5}(?:-?[a-z]{1,6}\d?)?$/i

/** `/etc/x`, `src/token.ts:81`, `https://…`, `~alice/cc@s1`. */
const PLACE =
  /^(?:~[\w-]*\/|[.]{0,2}\/[\w.-]+(?:\/|$)|[\w+.-]+:\/\/|[\w@.-]+(?:\/[\w@.-]+)+\.[a-z]{1,5}(?::\d+)?$)/i

/** `auth2.token`: a member, not what it holds. */
const MEMBER = /^[A-Za-z_$][\w$]*(?:\??\.[A-Za-z_$][\w$]*)+$/

/** What only a name of this sort may have blanks in. */
const PHRASE = /pass(?:word|wd|phrase)$|pwd$/i

function isQuotedLiteral(value: string, name: string): boolean {
  if (/^[<{[$]|\$\{/.test(value) || (/\s/.test(value) && !PHRASE.test(name))) return false
  return isLiteral(value)
}

function isBareLiteral(value: string): boolean {
  return !MEMBER.test(value) && isLiteral(value)
}

/** Whether it is what somebody chose or drew, and not a word, a place or a piece of code. */
function isLiteral(value: string): boolean {
  return hasDigit(value) && /[A-Za-z]/.test(value) && !TERM.test(value) && !PLACE.test(value)
}

function hasDigit(text: string): boolean {
  return /\d/.test(text)
}

/** A short one is starred out in its own length. */
function blackedOut(secret: string): string {
  return secret.length < REDACTED.length ? '*'.repeat(secret.length) : REDACTED
}
