/**
 * The command tree. Help, completion and the documentation test read it; nothing runs by building it.
 */
import { Command, CommanderError, Option } from 'commander'
import { approveCommand, rejectCommand } from './commands/needs/approve.ts'
import { decideCommand } from './commands/needs/decide.ts'
import { dismissCommand } from './commands/needs/dismiss.ts'
import { needsCommand } from './commands/needs/needs.ts'
import { accordCommand } from './commands/authority/accord.ts'
import { askCommand } from './commands/frames/ask.ts'
import { auditCommand } from './commands/audit/audit.ts'
import { boardCommand } from './commands/leases/board.ts'
import { lockCommand } from './commands/leases/lock.ts'
import { locksCommand } from './commands/leases/locks.ts'
import { extendCommand, unlockCommand } from './commands/leases/unlock.ts'
import { configCommand } from './commands/daemon/config.ts'
import { completeCommand } from './commands/complete.ts'
import { completionCommand } from './commands/completion.ts'
import { helpCommand } from './commands/help.ts'
import { versionCommand } from './commands/version.ts'
import { envelopeCommand } from './commands/envelopes/envelope.ts'
import { handlesCommand } from './commands/authority/handles.ts'
import { historyCommand } from './commands/frames/history.ts'
import { inboxCommand } from './commands/frames/inbox.ts'
import { linkCommand } from './commands/link/link.ts'
import { keysCommand } from './commands/envelopes/keys.ts'
import { mcpCommand } from './commands/runtimes/mcp.ts'
import { orgCommand } from './commands/authority/org.ts'
import { receiptsCommand } from './commands/frames/receipts.ts'
import { resolveCommand } from './commands/frames/resolve.ts'
import { rosterCommand } from './commands/frames/roster.ts'
import { serveCommand } from './commands/daemon/serve.ts'
import { serviceCommand } from './commands/daemon/service.ts'
import { storeCommand } from './commands/daemon/store.ts'
import { logsCommand } from './commands/daemon/logs.ts'
import { reportCommand } from './commands/daemon/report.ts'
import { startCommand } from './commands/daemon/start.ts'
import { statusCommand } from './commands/daemon/status.ts'
import { stopCommand } from './commands/daemon/stop.ts'
import { topCommand } from './commands/seat/top.ts'
import { uiCommand } from './commands/seat/ui.ts'
import { uninstallCommand } from './commands/daemon/uninstall.ts'
import { takeoverCommand } from './commands/frames/takeover.ts'
import { tailCommand } from './commands/frames/tail.ts'
import { setupCommand } from './commands/runtimes/setup.ts'
import { gitCommand } from './commands/runtimes/git.ts'
import { observeCommand } from './commands/runtimes/observe.ts'
import { gitHookCommand } from './commands/runtimes/git-hook.ts'
import { hookCommand } from './commands/runtimes/hook.ts'
import { doctorCommand } from './commands/runtimes/doctor.ts'
import { VERBS } from './commands/frames/verbs.ts'
import { wrapCommand } from './commands/envelopes/wrap.ts'
import { printError, printOut } from './terminal/print.ts'
import { formatExitCodes } from './help/exit-codes.ts'
import { placeOfHeading } from './help/groups.ts'
import { safeLine } from '../core/text/safe-text.ts'

/** What the root's own help adds. */
const EPILOGUE = `
${formatExitCodes()}

"agentd help <command>" shows its options and an example, "agentd help topics"
what is worth knowing besides.

Example: agentd advise "rewriting the token refresh" --file-ref src/auth.ts`

/** That the version was asked for by an option; what is printed depends on the others. */
export const VERSION_ASKED = 'agentd.version'

/** How a command line is to be. */
export interface ProgramOptions {
  /** Whether a program reads it: then nothing but JSON goes to stderr, and `reportFailure` says it. */
  readonly json?: boolean
  /** Takes in pieces what `--help` says, or what is said where a command is missing: that is no result. */
  readonly printHelp?: (text: string, isFault: boolean) => void
  /** The first word there is. Where it is a command that needs no other one to run, the others are not made. */
  readonly called?: string | undefined
}

/**
 * The whole command line, or as much of it as is called.
 *
 * @param runtimes - ids, for the help of the commands that take them
 */
