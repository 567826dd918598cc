/**
 * The commands that the documentation names in passing: each is one, and takes the options it is named with.
 */
import type { Command } from 'commander'
import { expect, test } from 'vitest'
import { createProgram } from '../../src/cli/program.ts'
import { PAGES, inlineCodeOf } from '../support/pages.ts'

/** Every way to read `agentd envelope send|get --json`: one list of words for each alternative. */
function readings(code: string): string[][] {
  const words = code.replaceAll(/[[\]]/g, '').split(' ').slice(1)
  return words.reduce<string[][]>(
    (lists, word) => word.split('|').flatMap((one) => lists.map((list) => [...list, one])),
    [[]],
  )
}

/** What of these words is no command, or no option of it; empty when all is well. */
function unknownIn(words: readonly string[]): readonly string[] {
  let command: Command = createProgram([])
  const options = ['--help', '--version', ...longsOf(command)]
  let depth = 0
  for (const word of words) {
    const next = command.commands.find((one) => one.name() === word)
    if (next === undefined) break
    command = next
    depth += 1
    options.push(...longsOf(command))
  }
  const rest = words.slice(depth)
  const isNamed = depth > 0 || /^[-<]/.test(words[0] ?? '')
  const takesWords = command.commands.length === 0 || rest.every((word) => /^[-<]/.test(word))
  return [
    ...(isNamed && takesWords ? [] : [words.join(' ')]),
    ...rest.filter((word) => word.startsWith('--') && !options.includes(word.replace(/=.*/, ''))),
  ]
}

function longsOf({ options }: Command): string[] {
  return options.flatMap(({ long }) => (typeof long === 'string' ? [long] : []))
}

test('every command that a page names in its prose exists, with the options it is named with', () => {
  const named = PAGES.flatMap((page) =>
    inlineCodeOf(page)
      .filter((code) => code.startsWith('agentd '))
      .map((code) => ({ path: page.path, code })),
  )
  const wrong = named.flatMap(({ path, code }) =>
    readings(code).flatMap((words) => unknownIn(words).map((word) => `${path}: ${code}: ${word}`)),
  )

  expect(named.length).toBeGreaterThan(50)
  expect(wrong).toEqual([])
})
