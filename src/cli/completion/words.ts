/**
 * What there is to complete: the command tree, as plain data.
 */
import type { Argument, Command, Option } from 'commander'
import { isAskedSource, sourceOf, type AskedSource } from './sources.ts'

/** What may stand at a place. */
export interface Values {
  /** Known when the script is written. */
  readonly words: readonly string[]
  /** Asked for when a key is pressed. */
  readonly asked: AskedSource | undefined
}

/** One option. */
export interface OptionWord extends Values {
  /** With its dashes. */
  readonly name: string
  readonly says: string
  /** Whether the next word is its value: always, or where that begins with no dash. */
  readonly takes: 'nothing' | 'value' | 'perhaps'
}

/** One argument, in its place. */
export interface ArgumentWord extends Values {
  readonly says: string
  /** Whether further words are the same. */
  readonly isVariadic: boolean
}

/** One command, or one of its subcommands. */
export interface CommandWord {
  /** Below the program: `['service', 'install']`; empty for the program itself. */
  readonly path: readonly string[]
  readonly says: string
  readonly options: readonly OptionWord[]
  readonly next: readonly NextWord[]
  readonly args: readonly ArgumentWord[]
}

/** A subcommand that may come next. */
interface NextWord {
  readonly name: string
  readonly says: string
}

/** What does not change while the script is in use. */
export interface FixedWords {
  readonly runtimes: readonly string[]
  readonly topics: readonly string[]
  readonly configKeys: readonly string[]
}

/** The program first, every subcommand behind its parent; without what help does not show. */
export function describeCommands(program: Command, fixed: FixedWords): readonly CommandWord[] {
  return new Description(program, fixed).of(program, [])
}

class Description {
  readonly #program: Command
  readonly #fixed: FixedWords
  /** Options that stand on every command. */
  readonly #common: readonly OptionWord[]

  constructor(program: Command, fixed: FixedWords) {
    this.#program = program
    this.#fixed = fixed
    const help = { name: '--help', says: 'print how it is used', takes: 'nothing', ...NO_VALUES } as const
    const own = program.options.filter(({ long }) => long !== undefined && long !== '--version')
    this.#common = [...own.map((option) => this.#option(option, [])), help]
  }

  of(command: Command, path: readonly string[]): readonly CommandWord[] {
    const own = command.options
      .filter(({ hidden, long }) => !hidden && long !== undefined)
      .map((option) => this.#option(option, path))
    const known = new Set(this.#common.map(({ name }) => name))
    const children = command.createHelp().visibleCommands(command)
    const word: CommandWord = {
      path,
      says: command.description(),
      options: [...own.filter(({ name }) => !known.has(name)), ...this.#common],
      next: children.map((child) => ({ name: child.name(), says: child.summary() || child.description() })),
      args: command.registeredArguments.map((argument) => this.#argument(argument, path)),
    }
    return [word, ...children.flatMap((child) => this.of(child, [...path, child.name()]))]
  }

  #option(option: Option, path: readonly string[]): OptionWord {
    const [, placeholder = ''] = /[<[]([^\s\].>]+)/.exec(option.flags) ?? []
    return {
      name: option.long ?? '',
      says: option.description,
      takes: option.required ? 'value' : option.optional ? 'perhaps' : 'nothing',
      ...this.#values(option.argChoices, path, placeholder),
    }
  }

  #argument(argument: Argument, path: readonly string[]): ArgumentWord {
    const { description: says, variadic: isVariadic, argChoices } = argument
    return { says, isVariadic, ...this.#values(argChoices, path, argument.name()) }
  }

  #values(choices: readonly string[] | undefined, path: readonly string[], placeholder: string): Values {
    if (choices !== undefined) return { words: choices, asked: undefined }
    const source = sourceOf(path, placeholder)
    if (source === undefined) return NO_VALUES
    if (isAskedSource(source)) return { words: [], asked: source }
    const { runtimes, topics, configKeys } = this.#fixed
    const commands = this.#program.createHelp().visibleCommands(this.#program)
    const words = {
      runtimes,
      help: [...commands.map((command) => command.name()), ...topics],
      'config-keys': configKeys,
    }[source]
    return { words, asked: undefined }
  }
}

const NO_VALUES: Values = { words: [], asked: undefined }
