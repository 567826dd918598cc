/**
 * A marked block of ours in a shell script of somebody else's: a git hook.
 *
 * It comes last, unless the script ends itself before: what stands behind an `exec`, an `exit` or a sourced
 * file may never run, so there it comes first, below the head.
 *
 * @see docs/runtimes.md §5.4
 */
import { HostRefusal } from '../../../host/files/refusal.ts'

const BEGIN = '# >>> agentd >>> (agentd setup git --undo removes this)'
const END = '# <<< agentd <<<'

/** How a script that is made for the block begins. */
const HEAD = '#!/bin/sh\n'

/** Shells the block is written for. */
const SHELL = /^#!\s*(?:\/\S*\/)?(?:env\s+(?:-S\s+)?)?(?:\/\S*\/)?(?:sh|bash|dash|zsh|ksh)(?:\s|$)/

/** A command after which nothing may come any more. */
const LEAVES = /^[ \t]*(?:exec|exit|source|\.)(?:[ \t]|$)/m

/** @throws HostRefusal for a script in another language */
export function mergeShell(
  text: string,
  lines: readonly string[],
  path: string,
): { readonly text: string; readonly inserted: string } {
  const block = `${[BEGIN, ...lines, END].join('\n')}\n`
  const found = findBlock(text)
  if (found !== undefined) return { text: text.replace(found, () => block), inserted: block }
  if (text.trim() === '') return { text: HEAD + block, inserted: block }
  if (!SHELL.test(text)) {
    throw new HostRefusal(`${path} is left alone: it is not a shell script; call "agentd git-hook" from it.`)
  }
  if (LEAVES.test(text)) {
    const headEnd = text.indexOf('\n') + 1
    return { text: text.slice(0, headEnd) + block + text.slice(headEnd), inserted: block }
  }
  const inserted = text.endsWith('\n') ? block : `\n${block}`
  return { text: text + inserted, inserted }
}

/** Takes the block out, and what was made for it. */
export function stripShell(text: string, inserted: string | null): string {
  const found = findBlock(text)
  if (found === undefined) return text
  // With the line break that was put before it.
  const whole = inserted !== null && inserted.endsWith(found) && text.includes(inserted) ? inserted : found
  return text.replace(whole, '')
}

/** Whether nothing is left but what was made for the block. */
export function isBareShell(text: string): boolean {
  return text === HEAD || text.trim() === ''
}

/** The block as it stands in a script; undefined where there is none. */
export function findBlock(text: string): string | undefined {
  const from = text.startsWith(`${BEGIN}\n`) ? 0 : text.indexOf(`\n${BEGIN}\n`) + 1
  if (from === 0 && !text.startsWith(BEGIN)) return undefined
  const end = text.indexOf(`\n${END}`, from)
  if (end === -1) return undefined
  const to = end + 1 + END.length
  return text.slice(from, text[to] === '\n' ? to + 1 : to)
}
