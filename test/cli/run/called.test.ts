/** A command line of which only what is called is made. */
import type { Command } from 'commander'
import { expect, test } from 'vitest'
import { createProgram } from '../../../src/cli/program.ts'

const IDS = ['claude-code', 'codex']
const WHOLE = createProgram(IDS)

/** The help of a command and of all below it. */
function helpOf(command: Command): readonly string[] {
  return [command.helpInformation(), ...command.commands.flatMap((child) => helpOf(child))]
}

function called(word: string): Command {
  return createProgram(IDS, { called: word })
}

test('a command that is called is made by itself, and is what it is among all of them', () => {
  const alone = WHOLE.commands.filter((command) => called(command.name()).commands.length === 1)

  expect(alone.length).toBeGreaterThan(50)
  for (const command of alone) {
    const [made] = called(command.name()).commands
    expect(made && helpOf(made)).toEqual(helpOf(command))
  }
})

test.each(['help', 'completion', 'complete', 'rostr', '--json', '', 'constructor', '__proto__'])(
  'what speaks of the others, or is no command, has all of them: %j',
  (word) => {
    expect(called(word).helpInformation()).toBe(WHOLE.helpInformation())
    expect(called(word).commands.length).toBe(WHOLE.commands.length)
  },
)
