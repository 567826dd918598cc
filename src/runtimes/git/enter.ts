/**
 * The way in for git: reads what it has to say and keeps every failure from it.
 */
import { readSync } from 'node:fs'
import { isatty } from 'node:tty'
import { isGitHook } from './hooks.ts'
import { answerGitHook, type HookSurroundings } from './run-hook.ts'

const STDIN = 0

/** Lines of a push that are read; the rest is not told. */
const MAX_INPUT_OCTETS = 65_536

/**
 * Runs a hook by name. Never rejects: nobody reads what a hook complains about, and git would stop at it.
 *
 * @param args - what git gives the hook
 */
export async function enterGitHook(
  name: string,
  args: readonly string[],
  surroundings: HookSurroundings,
): Promise<void> {
  if (!isGitHook(name)) return
  try {
    const input = name === 'pre-push' && !isatty(STDIN) ? readInput() : ''
    await answerGitHook({ name, args, input }, surroundings)
  } catch {
    // A defect here is worth less than the commit it would cost.
  }
}

function readInput(): string {
  const bytes = Buffer.alloc(MAX_INPUT_OCTETS)
  let length = 0
  while (length < bytes.length) {
    const count = readSync(STDIN, bytes, length, bytes.length - length, null)
    if (count === 0) break
    length += count
  }
  return bytes.toString('utf8', 0, length)
}
