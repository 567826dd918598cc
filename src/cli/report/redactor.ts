/**
 * Sentences of agentd's own with everything taken out that came from somewhere else: names, paths, handles, ids, and each word
 * that agentd itself is not written with. What is not certainly harmless goes.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { systemErrorCode } from '../../core/thrown.ts'

/** Folders and files of the package whose words are agentd's own. */
const OWN_FILES = ['dist/command', 'dist/bundle', 'dist/daemon/main.js']

/** A private word that is shorter would be found in everything. */
const MIN_NAME_CHARS = 2

/** What is kept of one sentence; those of agentd have some hundred characters. */
const MAX_SENTENCE_CHARS = 2_000

/** Dotted numbers, sizes and times: `1.2.3`, `v20.1`, `250ms`, `64`, `3 MiB`. */
const FIGURE = /^v?\d+(?:\.\d+){0,3}(?:ms|s|m|h|d|MiB|KiB|GiB|k)?$/

/** A figure of four parts is an address of a machine. */
const IP_ADDRESS = /^\d+\.\d+\.\d+\.\d+$/

/** A command of agentd's without a word of somebody else's is worth keeping. */
const OWN_COMMAND = /^agentd(?: -{0,2}[a-z]+)*$/

/** What stands for what was taken out. */
const MARKS = /(\[(?:name|path|handle|address|text|id|dist\/[\w./-]+(?::\d+)*)\])/

/** The words that agentd is written with, in lower case. @param packageRoot - where it is installed */
export function ownWords(packageRoot: string): ReadonlySet<string> {
  const words = new Set<string>()
  for (const path of OWN_FILES.flatMap((name) => filesAt(join(packageRoot, name))))
    for (const [word] of readFileSync(path, 'utf8').matchAll(/[A-Za-z]+/g)) words.add(word.toLowerCase())
  return words
}

function filesAt(path: string): readonly string[] {
  try {
    return readdirSync(path)
      .filter((name) => name.endsWith('.js'))
      .map((name) => join(path, name))
  } catch (error) {
    if (systemErrorCode(error) === 'ENOTDIR') return [path]
    if (systemErrorCode(error) === 'ENOENT') return []
    throw error
  }
}

/** Takes out what is private. */
export class Redactor {
  readonly #words: ReadonlySet<string>
  readonly #names: RegExp | undefined

  /**
   * @param words - lower case; what is not among them goes
   * @param names - of people, machines, sessions, links: they go although they may be among them
   */
  constructor(words: ReadonlySet<string>, names: readonly string[]) {
    this.#words = words
    const longestFirst = [...new Set(names)]
      .filter((name) => name.length >= MIN_NAME_CHARS)
      .toSorted((one, other) => other.length - one.length)
      .map((name) => name.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`))
    this.#names =
      longestFirst.length === 0
        ? undefined
        : new RegExp(String.raw`(?<![\p{L}\p{N}])(?:${longestFirst.join('|')})(?![\p{L}\p{N}])`, 'giu')
  }

  /** One sentence; what was taken out is marked in square brackets. */
  text(sentence: string): string {
    let text = sentence.slice(0, MAX_SENTENCE_CHARS).replaceAll(/[[\]]/g, ' ')
    text = text.replaceAll(
      /"([^"]*)"|`([^`]*)`/g,
      (_all, quoted: string | undefined, ticked: string | undefined) => {
        const inner = quoted ?? ticked ?? ''
        return OWN_COMMAND.test(inner) && this.#isOwn(inner) ? `"${inner}"` : '[text]'
      },
    )
    text = withoutPaths(text)
    if (this.#names !== undefined) text = text.replaceAll(this.#names, '[name]')
    text = text.replaceAll(/~[\w*.-]+/g, '[handle]').replaceAll(/\S+@\S+/g, '[address]')
    return text
      .split(MARKS)
      .map((part, i) => (i % 2 === 1 ? part : this.#ownOnly(part)))
      .join('')
  }

  /** A word such as a code, whole or not at all. */
  word(text: string): string {
    return /^[\w.-]{1,60}$/.test(text) && this.text(text) === text ? text : '[text]'
  }

  #isOwn(text: string): boolean {
    return this.#ownOnly(text) === text && (this.#names === undefined || text.search(this.#names) === -1)
  }

  #ownOnly(text: string): string {
    return text.replaceAll(/[\p{L}\p{N}_][\p{L}\p{M}\p{N}_.-]*/gu, (token) => {
      const bare = token.replace(/[.-]+$/, '')
      const end = token.slice(bare.length)
      if (FIGURE.test(bare) && !IP_ADDRESS.test(bare)) return token
      const parts = bare.split(/[_.-]+|(?<=[a-z])(?=[A-Z])/)
      return parts.every((part) => this.#words.has(part.toLowerCase())) ? token : `[id]${end}`
    })
  }
}

/**
 * Whatever has a slash in it, and a few words between two of them, which may be one path with blanks. Files of agentd's own
 * are named from `dist` on.
 */
function withoutPaths(text: string): string {
  return text.replaceAll(/\S*[/\\]\S*(?:(?: \S+){0,3} \S*[/\\]\S*)*/g, (found) => {
    const own = /(?:^|[/\\])(dist[/\\][\w./-]+\.c?js(?::\d+)*)\)?$/.exec(found)?.[1]
    return own === undefined || found.includes(' ') ? '[path]' : `[${own}]`
  })
}
