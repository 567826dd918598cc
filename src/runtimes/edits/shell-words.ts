/**
 * A line of shell, cut into words and operators: only as far as it can be understood without running it.
 *
 * Whatever depends on more than the text itself (substitutions, subshells, control structures) makes the whole
 * line not understood. One pass over the text, linear in its length.
 */

/** A word or an operator. */
export type ShellToken =
  | {
      readonly kind: 'word'
      readonly text: string
      /** It stands for itself: no variable, no pattern, no home directory. */
      readonly isPlain: boolean
    }
  | { readonly kind: 'operator'; readonly text: string }

/** Longest first. */
const OPERATORS = [
  '<<<',
  '<<-',
  '&>>',
  '<<',
  '>>',
  '>|',
  '>&',
  '<&',
  '&>',
  '&&',
  '||',
  '|&',
  '<>',
  '>',
  '<',
  '|',
  '&',
  ';',
  '\n',
]

const PATTERNS = '*?[]{}'
const BLANKS = ' \t\r'

/** @returns undefined for a line that cannot be understood */
export function readShellWords(line: string): readonly ShellToken[] | undefined {
  const reader = new Reader(line)
  try {
    reader.run()
    return reader.tokens
  } catch (error) {
    if (error instanceof NotUnderstood) return undefined
    throw error
  }
}

class NotUnderstood extends Error {}

/** The word that is being read. */
interface Word {
  text: string
  isPlain: boolean
}

class Reader {
  readonly tokens: ShellToken[] = []
  readonly #line: string
  #at = 0
  #word: Word | undefined
  /** Ends of here-documents whose text begins behind this line. */
  #documents: { readonly end: string; readonly stripsTabs: boolean }[] = []
  /** Set between `<<` and the word that ends the document. */
  #awaits: '<<' | '<<-' | undefined

  constructor(line: string) {
    this.#line = line
  }

  run(): void {
    while (this.#at < this.#line.length) this.#step()
    this.#endWord()
    if (this.#documents.length > 0 || this.#awaits !== undefined) throw new NotUnderstood()
  }

  #step(): void {
    const char = this.#line[this.#at] ?? ''
    if (BLANKS.includes(char)) return this.#skipBlank()
    if (char === '#' && this.#word === undefined) return this.#skipComment()
    if (char === '\\') return this.#escape()
    if (char === "'") return this.#single()
    if (char === '"') return this.#double()
    if (char === '$') return this.#variable()
    if ('`()'.includes(char)) throw new NotUnderstood()
    const operator = OPERATORS.find((text) => this.#line.startsWith(text, this.#at))
    if (operator !== undefined) return this.#operator(operator)
    const isHome = char === '~' && this.#word === undefined
    return this.#add(char, !isHome && !PATTERNS.includes(char))
  }

  #add(text: string, isPlain = true): void {
    this.#word ??= { text: '', isPlain: true }
    this.#word.text += text
    this.#word.isPlain &&= isPlain
    this.#at += 1
  }

  #skipBlank(): void {
    this.#endWord()
    this.#at += 1
  }

  #skipComment(): void {
    const end = this.#line.indexOf('\n', this.#at)
    this.#at = end === -1 ? this.#line.length : end
  }

  #escape(): void {
    const next = this.#line[this.#at + 1]
    if (next === undefined) throw new NotUnderstood()
    this.#at += 1
    if (next === '\n') this.#at += 1
    else this.#add(next)
  }

  #single(): void {
    const end = this.#line.indexOf("'", this.#at + 1)
    if (end === -1) throw new NotUnderstood()
    this.#add(this.#line.slice(this.#at + 1, end))
    this.#at = end + 1
  }

  #double(): void {
    this.#add('')
    for (;;) {
      const char = this.#line[this.#at]
      if (char === undefined || char === '`') throw new NotUnderstood()
      if (char === '"') break
      if (char === '$') this.#variable()
      else if (char === '\\' && '"\\$`\n'.includes(this.#line[this.#at + 1] ?? 'x')) this.#escape()
      else this.#add(char)
    }
    this.#at += 1
  }

  /** `$NAME` is a word that is not plain; `$(…)`, `${…}` and `$'…'` are beyond us. */
  #variable(): void {
    if (!/[A-Za-z0-9_?#@*!$-]/.test(this.#line[this.#at + 1] ?? '')) throw new NotUnderstood()
    this.#add('$', false)
  }

  #operator(text: string): void {
    // `2>file`: the number belongs to the operator.
    const descriptor =
      /^[<>]/.test(text) && /^\d+$/.test(this.#word?.text ?? '') ? this.#word?.text : undefined
    if (descriptor === undefined) this.#endWord()
    else this.#word = undefined
    this.#at += text.length
    if (text === '<<' || text === '<<-') this.#awaits = text
    else this.tokens.push({ kind: 'operator', text: `${descriptor ?? ''}${text}` })
    if (text === '\n') this.#skipDocuments()
  }

  #endWord(): void {
    const word = this.#word
    this.#word = undefined
    if (word === undefined) return
    if (this.#awaits === undefined) {
      this.tokens.push({ kind: 'word', ...word })
      return
    }
    this.#documents.push({ end: word.text, stripsTabs: this.#awaits === '<<-' })
    this.#awaits = undefined
  }

  #skipDocuments(): void {
    for (const { end, stripsTabs } of this.#documents) {
      for (;;) {
        if (this.#at >= this.#line.length) throw new NotUnderstood()
        const newline = this.#line.indexOf('\n', this.#at)
        const stop = newline === -1 ? this.#line.length : newline
        const text = this.#line.slice(this.#at, stop)
        this.#at = stop + 1
        if ((stripsTabs ? text.replace(/^\t+/, '') : text) === end) break
      }
    }
    this.#documents = []
  }
}
