/**
 * The seat at a terminal: its daemon, its parts of this machine, and its end.
 *
 * @see docs/ui.md "In a terminal"; SEAT-38…SEAT-40
 */
import { systemClock } from '../../core/clock.ts'
import type { Palette } from '../../core/display/palette.ts'
import { readConfigFile } from '../../host/config/config-file.ts'
import { readPersonKey } from '../../host/config/paths.ts'
import { Connection, type ClientParts } from '../../client/http/connection.ts'
import type { Terminal } from '../../ui/top/terminal/terminal.ts'
import type { Signing } from '../../ui/serve/upstream/signing.ts'
import type { Top } from '../../ui/top/top.ts'
import { KeyFolder } from '../keys/key-folder.ts'
import type { CommandContext } from '../run/command-context.ts'
import { diagnose } from '../run/diagnose.ts'
import { EXIT, type ExitCode } from '../run/exit.ts'
import { reachDaemon } from '../run/reach.ts'
import { reportTrouble } from '../run/report.ts'

/** What is needed of a command to sit at a terminal. */
export interface TopContext extends Pick<CommandContext, 'environment' | 'socket' | 'mayStart'> {
  /** Colours of the terminal. */
  readonly paint: Palette
}

/** Values of `ui.notify` with which more than the page calls the person. */
const CALLS: ReadonlySet<string> = new Set(['auto', 'system'])

/** A terminal that does not say how wide it is. */
const USUAL_COLUMNS = 80

/** One screen as text. @throws as reaching the daemon does */
export async function printTop(context: TopContext, say: (text: string) => void): Promise<ExitCode> {
  const { stdout } = process
  const { socketPath, clientParts } = await findDaemon(context)
  const { readOnce } = await import('../../ui/top/once.ts')
  const connection = new Connection(socketPath, clientParts)
  try {
    const look = { columns: stdout.columns || USUAL_COLUMNS, paint: context.paint }
    const lines = await readOnce(connection, look)
    say(lines.join('\n'))
    return EXIT.done
  } finally {
    connection.close()
  }
}

/**
 * Sits there until the person quits.
 *
 * @param taken - where the first screen stands already: the terminal, and who lets go of it
 * @throws as reaching the daemon does, before anything else was done
 */
export async function runTop(
  context: TopContext,
  taken?: { readonly terminal: Terminal; readonly release: () => void },
): Promise<ExitCode> {
  const { paint } = context
  const { env } = context.environment
  const { stdin, stdout } = process
  // The daemon answers while the rest of the seat is read.
  const [daemon, { Top }] = await Promise.all([findDaemon(context), import('../../ui/top/top.ts')])
  const loadSigning = signingOf(context, daemon.principal)
  const terminal = taken?.terminal ?? (await takeTerminal(paint))
  taken?.release()
  const mayCall = CALLS.has(readConfigFile(context.environment).ui.notify)
  const top = new Top({ ...daemon, terminal, input: stdin, output: stdout, paint, env, mayCall, loadSigning })
  const heeded = heedEndings(top, terminal)
  try {
    await top.run()
  } catch (error) {
    terminal.giveBack()
    return tellDefect(error)
  } finally {
    heeded.ignore()
  }
  // Node would look after a terminal that is gone, and abort; the signal itself ends the process without a word.
  if (heeded.hasHungUp()) process.kill(process.pid, 'SIGHUP')
  return EXIT.done
}

/** Read each time: a key may be made or revoked while the seat is open. */
function signingOf({ environment }: TopContext, principal: string): () => Promise<Signing> {
  return async () => {
    const { Signing } = await import('../../ui/serve/upstream/signing.ts')
    return new Signing(
      (entity) => new KeyFolder(environment).read().findSigner(entity, Date.now()),
      principal,
    )
  }
}

function tellDefect(error: unknown): ExitCode {
  const { exit, trouble } = diagnose(error)
  reportTrouble(trouble, false)
  return exit
}

async function takeTerminal(paint: Palette): Promise<Terminal> {
  const { paintFirst } = await import('../../ui/top/terminal/first-screen.ts')
  return paintFirst(process.stdout, process.stdin, paint)
}

interface FoundDaemon {
  readonly socketPath: string
  readonly principal: string
  readonly clientParts: ClientParts
}

async function findDaemon(context: TopContext): Promise<FoundDaemon> {
  const client = await reachDaemon(context)
  const { socketPath, principal } = client
  await client.close()
  const { environment } = context
  const clientParts = {
    clock: systemClock,
    random: Math.random,
    readPersonKey: () => readPersonKey(environment),
  }
  return { socketPath, principal, clientParts }
}

interface Heeded {
  /** Whether the terminal has gone. */
  hasHungUp(): boolean
  ignore(): void
}

/** Whatever ends or stops the process, the terminal is as it was. */
function heedEndings(top: Top, terminal: Terminal): Heeded {
  let isGone = false
  const onEnd = (): void => top.quit()
  const onGone = (): void => {
    isGone = true
    top.quit()
  }
  const onGoOn = (): void => {
    // Who was stopped without being asked has it still, and others had it meanwhile.
    terminal.giveBack()
    top.resume()
  }
  const onDefect = (error: unknown): void => {
    terminal.giveBack()
    process.exit(tellDefect(error))
  }
  const heeded = [
    ['SIGINT', onEnd],
    ['SIGTERM', onEnd],
    ['SIGHUP', onGone],
    ['SIGTSTP', () => top.suspend()],
    ['SIGCONT', onGoOn],
    ['uncaughtException', onDefect],
    ['unhandledRejection', onDefect],
  ] as const
  for (const [name, heed] of heeded) process.on(name, heed)
  for (const stream of [process.stdin, process.stdout]) stream.on('error', onGone).on('end', onGone)
  return {
    hasHungUp: () => isGone,
    ignore() {
      for (const [name, heed] of heeded) process.off(name, heed)
    },
  }
}
