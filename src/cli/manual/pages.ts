/**
 * The manual pages, from the command tree: one for the program and one for each command, its subcommands within.
 */
import type { Command } from 'commander'
import { bold, italic, roffLine, roffText } from './roff.ts'
import { item, section, title } from './parts.ts'

/** A page of section 1. */
export interface ManualPage {
  /** Such as `agentd-send.1`. */
  readonly file: string
  readonly text: string
}

/** Columns of an example; it stands indented on a screen of 80. */
const EXAMPLE_WIDTH = 66

export function manualPages(program: Command, version: string): readonly ManualPage[] {
  const commands = program.createHelp().visibleCommands(program)
  const names = commands.map((command) => pageName(command))
  return [program, ...commands].map((command) => {
    const seeAlso =
      command === program
        ? names.map(reference).join(', ')
        : `${reference(program.name())}, for the options of every command.`
    return { file: `${pageName(command)}.1`, text: page(command, version, seeAlso) }
  })
}

/** `agentd`, or `agentd-send`. */
function pageName(command: Command): string {
  return command.parent === null ? command.name() : `${pageName(command.parent)}-${command.name()}`
}

function reference(name: string): string {
  return `${bold(roffText(name))}(1)`
}

/** @param seeAlso - as roff */
function page(command: Command, version: string, seeAlso: string): string {
  const name = pageName(command)
  const after = afterHelp(command)
  const isRoot = command.parent === null
  const lines = [
    ...title({ name, section: 1, version, says: command.description() }),
    '.SH SYNOPSIS',
    ...synopsis(command),
    ...section('DESCRIPTION', [
      roffText(`${command.description()}.`),
      ...paragraphs(after.paragraphs),
      ...parts(command),
    ]),
    ...(isRoot ? section('COMMANDS', commandList(command)) : command.commands.flatMap(subcommand)),
    ...section('EXIT STATUS', exitCodes(after.exitCodes)),
    ...section('EXAMPLES', after.examples.flatMap(example)),
    ...section('SEE ALSO', [seeAlso]),
  ]
  return `${lines.join('\n')}\n`
}

function paragraphs(texts: readonly string[]): readonly string[] {
  return texts.flatMap((text) => ['.PP', roffText(text)])
}

function synopsis(command: Command): readonly string[] {
  const [, ...rest] = usageOf(command).split(' ')
  const words = rest.map((word) => (/^[a-z]/.test(word) ? bold(roffText(word)) : italic(roffText(word))))
  return [[bold(roffText(command.parent === null ? command.name() : 'agentd')), ...words].join(' ')]
}

function usageOf(command: Command): string {
  return command.createHelp().commandUsage(command)
}

/** Its arguments and its options; those of every command stand with the program. */
function parts(command: Command): readonly string[] {
  const help = command.createHelp()
  const args = help
    .visibleArguments(command)
    .flatMap((argument) => item(help.argumentTerm(argument), help.argumentDescription(argument)))
  const options = help
    .visibleOptions(command)
    .flatMap((option) => item(option.flags, help.optionDescription(option)))
  return [
    ...(args.length === 0 ? [] : ['.SS Arguments', ...args]),
    ...(options.length === 0 ? [] : ['.SS Options', ...options]),
  ]
}

/** Under the headings of help, in its order. */
function commandList(program: Command): readonly string[] {
  const help = program.createHelp()
  const commands = help.visibleCommands(program)
  return commands.flatMap((command, i) => {
    const heading = command.helpGroup()
    const isNew = heading !== commands[i - 1]?.helpGroup()
    return [
      ...(isNew ? [`.SS ${roffLine(heading.replace(/:$/, ''))}`] : []),
      ...item(help.subcommandTerm(command), command.description()),
    ]
  })
}

function subcommand(command: Command): readonly string[] {
  const { examples, paragraphs: notes } = afterHelp(command)
  return [
    `.SH ${roffLine(command.name().toUpperCase())}`,
    ...synopsis(command),
    ...paragraphs([`${command.description()}.`, ...notes]),
    ...parts(command),
    ...(examples.length === 0 ? [] : ['.SS Example', ...examples.flatMap(example)]),
  ]
}

interface AfterHelp {
  readonly paragraphs: readonly string[]
  readonly exitCodes: readonly string[]
  readonly examples: readonly string[]
}

/** What a command's help adds at its end. */
function afterHelp(command: Command): AfterHelp {
  let text = ''
  command.configureOutput({ writeOut: (more) => void (text += more) }).outputHelp()
  const blocks = text
    .slice(command.helpInformation().length)
    .split(/\n\s*\n/)
    .map((block) => block.trim())
    .filter((block) => block !== '')
  const startingWith = (head: string) =>
    blocks.filter((block) => block.startsWith(head)).map((block) => block.slice(head.length))
  return {
    paragraphs: blocks.filter((block) => !/^(?:Example|Exit codes): /.test(block)),
    exitCodes: startingWith('Exit codes: ').flatMap((codes) => codes.replace(/\.$/, '').split(/,\s+(?=\d)/)),
    examples: startingWith('Example: '),
  }
}

function exitCodes(codes: readonly string[]): readonly string[] {
  return codes.flatMap((code) => {
    const [number = '', ...says] = code.split(/\s+/)
    return item(number, says.join(' '))
  })
}

function example(text: string): readonly string[] {
  return ['.EX', ...foldCommand(text).map((line) => roffLine(line)), '.EE']
}

/** A command line on as many lines as it needs, broken between words as a shell reads them. */
function foldCommand(text: string): readonly string[] {
  const words = text.match(/(?:[^\s'"]|'[^']*'|"[^"]*")+/g) ?? []
  const lines: string[] = []
  let line = ''
  for (const word of words) {
    const longer = line === '' ? word : `${line} ${word}`
    if (line !== '' && longer.length > EXAMPLE_WIDTH) {
      lines.push(`${line} \\`)
      line = `    ${word}`
    } else line = longer
  }
  return [...lines, line]
}
