/**
 * `agentd help`: the help of a command, or a page on a topic.
 */
import { Command } from 'commander'
import { UsageError } from '../../core/errors.ts'
import { editDistance } from '../../core/text/edit-distance.ts'
import { quoted } from '../../core/text/quoted.ts'
import { runs, type CommandContext } from '../run/command-context.ts'
import { EXIT, type ExitCode } from '../run/exit.ts'
import { mayPage } from '../run/options.ts'
import { GROUPS } from '../help/groups.ts'

/** How many letters a word may be off that is no beginning of a name, and how many near ones are named. */
const NEAR = 2
const MOST_NEAR = 3

/** The command. */
export function helpCommand(): Command {
  return new Command('help')
    .helpGroup(GROUPS.command)
    .description('Print how a command is used, or a page on a topic')
    .argument('[word...]', 'a command, one within it, or a topic; "topics" lists them')
    .addHelpText('after', '\nExample: agentd help topics\n         agentd help scopes')
    .option('--no-pager', 'print it all at once, however long it is')
    .action(runs(help))
}

async function help({ args, output, program, options }: CommandContext): Promise<ExitCode> {
  const command = findCommand(program, args)
  if (command !== undefined) {
    const text = textOf(command)
    output.data({ help: args.join(' '), text })
    output.answerLong(text, mayPage(options))
    return EXIT.done
  }
  const { TOPICS, TOPIC_LIST, formatTopics } = await import('../help/topics.ts')
  const [word = ''] = args
  if (args.length === 1 && word === TOPIC_LIST) {
    output.data({ topics: TOPICS.map(({ name, says }) => ({ name, says })) })
    output.answerLong(formatTopics(), mayPage(options))
    return EXIT.done
  }
  const topic = args.length === 1 ? TOPICS.find(({ name }) => name === word) : undefined
  if (topic === undefined) throw unknown(args, [...TOPICS.map(({ name }) => name), TOPIC_LIST], program)
  const { formatTopic } = await import('../help/topic.ts')
  const text = formatTopic(topic)
  output.data({ help: topic.name, text })
  output.answerLong(text, mayPage(options))
  return EXIT.done
}

/** The program itself for no words. */
function findCommand(program: Command, words: readonly string[]): Command | undefined {
  return words.reduce<Command | undefined>(
    (found, word) => found?.commands.find((command) => command.name() === word),
    program,
  )
}

/** All that `--help` prints, what stands behind the options as well. */
function textOf(command: Command): string {
  let text = ''
  const print = (more: string): void => void (text += more)
  command.configureOutput({ writeOut: print }).outputHelp()
  return text.trimEnd()
}

function unknown(words: readonly string[], topics: readonly string[], program: Command): UsageError {
  const [first = ''] = words
  const names = [...program.commands.map((command) => command.name()), ...topics]
  const near = names
    .flatMap((name) => {
      const distance = name.startsWith(first) ? 0 : editDistance(first, name, NEAR)
      return distance === undefined ? [] : [{ name, distance }]
    })
    .toSorted((one, other) => one.distance - other.distance)
    .slice(0, MOST_NEAR)
    .map(({ name }) => name)
  const meant =
    near.length === 0 ? '"agentd help topics" lists the topics' : `did you mean ${near.join(', ')}?`
  return new UsageError(
    `There is no command and no topic ${quoted(words.join(' '))}; ${meant}${near.length === 0 ? '.' : ''}`,
  )
}