export function createProgram(
  runtimes: readonly string[],
  { json = false, printHelp = printText, called = '' }: ProgramOptions = {},
): Command {
  const program = new Command('agentd')
    .description('Short messages between the coding-agent sessions on one machine')
    .option('-V, --version', 'print the version, as -v does')
    .addOption(new Option('-v').hideHelp())
    .option('--socket <path>', 'the socket of the daemon')
    .option('--token <token>', 'act as the session that registered with this token (or AGENTD_TOKEN)')
    .option('--as <handle>', 'speak for another handle of yours, see "agentd handles" (or AGENTD_AS)')
    .option('--json', 'JSON for programs instead of text for people')
    .option('--quiet', 'print nothing but what was asked for')
    .option('--no-color', 'no colours (or NO_COLOR=1)')
    .option('--no-start', 'do not start the daemon when it is not running (or AGENTD_NO_START=1)')
    .helpOption('-h, --help', 'print this')
    .helpCommand(false)
    .addHelpText('after', EPILOGUE)
    .configureHelp({ showGlobalOptions: true, subcommandTerm: formatTerm })
    .configureOutput({
      writeOut: (text) => printHelp(text, false),
      writeErr: (text) => printHelp(text, true),
      outputError: (text) => printError(formatUsage(text)),
    })
    .exitOverride()
  if (json) program.configureOutput({ writeErr: () => {}, outputError: () => {} })
  for (const name of ['version', 'v']) program.on(`option:${name}`, askForVersion)
  if (standsAlone(called)) return program.addCommand(inherit(make(called, runtimes), program))
  for (const command of everyCommand(runtimes)) program.addCommand(inherit(command, program))
  return program.addCommand(inherit(completeCommand(), program), { hidden: true })
}

function printText(text: string, isFault: boolean): void {
  if (isFault) printError(text)
  else printOut(text)
}

function askForVersion(): never {
  throw new CommanderError(0, VERSION_ASKED, 'the version was asked for')
}

/** Makes a command. @param runtimes - their ids, for its help */
type Make = (runtimes: readonly string[]) => Command

/** Name → what makes it. */
const COMMANDS: Readonly<Record<string, Make>> = {
  serve: serveCommand,
  start: startCommand,
  stop: stopCommand,
  status: statusCommand,
  store: storeCommand,
  config: configCommand,
  logs: logsCommand,
  report: reportCommand,
  ask: askCommand,
  ...VERBS,
  lock: lockCommand,
  unlock: unlockCommand,
  extend: extendCommand,
  locks: locksCommand,
  takeover: takeoverCommand,
  needs: needsCommand,
  decide: decideCommand,
  approve: approveCommand,
  reject: rejectCommand,
  dismiss: dismissCommand,
  tail: tailCommand,
  roster: rosterCommand,
  resolve: resolveCommand,
  board: boardCommand,
  observe: observeCommand,
  ui: uiCommand,
  top: topCommand,
  history: historyCommand,
  inbox: inboxCommand,
  receipts: receiptsCommand,
  envelope: envelopeCommand,
  wrap: wrapCommand,
  keys: keysCommand,
  handles: handlesCommand,
  org: orgCommand,
  accord: accordCommand,
  link: linkCommand,
  audit: auditCommand,
  setup: setupCommand,
  doctor: doctorCommand,
  git: gitCommand,
  mcp: mcpCommand,
  hook: hookCommand,
  'git-hook': gitHookCommand,
  service: serviceCommand,
  uninstall: uninstallCommand,
  help: helpCommand,
  version: versionCommand,
  completion: completionCommand,
}

/** Those that speak of all the others. */
const OF_ALL = new Set(['help', 'completion'])

/** Whether a word is the name of a command that needs no other one to run. */
function standsAlone(word: string): boolean {
  return Object.hasOwn(COMMANDS, word) && !OF_ALL.has(word)
}

function make(name: string, runtimes: readonly string[]): Command {
  const command = COMMANDS[name]?.(runtimes)
  if (command?.name() !== name) throw new TypeError(`what is to make "${name}" makes "${command?.name()}"`)
  return command
}

/** All of them, in the order of their headings. */
function everyCommand(runtimes: readonly string[]): readonly Command[] {
  const made = Object.keys(COMMANDS).map((name) => make(name, runtimes))
  return made.toSorted((one, other) => placeOfHeading(one.helpGroup()) - placeOfHeading(other.helpGroup()))
}

/** Without `[options]`, which every command has: the descriptions then stand on one line each. */
function formatTerm(command: Command): string {
  const args = command.registeredArguments.map((argument) =>
    argument.required ? `<${argument.name()}>` : `[${argument.name()}]`,
  )
  return [command.name(), ...args].join(' ')
}

function inherit(command: Command, parent: Command): Command {
  command.copyInheritedSettings(parent).helpOption('-h, --help', 'print this')
  if (command.commands.length > 0) command.helpCommand('help [command]', 'Print how a command is used')
  for (const child of command.commands) inherit(child, command)
  return command
}

/** Commander begins with `error:`, and repeats what was typed. */
function formatUsage(text: string): string {
  const [first = '', ...rest] = text.trimEnd().split('\n')
  return `${[`agentd: ${first.replace(/^error: /, '')}`, ...rest].map((line) => safeLine(line)).join('\n')}\n`
}
