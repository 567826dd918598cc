/**
 * The page's process in the foreground: its place, its parts of this machine, and its end.
 *
 * @see docs/ui.md; SEAT-13, SEAT-14, SEAT-18
 */
import { dirname } from 'node:path'
import { systemClock } from '../../core/clock.ts'
import { HostRefusal, PlaceTaken } from '../../host/files/refusal.ts'
import { readConfigFile } from '../../host/config/config-file.ts'
import { ensurePrivateDirectory, readPersonKey, type Environment } from '../../host/config/paths.ts'
import { PACKAGE_ROOT } from '../../host/package.ts'
import { announceReady } from '../../host/process/daemon-process.ts'
import { claimLockFile } from '../../host/process/instance-lock.ts'
import { createLogSink } from '../../host/process/log-sink.ts'
import { listenPrivately } from '../../host/socket/listener.ts'
import { loadLoopbackPeers } from '../../host/socket/loopback-peer.ts'
import type { LinkTold } from '../../ui/serve/door.ts'
import type { SeatParts } from '../../ui/serve/seat-process.ts'
import { KeyFolder } from '../keys/key-folder.ts'
import type { CommandContext } from '../run/command-context.ts'
import { EXIT, type ExitCode } from '../run/exit.ts'
import { reachDaemon } from '../run/reach.ts'
import { doorPath } from './place.ts'
import type { LinkUse, SeatLink } from './reach-seat.ts'

/** The page, as the build leaves it. */
const PAGE_FOLDER = `${PACKAGE_ROOT}/dist/ui/page`

/** Root may connect to anybody's: it could do anything else as well. */
const ROOT = 0

/**
 * Serves the page until it is told to end, or nobody needs it any more.
 *
 * @param use - of the first link
 * @param onReady - called with it
 * @throws PlaceTaken where one runs already, HostRefusal where the place is not safe
 */
export async function runSeat(
  context: CommandContext,
  use: LinkUse,
  onReady: (link: SeatLink) => void,
): Promise<ExitCode> {
  const { environment } = context
  const ending = new SeatEnding()
  try {
    const { parts, release } = await prepare(context, ending)
    try {
      return await serveUntilEnd({ parts, environment, ending, use, onReady })
    } finally {
      await release()
    }
  } catch (error) {
    if (error instanceof HostRefusal) {
      const kind = error instanceof PlaceTaken ? 'taken' : 'refused'
      announceReady(environment, { kind, message: error.message })
    }
    throw error
  } finally {
    ending.ignore()
  }
}

interface Serving {
  readonly parts: SeatParts
  readonly environment: Environment
  readonly ending: SeatEnding
  readonly use: LinkUse
  readonly onReady: (link: SeatLink) => void
}

async function serveUntilEnd({ parts, environment, ending, use, onReady }: Serving): Promise<ExitCode> {
  const { startSeat } = await import('../../ui/serve/seat-process.ts')
  const seat = await startSeat(parts)
  try {
    const link = firstLink(seat[use]())
    parts.log.info('serving', { port: link.port, peer_check: link.peerCheck, pid: process.pid })
    announceReady(environment, { kind: 'ready' })
    onReady(link)
    seat.ending.addEventListener('abort', () => ending.as(EXIT.done, String(seat.ending.reason)))
    const { code, why } = await ending.came
    parts.log.info('stopping', { why })
    return code
  } finally {
    await seat.stop()
  }
}

/** Takes the place, and finds what of this machine the process needs. */
async function prepare(
  context: CommandContext,
  ending: SeatEnding,
): Promise<{ readonly parts: SeatParts; readonly release: () => Promise<void> }> {
  const { environment } = context
  const client = await reachDaemon(context)
  const { socketPath, principal } = client
  await client.close()
  const door = doorPath(socketPath)
  const folder = dirname(door)
  ensurePrivateDirectory(folder, environment)
  const { readPageFiles } = await import('../../ui/serve/files.ts')
  const config = readConfigFile(environment).ui
  const onLost = (): void => ending.as(EXIT.lost, 'another process has the place')
  const claim = await claimLockFile(`${door}.lock`, { onLost })
  if (claim.kind === 'taken') throw new PlaceTaken(`A page is served for ${socketPath} already.`)
  return {
    release: () => claim.lock.release(),
    parts: {
      socketPath,
      principal,
      clientParts: {
        clock: systemClock,
        random: Math.random,
        readPersonKey: () => readPersonKey(environment),
      },
      isOwnPeer: await ownPeers(environment),
      // Read each time: a key may be made or revoked while the page is open.
      findKey: (entity) => new KeyFolder(environment).read().findSigner(entity, Date.now()),
      readFiles: () => readPageFiles(PAGE_FOLDER),
      log: createLogSink({ stream: process.stderr, format: logFormat(), nowMs: () => Date.now() }),
      idleMs: config.idle_ms,
      editor: config.editor,
      notify: config.notify,
      desktop: environment,
      singleKeys: config.single_keys,
      bindDoor: (server) => listenPrivately(server, door),
      folder,
    },
  }
}

function logFormat(): 'json' | 'text' {
  return process.stderr.isTTY ? 'text' : 'json'
}

async function ownPeers({ platform, uid }: Environment): Promise<SeatParts['isOwnPeer']> {
  const findUid = await loadLoopbackPeers(platform, uid)
  if (findUid === undefined) return undefined
  return (socket) => {
    const found = findUid(socket)
    return found === uid || found === ROOT
  }
}

function firstLink(told: LinkTold): SeatLink {
  const { url, pid, port, peer_check: peerCheck, open_file: openFile } = told
  return { url, pid, port, peerCheck, openFile }
}

/** Waits for whatever outside ends the process first. */
class SeatEnding {
  readonly came: Promise<{ readonly code: ExitCode; readonly why: string }>
  #resolve: (end: { readonly code: ExitCode; readonly why: string }) => void = () => {}
  readonly #onSignal = (signal: string): void => this.as(EXIT.done, signal)

  constructor() {
    this.came = new Promise((resolve) => {
      this.#resolve = resolve
    })
    process.on('SIGTERM', this.#onSignal)
    process.on('SIGINT', this.#onSignal)
  }

  as(code: ExitCode, why: string): void {
    this.#resolve({ code, why })
  }

  ignore(): void {
    process.off('SIGTERM', this.#onSignal)
    process.off('SIGINT', this.#onSignal)
  }
}
