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
import { verbCommands } from './commands/frames/verbs.ts'
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

/**
 * The whole command line.
 *
 * @param runtimes - ids, for the help of the commands that take them
 * @param json - whether a program reads it: then nothing but JSON goes to stderr, and `reportFailure` says it
 * @param printHelp - takes in pieces what `--help` says, or what is said where a command is missing: that is no result
 */
export function createProgram(
  runtimes: readonly string[],
  json = false,
  printHelp: (text: string, isFault: boolean) => void = (text, isFault) =>
    isFault ? printError(text) : printOut(text),
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
  const inOrder = commands(runtimes).toSorted(
    (one, other) => placeOfHeading(one.helpGroup()) - placeOfHeading(other.helpGroup()),
  )
  for (const command of inOrder) program.addCommand(inherit(command, program))
  program.addCommand(inherit(completeCommand(), program), { hidden: true })
  return program
}

function askForVersion(): never {
  throw new CommanderError(0, VERSION_ASKED, 'the version was asked for')
}

function commands(runtimes: readonly string[]): readonly Command[] {
  return [
    serveCommand(),
    startCommand(),
    stopCommand(),
    statusCommand(),
    storeCommand(),
    configCommand(),
    logsCommand(),
    reportCommand(),
    askCommand(),
    ...verbCommands(),
    lockCommand(),
    unlockCommand(),
    extendCommand(),
    locksCommand(),
    takeoverCommand(),
    needsCommand(),
    decideCommand(),
    approveCommand(),
    rejectCommand(),
    dismissCommand(),
    tailCommand(),
    rosterCommand(),
    resolveCommand(),
    boardCommand(),
    observeCommand(),
    uiCommand(),
    topCommand(),
    historyCommand(),
    inboxCommand(),
    receiptsCommand(),
    envelopeCommand(),
    wrapCommand(),
    keysCommand(),
    handlesCommand(),
    orgCommand(),
    accordCommand(),
    linkCommand(),
    auditCommand(),
    setupCommand(runtimes),
    doctorCommand(runtimes),
    gitCommand(),
    mcpCommand(),
    hookCommand(runtimes),
    gitHookCommand(),
    serviceCommand(),
    uninstallCommand(),
    helpCommand(),
    versionCommand(),
    completionCommand(runtimes),
  ]
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
