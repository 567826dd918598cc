/**
 * `agentd link hub run`: the hub's server in the foreground, with the streams and the estate it is to have. A service manager
 * runs the same.
 *
 * @see FED-12
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { ensurePrivateDirectory } from '../../../host/config/paths.ts'
import { hubStore } from '../../../host/links/hub-folder.ts'
import { principalOf } from '../../../link/realm.ts'
import { AuthorityFolder } from '../../authority/authority-folder.ts'
import type { CommandContext } from '../../run/command-context.ts'
import { EXIT, type ExitCode } from '../../run/exit.ts'
import { reportTrouble } from '../../run/report.ts'
import { prepareHub, type Prepared } from './hub-engine.ts'
import type { HubFile } from './kept/hub-file.ts'
import { HubHome } from './kept/hub-home.ts'
import { documentsOf } from './kept/hub-realms.ts'
import { requireServerProgram } from './hub-server.ts'
import { claimRun } from './one-server.ts'

/** How long the server gets until it listens; it looks through its whole store first. */
const LISTENING_MS = 60_000

/** Its warnings and worse, as it marks them; the rest is of interest to whoever runs it alone. */
const WORTH_TELLING = /\[(?:WRN|ERR|FTL)\]\s*(.*)$|^(nats-server: .*)$/

/** The command's work: ends when the server does. */
export async function runHub(context: CommandContext): Promise<ExitCode> {
  const { environment, output } = context
  const home = new HubHome(environment)
  home.require()
  const program = requireServerProgram(environment)
  const sole = await claimRun(home, (pid) =>
    output.note(`The hub that ran here was killed and has left its server, pid ${pid}; that ends now.`),
  )
  try {
    ensurePrivateDirectory(hubStore(environment), environment)
    const server = spawn(program, ['-c', home.configPath], { stdio: ['ignore', 'inherit', 'pipe'] })
    sole.started(server.pid)
    passOn(server.stderr)
    return await minded(server, () => prepare(server, home, context))
  } finally {
    await sole.release()
  }
}

/** Passes on that it is to end, until it does. @param begun - begins what is done meanwhile, and says how that is given up */
async function minded(
  server: ChildProcess,
  begun: () => { readonly work: Promise<void>; readonly over: AbortController },
): Promise<ExitCode> {
  let isAsked = false
  const stop = (): void => {
    isAsked = true
    server.kill('SIGTERM')
  }
  // The last one: the terminal was closed.
  const heeded = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  for (const signal of heeded) process.on(signal, stop)
  const { work, over } = begun()
  try {
    await once(server, 'exit')
    // Whoever ends it gets what they wanted, whatever the server says of a signal.
    return isAsked ? EXIT.done : EXIT.unreachable
  } finally {
    over.abort()
    await work
    for (const signal of heeded) process.off(signal, stop)
  }
}

/** Gives it its streams and documents as soon as it listens; a server that cannot be given them is no hub, and ends. */
function prepare(server: ChildProcess, home: HubHome, { environment, output }: CommandContext) {
  const over = new AbortController()
  const give = (hub: HubFile): Promise<Prepared> => {
    const documents = documentsOf(hub, new AuthorityFolder(environment))
    const content = { hub, ca: home.authority(), documents }
    return prepareHub(content, { waitMs: LISTENING_MS, signal: over.signal })
  }
  const work = async (): Promise<void> => {
    const hub = home.require()
    let prepared = await give(hub)
    // A command that changed who is let in came between the server's look at its configuration and ours.
    if (prepared.kind === 'fault' && prepared.isUnknownKey) prepared = await give(home.require())
    if (over.signal.aborted) return
    const { urls, realm } = hub
    if (prepared.kind === 'ready')
      output.say(
        `the hub of ${principalOf(realm)} serves at ${urls.join(', ')} (nats-server ${prepared.server})`,
      )
    else {
      const message = `The hub could not be made ready: ${prepared.why}`
      reportTrouble({ code: 'unreachable', message }, output.json)
      server.kill('SIGTERM')
    }
  }
  return { work: work(), over }
}

/** What matters of what the server writes, on our own stderr. */
function passOn(lines: Readable): void {
  createInterface({ input: lines }).on('line', (line) => {
    const [, warning, fault] = WORTH_TELLING.exec(line) ?? []
    const told = warning ?? fault
    if (told !== undefined) process.stderr.write(`nats-server: ${told}\n`)
  })
}
