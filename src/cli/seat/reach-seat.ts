/**
 * The page's process: the one that runs for this daemon, or one that is started for the purpose.
 *
 * @see docs/ui.md; SEAT-15, SEAT-18
 */
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { callOnce } from '../../client/http/one-call.ts'
import { daemonVariables } from '../../host/process/child-variables.ts'
import { startDaemon } from '../../host/process/daemon-process.ts'
import { HostRefusal } from '../../host/files/refusal.ts'
import { ensurePrivateDirectory, stateDir, type Environment } from '../../host/config/paths.ts'
import type { CommandContext } from '../run/command-context.ts'
import { LAUNCHER } from '../run/launcher.ts'
import { reachDaemon } from '../run/reach.ts'
import { doorPath } from './place.ts'

/** How long a process that was just started, by us or by somebody faster, has until it answers at its door. */
const READY_MS = 5_000
const LOOK_EVERY_MS = 50

/** How long one that was asked to end has, in milliseconds. */
const GONE_MS = 5_000

/** What the process is started as. */
const ARGUMENTS = ['ui', '--foreground', '--no-open', '--quiet']

/** Where notices of the desktop are said, of whoever starts it. */
const DESKTOP_VARIABLES = ['DBUS_SESSION_BUS_ADDRESS', 'DISPLAY', 'WAYLAND_DISPLAY'] as const

/** A link, as the process tells it. */
export interface SeatLink {
  readonly url: string
  readonly pid: number
  readonly port: number
  readonly peerCheck: 'kernel' | 'unavailable'
  /** A file with the same key, to open a browser on; undefined where none was asked for, or none could be written. */
  readonly openFile: string | undefined
}

/** How a link is wanted: to be shown, or with a file to open a browser on. */
export type LinkUse = 'link' | 'open'

/** A link of the process that runs; undefined where none does. */
async function askForLink(socketPath: string, use: LinkUse): Promise<SeatLink | undefined> {
  const told = await knock(socketPath, `/${use}`)
  // A process of before an update knows of no file.
  if (told?.['code'] === 'not-found' && use === 'open') return askForLink(socketPath, 'link')
  return told === undefined ? undefined : readLink(told)
}

/** A link, after starting the daemon and the process where they are needed. */
export async function reachSeat(context: CommandContext, use: LinkUse): Promise<SeatLink> {
  const client = await reachDaemon(context)
  const { socketPath } = client
  await client.close()
  const link =
    (await askForLink(socketPath, use)) ?? (await startSeatProcess(context.environment, socketPath, use))
  if (link !== undefined) return link
  throw new HostRefusal(`The page's process does not answer; see ${seatLogPath(context.environment)}.`)
}

/** Whether a process serves the page of this daemon. */
export async function isSeatServed(socketPath: string): Promise<boolean> {
  return (await knock(socketPath, '/alive')) !== undefined
}

/** Asks the process that runs to end. @returns its number once it has; undefined where none runs */
export async function stopSeat(socketPath: string): Promise<number | undefined> {
  const told = await knock(socketPath, '/stop')
  if (told === undefined) return undefined
  const isGone = await soon(GONE_MS, async () => ((await isSeatServed(socketPath)) ? undefined : true))
  if (isGone === true) return Number(told['pid'])
  throw new HostRefusal(`The page's process (pid ${String(told['pid'])}) has not ended; end it by "kill".`)
}

/** Its log, where it runs in the background. */
function seatLogPath(environment: Environment): string {
  return join(stateDir(environment), 'ui.log')
}

async function startSeatProcess(
  environment: Environment,
  socketPath: string,
  use: LinkUse,
): Promise<SeatLink | undefined> {
  ensurePrivateDirectory(stateDir(environment), environment)
  const desktop = DESKTOP_VARIABLES.map((name) => [name, environment.env[name]] as const)
  const started = await startDaemon({
    what: "page's process",
    nodePath: process.execPath,
    entry: LAUNCHER,
    args: ARGUMENTS,
    env: { ...daemonVariables(environment), ...Object.fromEntries(desktop), AGENTD_SOCKET: socketPath },
    logPath: seatLogPath(environment),
  })
  if (started.kind === 'failed' || started.kind === 'refused') throw new HostRefusal(started.message)
  return soon(READY_MS, () => askForLink(socketPath, use))
}

/** One request at the door. @returns undefined where nobody opens */
async function knock(
  socketPath: string,
  path: string,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const door = doorPath(socketPath)
  const answer = await callOnce({ socketPath: door, method: 'POST', path, token: undefined })
  if (answer.kind !== 'answered') return undefined
  const body: unknown = JSON.parse(answer.text)
  return typeof body === 'object' && body !== null ? { ...body } : {}
}

function readLink(told: Readonly<Record<string, unknown>>): SeatLink {
  const { url, pid, port, peer_check: peerCheck, open_file: openFile } = told
  return {
    url: String(url),
    pid: Number(pid),
    port: Number(port),
    peerCheck: peerCheck === 'kernel' ? 'kernel' : 'unavailable',
    openFile: typeof openFile === 'string' ? openFile : undefined,
  }
}

/** Looks until there is something, or the time is over. */
async function soon<T>(boundMs: number, look: () => Promise<T | undefined>): Promise<T | undefined> {
  const deadlineMs = performance.now() + boundMs
  for (;;) {
    const found = await look()
    if (found !== undefined || performance.now() > deadlineMs) return found
    await pause(LOOK_EVERY_MS)
  }
}
