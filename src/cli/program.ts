/**
 * The command tree. Help, completion and the documentation test read it; nothing runs by building it.
 */
import { Command } from 'commander'
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
import { completionCommand } from './commands/completion.ts'
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
import { printOut } from './terminal/print.ts'
import { packageVersion } from '../host/package.ts'
import { safeLine } from '../core/text/safe-text.ts'

/** What the root's own help adds. */
const EPILOGUE = `
Exit codes: 0 done, 1 refused by the daemon, 2 wrong usage, 3 nobody listening or nothing there,
4 deadline passed, 69 daemon not reachable, 70 a defect, 78 a place that is not safe.

Example: agentd advise "rewriting the token refresh" --file-ref src/auth.ts`

/** The whole command line. @param runtimes - ids, for the help of the commands that take them */
export function createProgram(runtimes: readonly string[]): Command {
  const program = new Command('agentd')
    .description('Short messages between the coding-agent sessions on one machine')
    .version(packageVersion(), '-V, --version', 'print the version')
    .option('--socket <path>', 'the socket of the daemon')
    .option('--token <token>', 'act as the session that registered with this token (or AGENTD_TOKEN)')
    .option('--as <handle>', 'speak for another handle of yours, see "agentd handles" (or AGENTD_AS)')
    .option('--json', 'JSON for programs instead of text for people')
    .option('--quiet', 'print nothing but what was asked for')
    .option('--no-start', 'do not start the daemon when it is not running (or AGENTD_NO_START=1)')
    .helpOption('-h, --help', 'print this')
    .helpCommand('help [command]', 'Print how a command is used')
    .addHelpText('after', EPILOGUE)
    .configureHelp({ showGlobalOptions: true, subcommandTerm: formatTerm })
    .configureOutput({ writeOut: printOut, outputError: (text, write) => write(formatUsage(text)) })
    .exitOverride()
  for (const command of commands(runtimes)) program.addCommand(inherit(command, program))
  return program
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
    ...verbCommands(),
    lockCommand(),
    unlockCommand(),
    extendCommand(),
    locksCommand(),
    takeoverCommand(),
    askCommand(),
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
    mcpCommand(),
    doctorCommand(runtimes),
    hookCommand(runtimes),
    gitCommand(),
    gitHookCommand(),
    setupCommand(runtimes),
    serviceCommand(),
    uninstallCommand(),
    completionCommand(),
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
  for (const child of command.commands) inherit(child, command)
  return command
}

/** Commander begins with `error:`, and repeats what was typed. */
function formatUsage(text: string): string {
  const [first = '', ...rest] = text.trimEnd().split('\n')
  return `${[`agentd: ${first.replace(/^error: /, '')}`, ...rest].map((line) => safeLine(line)).join('\n')}\n`
}
