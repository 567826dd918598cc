/**
 * A row of the one-shot commands as commander has it: its arguments, its options, and what was written for them.
 */
import { Argument, Command, Option } from 'commander'
import type { CommandContext } from '../run/command-context.ts'
import { readTextOption } from '../run/options.ts'
import type { RawArguments } from './argv.ts'
import { GROUPS } from '../help/groups.ts'
import type { VerbCommand, VerbFlag } from './verb-command.ts'

/** With its help, and nothing to do yet. */
export function verbCommand(name: string, row: VerbCommand): Command {
  const command = new Command(name).helpGroup(GROUPS[row.group]).description(row.says)
  for (const { name: argument, optional, says } of row.args) {
    command.addArgument(new Argument(optional === true ? `[${argument}]` : `<${argument}>`, says))
  }
  for (const flag of row.flags) command.addOption(optionOf(flag))
  return command.addHelpText('after', `\nExample: ${row.example}`)
}

/** What was written, not yet looked into. */
export function rawArguments(command: VerbCommand, { args, options }: CommandContext): RawArguments {
  const flags = new Map<string, readonly string[]>()
  for (const flag of command.flags) {
    const attribute = optionOf(flag).attributeName()
    const value: unknown = options[attribute]
    if (Array.isArray(value)) flags.set(flag.name, value.map(String))
    const text = readTextOption(options, attribute)
    if (text !== undefined) flags.set(flag.name, [text])
    // Commander says "it is not" of an option that begins with `no-`, and "it is" where that was not given.
    if (flag.form === 'off' && value === false) flags.set(flag.name, [])
  }
  return { positionals: args, flags }
}

function optionOf(flag: VerbFlag): Option {
  const { value } = flag
  const option = new Option(value === undefined ? `--${flag.name}` : `--${flag.name} <${value}>`, flag.says)
  if (flag.choices !== undefined) option.choices([...flag.choices])
  // Which one it is, is read with the others, as on the short way.
  if (flag.form === 'kind') option.argParser((value) => value)
  if (flag.required === true) option.makeOptionMandatory()
  if (flag.form !== 'texts' && flag.form !== 'places') return option
  return option.argParser<readonly string[] | undefined>((value, earlier) => [...(earlier ?? []), value])
}
