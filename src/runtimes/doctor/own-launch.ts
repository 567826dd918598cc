/**
 * How an entry of ours starts agentd, whatever form its runtime has for that.
 */
import { readShellWords } from '../edits/shell-words.ts'
import type { Launch } from '../setup/files/launch.ts'
import { textsOf } from './config-text.ts'

/** Whether two ways to start agentd are one. */
export function isSameLaunch(a: Launch, b: Launch): boolean {
  return a.node === b.node && a.script === b.script
}

/** Of `command` and `args`, of one list, or of one line of a shell. */
export function launchOf(entry: Readonly<Record<string, unknown>>): Launch | undefined {
  const { command, args, bash } = entry
  if (typeof command === 'string' && Array.isArray(args)) return pairOf([command, ...textsOf(args)])
  if (Array.isArray(command)) return pairOf(textsOf(command))
  const line = typeof command === 'string' ? command : bash
  const words = typeof line === 'string' ? readShellWords(line) : undefined
  return words && pairOf(words.flatMap((word) => (word.kind === 'word' ? [word.text] : [])))
}

function pairOf([node, script]: readonly string[]): Launch | undefined {
  return node === undefined || script === undefined ? undefined : { node, script }
}
