/**
 * How a runtime starts agentd, and how we know our own entries among those of others.
 *
 * Node and script stand as absolute paths: programs started from a desktop have no PATH of ours. The words
 * behind them are the marker of everything that set-up writes.
 *
 * @see docs/runtimes.md §8, §10 rule 7
 */
import { isJsonObject } from '../../../core/text/json-object.ts'
import { shellWord } from '../../../core/text/shell-word.ts'
import { curlLine, curlWaitLine, readCurlLine, type SocketCall, type WaitVariables } from './curl-line.ts'

/** What is started. */
export interface Launch {
  /** The absolute path of Node. */
  readonly node: string
  /** The real, absolute path of `bin/agentd.cjs`. */
  readonly script: string
  /** How lines reach the daemon without Node; undefined where no `curl` can do that. */
  readonly call?: SocketCall | undefined
}

/** What one of our hook entries is for: `wait` is the one that wakes an idle session. */
export type HookRole = 'hook' | 'wait'

const WAIT_FLAG = '--wait'

/** What the line does where Node or the script is gone: it takes the payload in, and ends well. */
const OTHERWISE = 'cat >/dev/null; exit 0'

/** What the package calls its command, and whether a shell finds one. */
const COMMAND_NAME = 'agentd'
const NAMED = `command -v ${COMMAND_NAME} >/dev/null 2>&1`

/** The script by its end: where it is installed differs from one machine to the next. */
const SCRIPT = /(?:^|\/)agentd\.cjs$/

/** Of every version: the first ones ended with the last word. */
const HOOK_LINE =
  /(?:\/agentd\.cjs'?|^command -v agentd >\/dev\/null 2>&1 && exec agentd) hook ([a-z-]+)( --wait)?(?:; cat >\/dev\/null; exit 0)?$/

/**
 * The line of an event: by `curl` where it can, else by Node. A session's start is always told by Node, which starts the
 * daemon where there is none, and says of the surroundings what only a child of the runtime sees (OP-02).
 */
export function eventLine(launch: Launch, runtime: string, isStart: boolean): string {
  const { call } = launch
  return call === undefined || isStart ? hookLine(launch, runtime) : curlLine(call, runtime)
}

/** The line of the hook that waits beside an idle session. */
export function waitLine(launch: Launch, runtime: string, variables: WaitVariables): string {
  const { call } = launch
  return call === undefined ? hookLine(launch, runtime, 'wait') : curlWaitLine(call, runtime, variables)
}

/**
 * One line of a shell, which is a runtime's own choice or the person's: every word of it means the same in all of them.
 *
 * It outlives what it starts. With Node or the package gone it prints nothing and ends with 0, and it reads its input
 * first: a runtime that cannot write it out says so (Codex). With both there, `exec` leaves one process, whose exit code
 * and signals are agentd's.
 */
export function hookLine({ node, script }: Launch, runtime: string, role: HookRole = 'hook'): string {
  const [program, file] = [shellWord(node), shellWord(script)]
  const words = [program, file, 'hook', runtime, ...(role === 'wait' ? [WAIT_FLAG] : [])]
  return `test -x ${program} && test -f ${file} && exec ${words.join(' ')}; ${OTHERWISE}`
}

/**
 * The line of a plugin that is published, and so knows no path of this machine: agentd by its name. It is `hookLine`
 * otherwise, and as quiet where there is none.
 */
export function namedLine(runtime: string, role: HookRole = 'hook'): string {
  const words = [COMMAND_NAME, 'hook', runtime, ...(role === 'wait' ? [WAIT_FLAG] : [])]
  return `${NAMED} && exec ${words.join(' ')}; ${OTHERWISE}`
}

/** Whether a line finds agentd by its name. */
export function isNamedLine(line: string): boolean {
  return line.startsWith(`${NAMED} && exec ${COMMAND_NAME} hook `)
}

/** The MCP server of such a plugin. */
export const NAMED_SERVER = { command: COMMAND_NAME, args: ['mcp'] } as const

/** The MCP server, for the usual pair of `command` and `args`. */
export function serverArguments({ node, script }: Launch): {
  readonly command: string
  readonly args: readonly string[]
} {
  return { command: node, args: [script, 'mcp'] }
}

/** Whether a hook entry is one of ours for this runtime, of whatever version; undefined for everybody else's. */
export function findHookRole(entry: unknown, runtime: string): HookRole | undefined {
  if (!isJsonObject(entry)) return undefined
  const args: unknown = Reflect.get(entry, 'args')
  if (Array.isArray(args)) return roleOfArguments(args, runtime)
  for (const name of ['command', 'bash']) {
    const line: unknown = Reflect.get(entry, name)
    if (typeof line !== 'string') continue
    const role = roleOfLine(line, runtime)
    if (role !== undefined) return role
  }
  return undefined
}

function roleOfLine(line: string, runtime: string): HookRole | undefined {
  const told = readCurlLine(line)
  if (told?.runtime === runtime) return told.role
  const [, found, wait] = HOOK_LINE.exec(line) ?? []
  if (found !== runtime) return undefined
  return wait === undefined ? 'hook' : 'wait'
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

/** The exec form, as earlier versions wrote it for Claude Code. */
function roleOfArguments(args: readonly unknown[], runtime: string): HookRole | undefined {
  const [script, word, found, flag, ...rest] = args
  if (!isScript(script) || word !== 'hook' || found !== runtime || rest.length > 0) return undefined
  if (flag === undefined) return 'hook'
  return flag === WAIT_FLAG ? 'wait' : undefined
}

function isScript(word: unknown): boolean {
  return typeof word === 'string' && SCRIPT.test(word)
}
