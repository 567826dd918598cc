/**
 * The files that a line of shell writes, where that is beyond doubt.
 *
 * A redirection into a named file, `tee`, `sed -i`, `mv`, `cp`, `rm`, `git mv`, `git rm`, and `cd` before them.
 * Everything else (`git apply`, scripts, loops, patterns, variables) names no file, and what it writes is not
 * guessed: a warning about a file nobody touched costs more trust than a missing one.
 */
import { readShellWords, type ShellToken } from './shell-words.ts'

/** Files one line is taken to write. */
const MAX_FILES = 32

/** Beginnings of what is no simple command; then the line as a whole is not understood. */
const STRUCTURES = new Set([
  'if',
  'then',
  'else',
  'elif',
  'fi',
  'for',
  'while',
  'until',
  'do',
  'done',
  'case',
  'esac',
  'select',
  'function',
  '[[',
  '!',
  'time',
  'coproc',
  'eval',
  'exec',
  'source',
  '.',
  'pushd',
  'popd',
  'alias',
  'trap',
])

const INTO_FILE = new Set(['>', '>>', '>|', '1>', '1>>', '1>|', '&>', '&>>'])
const REDIRECTION = /^\d*(?:<<<|<>|>>|>\||>&|<&|>|<)$|^&>>?$/

/** A command without pipes, and what stood before it. */
interface SimpleCommand {
  readonly words: readonly Word[]
  readonly targets: readonly Word[]
  /** The operator before it; empty for the first. */
  readonly before: string
  /** The operator behind it. */
  readonly after: string
}

type Word = Extract<ShellToken, { kind: 'word' }>

/** What a line of shell writes, and where it goes. */
export interface ShellRun {
  /** Paths as they stand in the line, behind the directory that `cd` went to; each once. */
  readonly files: readonly string[]
  /** The directory it ends in, seen from the one it began in; empty for the same, undefined where the line does not say. */
  readonly endsIn: string | undefined
}

const NOT_UNDERSTOOD: ShellRun = { files: [], endsIn: undefined }

/** Reads a line without running it. */
export function readShellRun(line: string): ShellRun {
  const tokens = readShellWords(line)
  const commands = tokens && splitCommands(tokens)
  if (commands === undefined) return NOT_UNDERSTOOD
  const found = new Set<string>()
  let directory: string | undefined = ''
  for (const command of commands) {
    const name = command.words[0]?.text ?? ''
    if (STRUCTURES.has(name) || command.words[0]?.isPlain === false) return NOT_UNDERSTOOD
    if (name === 'cd') {
      directory = isPiped(command) ? undefined : enter(directory, command.words)
      continue
    }
    // What stands behind `||` runs only when something has failed.
    if (command.before === '||') continue
    for (const { text, isPlain } of [...command.targets, ...written(command.words)]) {
      const path = isPlain ? inDirectory(directory, text) : undefined
      if (path !== undefined) found.add(path)
    }
  }
  return { files: [...found].slice(0, MAX_FILES), endsIn: directory }
}

/** @returns undefined when a redirection has no target */
function splitCommands(tokens: readonly ShellToken[]): readonly SimpleCommand[] | undefined {
  const commands: SimpleCommand[] = []
  let words: Word[] = []
  let targets: Word[] = []
  let before = ''
  const finish = (after: string): void => {
    if (words.length > 0 || targets.length > 0) commands.push({ words, targets, before, after })
    words = []
    targets = []
    before = after
  }
  for (let i = 0; i < tokens.length; i += 1) {
    const token = tokens[i]
    if (token === undefined) break
    if (token.kind === 'word') {
      // `NAME=value` in front of a command is none of its words.
      if (words.length > 0 || !/^[A-Za-z_]\w*=/.test(token.text)) words.push(token)
    } else if (REDIRECTION.test(token.text)) {
      i += 1
      const target = tokens[i]
      if (target?.kind !== 'word') return undefined
      if (INTO_FILE.has(token.text)) targets.push(target)
    } else {
      finish(token.text)
    }
  }
  finish('')
  return commands
}

