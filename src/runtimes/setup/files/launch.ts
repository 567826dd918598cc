/**
 * How a runtime starts agentd, and how we know our own entries among those of others.
 *
 * Node and script stand as absolute paths: programs started from a desktop have no PATH of ours. The words
 * behind them are the marker of everything that set-up writes.
 *
 * @see docs/runtimes.md §8, §10 rule 7
 */
import { isJsonObject } from '../../../core/text/json-object.ts'

/** What is started. */
export interface Launch {
  /** The absolute path of Node. */
  readonly node: string
  /** The real, absolute path of `bin/agentd.cjs`. */
  readonly script: string
}

/** What one of our hook entries is for: `wait` is the one that wakes an idle session. */
export type HookRole = 'hook' | 'wait'

const WAIT_FLAG = '--wait'

/** The script by its end: where it is installed differs from one machine to the next. */
const SCRIPT = /(?:^|\/)agentd\.cjs$/
const HOOK_LINE = /\/agentd\.cjs'? hook ([a-z-]+)( --wait)?$/

/** The exec form, for runtimes that start programs without a shell. */
export function hookArguments(
  launch: Launch,
  runtime: string,
  role: HookRole,
): Readonly<Record<string, unknown>> {
  const args = [launch.script, 'hook', runtime, ...(role === 'wait' ? [WAIT_FLAG] : [])]
  return { command: launch.node, args }
}

/** The same as one line of a shell. */
export function hookLine(launch: Launch, runtime: string): string {
  return `${shellWord(launch.node)} ${shellWord(launch.script)} hook ${runtime}`
}

/** The MCP server, for the usual pair of `command` and `args`. */
export function serverArguments({ node, script }: Launch): {
  readonly command: string
  readonly args: readonly string[]
} {
  return { command: node, args: [script, 'mcp'] }
}

/** Quoted only where a shell needs it, so that most lines read as a person would write them. */
export function shellWord(word: string): string {
  return /^[A-Za-z0-9_./+:@%=-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`
}

/** Whether a hook entry is one of ours for this runtime; undefined for everybody else's. */
export function findHookRole(entry: unknown, runtime: string): HookRole | undefined {
  if (!isJsonObject(entry)) return undefined
  const args: unknown = Reflect.get(entry, 'args')
  if (Array.isArray(args)) return roleOfArguments(args, runtime)
  for (const name of ['command', 'bash']) {
    const line: unknown = Reflect.get(entry, name)
    const [, found, wait] = (typeof line === 'string' && HOOK_LINE.exec(line)) || []
    if (found === runtime) return wait === undefined ? 'hook' : 'wait'
  }
  return undefined
}

/** Whether an MCP server is ours, in the form of `command` and `args` or of OpenCode's one list. */
export function isOwnServer(entry: unknown): boolean {
  if (!isJsonObject(entry)) return false
  const args: unknown = Reflect.get(entry, 'args')
  const command: unknown = Reflect.get(entry, 'command')
  const words: unknown[] = Array.isArray(args) ? args : Array.isArray(command) ? command : []
  const [script, word] = words.slice(-2)
  return word === 'mcp' && isScript(script)
}

function roleOfArguments(args: readonly unknown[], runtime: string): HookRole | undefined {
  const [script, word, found, flag, ...rest] = args
  if (!isScript(script) || word !== 'hook' || found !== runtime || rest.length > 0) return undefined
  if (flag === undefined) return 'hook'
  return flag === WAIT_FLAG ? 'wait' : undefined
}

function isScript(word: unknown): boolean {
  return typeof word === 'string' && SCRIPT.test(word)
}
