/**
 * Where a text stops being JSON. `JSON.parse` of Node 20 often does not say.
 */

/** A token that may follow any other, white space before it included; what a literal may not contain ends it. */
const SPACE = /[ \t\n\r]*/y
// oxlint-disable-next-line no-control-regex -- JSON forbids them in strings
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y
const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\d.eE+-])|true|false|null/y

/** Levels that are looked into: what goes deeper is refused by every reader, and would end the stack here. */
const MAX_LEVELS = 1_000

/** A place in a text, both counted from 1. */
export interface TextPlace {
  readonly line: number
  readonly column: number
}

/** @returns the place of the first character that cannot stand where it stands; undefined for valid JSON */
export function findJsonFault(text: string): TextPlace | undefined {
  const scan = new Scan(text)
  return scan.isWhole() ? undefined : placeOf(text, scan.at)
}

/** A reader of one text that stays where it could not go on. */
class Scan {
  at = 0
  #level = 0
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  isWhole(): boolean {
    return this.#value() && this.#at(SPACE) && this.at === this.#text.length
  }

  #value(): boolean {
    this.#at(SPACE)
    if (this.#is('{')) return this.#members('}', () => this.#name() && this.#value())
    if (this.#is('[')) return this.#members(']', () => this.#value())
    return this.#at(STRING) || this.#at(SCALAR)
  }

  #members(end: string, member: () => boolean): boolean {
    if (this.#is(end)) return true
    this.#level += 1
    if (this.#level > MAX_LEVELS) return false
    do if (!member()) return false
    while (this.#is(','))
    this.#level -= 1
    return this.#is(end)
  }

  #name(): boolean {
    this.#at(SPACE)
    return this.#at(STRING) && this.#is(':')
  }

  #is(mark: string): boolean {
    this.#at(SPACE)
    if (!this.#text.startsWith(mark, this.at)) return false
    this.at += mark.length
    return true
  }

  #at(token: RegExp): boolean {
    token.lastIndex = this.at
    const [found] = token.exec(this.#text) ?? []
    if (found === undefined) return false
    this.at += found.length
    return true
  }
}

function placeOf(text: string, offset: number): TextPlace {
  const before = text.slice(0, offset).split('\n')
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 }
}
