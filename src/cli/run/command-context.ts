/**
 * What every command gets: the common options, read once, and a place to speak.
 */
import type { Command } from 'commander'
import { readEnvironment, type Environment } from '../../host/config/paths.ts'
import type { ExitCode } from './exit.ts'
import { readFlag, readTextOption, type Options } from './options.ts'
import { Output } from '../terminal/output.ts'

/** One command as it was called. */
export interface CommandContext {
  readonly environment: Environment
  readonly output: Output
  readonly socket: string | undefined
  /** A session's bearer token; undefined for the principal. */
  readonly token: string | undefined
  /** A further handle of the person's to speak for; undefined for the principal. */
  readonly as: string | undefined
  /** Whether a daemon that is not running may be started. */
  readonly mayStart: boolean
  readonly options: Options
  readonly args: readonly string[]
  /** The whole command tree. */
  readonly program: Command
}

/** What a command does. One that runs another program ends with that program's code. */
export type CommandWork = (context: CommandContext) => ExitCode | Promise<ExitCode | ChildExit>

/** The exit code of a program that was run; any code at all. */
export interface ChildExit {
  readonly code: number
}

/** Commander's side of a command: reads the context, does the work, keeps the exit code. */
export function runs(work: CommandWork): (...parsed: unknown[]) => Promise<void> {
  return async (...parsed) => {
    // Commander hands over the arguments, the options and, last, the command itself.
    const command = parsed.at(-1)
    if (!isCommand(command)) throw new TypeError('commander did not hand over its command')
    const exit = await work(contextOf(command))
    process.exitCode = typeof exit === 'object' ? exit.code : exit
  }
}

function contextOf(command: Command): CommandContext {
  const environment = readEnvironment()
  const { env } = environment
  const options: Options = command.optsWithGlobals()
  return {
    environment,
    output: new Output({
      json: readFlag(options, 'json'),
      quiet: readFlag(options, 'quiet'),
      color: options['color'] !== false,
      env,
    }),
    socket: readTextOption(options, 'socket'),
    // An empty variable is how a shell says "none".
    token: readTextOption(options, 'token') ?? (env['AGENTD_TOKEN'] || undefined),
    as: readTextOption(options, 'as') ?? (env['AGENTD_AS'] || undefined),
    mayStart: options['start'] !== false && !env['AGENTD_NO_START'],
    options,
    args: command.args,
    program: rootOf(command),
  }
}

function rootOf(command: Command): Command {
  return command.parent === null ? command : rootOf(command.parent)
}

function isCommand(value: unknown): value is Command {
  return value instanceof Object && 'optsWithGlobals' in value
}
