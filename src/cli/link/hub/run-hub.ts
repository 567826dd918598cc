/**
 * `agentd link hub run`: the hub's server in the foreground, with the streams and the estate it is to have. A service manager
 * runs the same.
 *
 * @see FED-12
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { ensurePrivateDirectory } from '../../../host/config/paths.ts'
import { HostRefusal } from '../../../host/files/refusal.ts'
import { hubStore } from '../../../host/links/hub-folder.ts'
import { principalOf } from '../../../link/realm.ts'
import { AuthorityFolder } from '../../authority/authority-folder.ts'
import type { CommandContext } from '../../run/command-context.ts'
import { EXIT, type ExitCode } from '../../run/exit.ts'
import { reportTrouble } from '../../run/report.ts'
import { prepareHub } from './hub-engine.ts'
import { HubHome } from './kept/hub-home.ts'
import { documentsOf } from './kept/hub-realms.ts'
import { findServer, requireServerProgram } from './hub-server.ts'

/** How long the server gets until it listens; it looks through its whole store first. */
const LISTENING_MS = 60_000

/** Its warnings and worse, as it marks them; the rest is of interest to whoever runs it alone. */
const WORTH_TELLING = /\[(?:WRN|ERR|FTL)\]\s*(.*)$|^(nats-server: .*)$/

/** The command's work: ends when the server does. */
export async function runHub(context: CommandContext): Promise<ExitCode> {
  const { environment, output } = context
  const home = new HubHome(environment)
  const hub = home.require()
  const program = requireServerProgram(environment)
  const running = findServer(home.pidPath)
  if (running !== undefined) throw new HostRefusal(`The hub runs already, pid ${running}.`)
  ensurePrivateDirectory(hubStore(environment), environment)
  const server = spawn(program, ['-c', home.configPath], { stdio: ['ignore', 'inherit', 'pipe'] })
  passOn(server.stderr)
  let isAsked = false
  const stop = (): void => {
    isAsked = true
    server.kill('SIGTERM')
  }
  const heeded = [
    ['SIGINT', stop],
    ['SIGTERM', stop],
    // The terminal was closed.
    ['SIGHUP', stop],
  ] as const
  for (const [signal, heed] of heeded) process.on(signal, heed)
  const over = new AbortController()
  try {
    const ended = once(server, 'exit')
    const documents = documentsOf(hub, new AuthorityFolder(environment))
    const prepared = await Promise.race([
      prepareHub({ hub, ca: home.authority(), documents }, { waitMs: LISTENING_MS, signal: over.signal }),
      ended.then(() => undefined),
    ])
    if (prepared?.kind === 'ready')
      output.say(
        `the hub of ${principalOf(hub.realm)} serves at ${hub.urls.join(', ')} (nats-server ${prepared.server})`,
      )
    if (prepared?.kind === 'fault') {
      reportTrouble(
        { code: 'unreachable', message: `The hub could not be made ready: ${prepared.why}` },
        output.json,
      )
      server.kill('SIGTERM')
    }
    await ended
    // Whoever ends it gets what they wanted, whatever the server says of a signal.
    return isAsked ? EXIT.done : EXIT.unreachable
  } finally {
    over.abort()
    for (const [signal, heed] of heeded) process.off(signal, heed)
  }
}

/** What matters of what the server writes, on our own stderr. */
function passOn(lines: Readable): void {
  createInterface({ input: lines }).on('line', (line) => {
    const [, warning, fault] = WORTH_TELLING.exec(line) ?? []
    const told = warning ?? fault
    if (told !== undefined) process.stderr.write(`nats-server: ${told}\n`)
  })
}
