/**
 * What there is to complete: the command tree, as plain data.
 */
import type { Command, Option } from 'commander'

/** One option. */
export interface OptionWord {
  /** With its dashes. */
  readonly name: string
  readonly says: string
  readonly takesValue: boolean
  readonly choices: readonly string[]
}

/** One command, or one of its subcommands. */
export interface CommandWord {
  /** Below the program: `['service', 'install']`; empty for the program itself. */
  readonly path: readonly string[]
  readonly says: string
  readonly options: readonly OptionWord[]
  /** Names that may come next: subcommands, or the values of the first argument. */
  readonly next: readonly NextWord[]
}

/** A word that may come next. */
interface NextWord {
  readonly name: string
  readonly says: string
}

/** The program first, every subcommand behind its parent. */
export function describeCommands(program: Command): readonly CommandWord[] {
  return describe(program, [], commonOptions(program))
}

function describe(
  command: Command,
  path: readonly string[],
  common: readonly OptionWord[],
): readonly CommandWord[] {
  const own = command.options.map(describeOption)
  const options = [...own.filter(({ name }) => common.every((option) => option.name !== name)), ...common]
  const word: CommandWord = { path, says: command.description(), options, next: nextWords(command) }
  return [word, ...command.commands.flatMap((child) => describe(child, [...path, child.name()], common))]
}

/** Options that stand on every command. */
function commonOptions(program: Command): readonly OptionWord[] {
  const help = { name: '--help', says: 'print how it is used', takesValue: false, choices: [] }
  return [...program.options.filter(({ long }) => long !== '--version').map(describeOption), help]
}

function describeOption({ long, short, description, argChoices, required }: Option): OptionWord {
  return { name: long ?? short ?? '', says: description, takesValue: required, choices: argChoices ?? [] }
}

function nextWords(command: Command): readonly NextWord[] {
  const children = command.commands.map((child) => ({ name: child.name(), says: child.description() }))
  const [argument] = command.registeredArguments
  const choices = (argument?.argChoices ?? []).map((name) => ({ name, says: argument?.description ?? '' }))
  return [...children, ...choices]
}
