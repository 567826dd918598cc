/**
 * The arguments of a one-shot command, read without a library.
 *
 * It reads only what it fully understands. Whatever looks unusual is left to commander, which then says what
 * is wrong with it, so this file holds no messages.
 */
import { hasPronoun, isScopeText } from '../../protocol/address/recipient.ts'
import { VERB_COMMANDS, isVerbCommand } from './flags.ts'
import type { VerbArgument, VerbCommand, VerbFlag } from './verb-command.ts'

/** What was written, not yet looked into. */
export interface RawArguments {
  readonly positionals: readonly string[]
  /** Option name → its values, in order. */
  readonly flags: ReadonlyMap<string, readonly string[]>
}

/** A one-shot command as it was called. */
export interface VerbInvocation {
  readonly command: VerbCommand
  readonly raw: RawArguments
  readonly socket: string | undefined
  readonly token: string | undefined
  /** A further handle of the person's; only the full command line reads it. */
  readonly as?: string | undefined
  readonly json: boolean
  readonly quiet: boolean
}

/** Options of every command; `no-start` has no meaning on the way that starts nothing, nor `no-color` on one that paints nothing. */
const SWITCHES = new Set(['json', 'quiet', 'no-color', 'no-start'])
const PLACES = new Set(['socket', 'token'])

/** @returns undefined for everything the full command line has to look at */
export function readArgv(argv: readonly string[]): VerbInvocation | undefined {
  const [word = '', ...words] = argv
  if (!isVerbCommand(word)) return undefined
  const command: VerbCommand = VERB_COMMANDS[word]
  const raw = readWords(command, words)
  if (raw === undefined || !isComplete(command, raw) || !isAddressed(raw)) return undefined
  const { flags } = raw
  if (command.tells === true && (!flags.has('quiet') || flags.has('json'))) return undefined
  return {
    command,
    raw,
    socket: flags.get('socket')?.at(-1),
    token: flags.get('token')?.at(-1),
    json: flags.has('json'),
    quiet: flags.has('quiet'),
  }
}

function readWords(command: VerbCommand, words: readonly string[]): RawArguments | undefined {
  const positionals: string[] = []
  const flags = new Map<string, string[]>()
  for (let i = 0; i < words.length; i += 1) {
    const word = words[i] ?? ''
    if (word === '--') return { positionals: [...positionals, ...words.slice(i + 1)], flags }
    if (!word.startsWith('-') || word === '-') {
      positionals.push(word)
      continue
    }
    const equals = word.indexOf('=')
    const name = word.slice(2, equals === -1 ? undefined : equals)
    const takesValue = word.startsWith('--') && isValueFlag(command, name)
    if (!takesValue && (equals !== -1 || !SWITCHES.has(name) || !word.startsWith('--'))) return undefined
    if (takesValue && equals === -1) i += 1
    const value = takesValue ? (equals === -1 ? words[i] : word.slice(equals + 1)) : ''
    // A value that looks like an option is more often a forgotten value.
    if (value === undefined || value.startsWith('-')) return undefined
    flags.set(name, [...(flags.get(name) ?? []), value])
  }
  return { positionals, flags }
}

function isValueFlag(command: VerbCommand, name: string): boolean {
  if (PLACES.has(name)) return true
  return findFlag(command, name) !== undefined && command.slow?.includes(name) !== true
}

/** Whether it says for itself whom it is for; a name takes a look at the roster, and `~org` one at charters. */
function isAddressed({ flags }: RawArguments): boolean {
  const written = [...(flags.get('to') ?? []), ...(flags.get('scope') ?? [])]
  return written.length <= 1 && written.every((text) => isScopeText(text) && !hasPronoun(text))
}

function findFlag(command: VerbCommand, name: string): VerbFlag | undefined {
  return command.flags.find((flag) => flag.name === name)
}

/** Whether an id names what it is of by itself; a beginning of one is looked up. */
export function isWholeId(text: string): boolean {
  return /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text)
}

/** Whether a beginning of an id, or another word for it, may stand there. */
function isLookedUp(form: VerbArgument['form']): boolean {
  return form === 'need' || form === 'lease'
}

/** Whether every argument and every required option is there, and none too many. */
function isComplete(command: VerbCommand, { positionals, flags }: RawArguments): boolean {
  const required = command.args.filter(({ optional }) => optional !== true)
  if (positionals.length < required.length || positionals.length > command.args.length) return false
  if (command.args.some(({ form }, i) => isLookedUp(form) && !isWholeId(positionals[i] ?? ''))) return false
  return command.flags.every((flag) => flag.required !== true || flags.has(flag.name))
}