function isPiped({ before, after }: SimpleCommand): boolean {
  return ['|', '|&', '&', '||'].includes(before) || ['|', '|&', '&'].includes(after)
}

/** Where `cd` leads; undefined when the line does not say. */
function enter(directory: string | undefined, words: readonly Word[]): string | undefined {
  const [, target, more] = words
  if (target === undefined || more !== undefined || !target.isPlain || target.text.startsWith('-'))
    return undefined
  return inDirectory(directory, target.text)
}

function inDirectory(directory: string | undefined, path: string): string | undefined {
  if (path === '' || path.startsWith('/dev/') || path.startsWith('/proc/')) return undefined
  if (path.startsWith('/') || directory === '') return path
  return directory === undefined ? undefined : `${directory}/${path}`
}

/** What a command writes by itself, besides redirections. */
function written(words: readonly Word[]): readonly Word[] {
  const [name, ...rest] = words
  switch (name?.text ?? '') {
    case 'tee':
      return operands(rest, /^-(?:a|i|ai|ia)$|^--append$/) ?? []
    case 'sed':
      return editedInPlace(rest)
    case 'mv':
      return pair(operands(rest, /^-[fnvi]+$/))
    case 'cp':
      return pair(operands(rest, /^-[fpvi]+$/)).slice(1)
    case 'rm':
      return operands(rest, /^-[fiv]+$/) ?? []
    case 'git':
      return inGit(rest)
    default:
      return []
  }
}

function inGit([name, ...rest]: readonly Word[]): readonly Word[] {
  if (name?.text === 'mv') return pair(operands(rest, /^-[fkv]+$/))
  return name?.text === 'rm' ? (operands(rest, /^-[fq]+$/) ?? []) : []
}

/** Two files; with more of them the last is a directory. */
function pair(found: readonly Word[] | undefined): readonly Word[] {
  const [from, to] = found ?? []
  if (found?.length !== 2 || from === undefined || to === undefined) return []
  if (!to.text.endsWith('/')) return found
  const base = from.text.slice(from.text.lastIndexOf('/') + 1)
  return [from, { ...to, text: `${to.text}${base}`, isPlain: from.isPlain && to.isPlain }]
}

/** What follows the options; undefined when there is an option that may change what the rest means. */
function operands(words: readonly Word[], harmless: RegExp): readonly Word[] | undefined {
  const end = words.findIndex(({ text }) => text === '--')
  const [before, after] = end === -1 ? [words, []] : [words.slice(0, end), words.slice(end + 1)]
  const options = before.filter(({ text }) => text.startsWith('-') && text !== '-')
  if (!options.every(({ text }) => harmless.test(text))) return undefined
  return [...before.filter(({ text }) => !text.startsWith('-')), ...after]
}

/** `sed -i`, `sed -i.bak`, and the `sed -i ''` of BSD. */
function editedInPlace(words: readonly Word[]): readonly Word[] {
  const files: Word[] = []
  let isInPlace = false
  let hasScript = false
  for (let i = 0; i < words.length; i += 1) {
    const word = words[i]
    if (word === undefined) break
    const { text } = word
    if (/^(?:-[nErsuz]*i|--in-place(?:=|$))/.test(text)) {
      isInPlace = true
      if (text === '-i' && words[i + 1]?.text === '') i += 1
    } else if (/^(?:-e|-f|--expression|--file)$/.test(text)) {
      hasScript = true
      i += 1
    } else if (/^--(?:expression|file)=/.test(text)) {
      hasScript = true
    } else if (text.startsWith('-') && !/^-[nErsuz]+$/.test(text)) {
      return []
    } else if (!text.startsWith('-')) {
      files.push(word)
    }
  }
  const named = hasScript ? files : files.slice(1)
  // `sed -i .bak s/a/b/ file`: on BSD the suffix stands apart, and on GNU it would be the script.
  const isSuffix = !hasScript && files[0]?.text.startsWith('.') === true
  return isInPlace && !isSuffix ? named : []
}
