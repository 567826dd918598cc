/**
 * The daemon's life as a process: configuration, signals, exit codes.
 */
import { systemClock } from '../core/clock.ts'
import type { Debug } from '../core/debug.ts'
import { AgentdError } from '../core/errors.ts'
import type { Logger } from '../core/log.ts'
import { resolveConfig, type ConfigFlags } from '../host/config/config.ts'
import { announceReady } from '../host/process/daemon-process.ts'
import { createLogSink } from '../host/process/log-sink.ts'
import { readEnvironment, type Environment } from '../host/config/paths.ts'
import { HostRefusal, PlaceTaken } from '../host/files/refusal.ts'
import { requireNode } from '../host/process/node-version.ts'
import { packageVersion } from '../host/package.ts'
import { Daemon } from './daemon.ts'
import { EXIT, mayPass, toStartRefusal } from './exit.ts'
import type { DaemonParts } from './parts.ts'
import { adoptStore, type Adoption, type AdoptionRequest } from './place/adopt-store.ts'

/** How the process is run. */
export interface RunOptions {
  readonly flags: ConfigFlags
  /** Called when the daemon serves. */
  readonly onReady?: (daemon: Daemon) => void
}

/**
 * Runs a daemon until a signal ends it.
 *
 * @returns the exit code
 */
export async function runUntilEnd({ flags, onReady }: RunOptions): Promise<number> {
  const environment = readEnvironment()
  AgentdError.maxStackCalls = 0
  const log = createLogSink({
    stream: process.stderr,
    format: process.stderr.isTTY ? 'text' : 'json',
    nowMs: () => Date.now(),
  })
  const end = new Ending()
  try {
    requireNode(process.versions.node)
    const config = resolveConfig(environment, flags)
    if (config.socketNote !== undefined) log.warn('socket-place', { note: config.socketNote })
    const daemon = await startOrRefuse({
      config,
      environment,
      clock: systemClock,
      log,
      debug: await openDebug(environment, log),
      version: packageVersion(),
      onLost: (why) => end.as(EXIT.lost, why),
      onStop: () => end.as(EXIT.done, 'asked to'),
    })
    log.info('serving', { socket: daemon.socketPath, principal: config.principal, pid: process.pid })
    const reload = (): void => void reloadConfig(daemon, { environment, flags, log })
    process.on('SIGHUP', reload)
    try {
      announceReady(environment, { kind: 'ready' })
      onReady?.(daemon)
      const { code, why } = await end.came
      log[code === EXIT.done ? 'info' : 'error']('stopping', { why })
      return code
    } finally {
      await daemon.stop()
      process.off('SIGHUP', reload)
    }
  } catch (error) {
    if (!(error instanceof HostRefusal)) throw error
    return refused(environment, error)
  } finally {
    end.ignore()
  }
}

/** What a process of the daemon's does instead of serving: it loads the same parts. @throws Error only for a defect */
export function adoptStoreOffline(request: AdoptionRequest): Promise<Adoption> {
  return adoptStore(request)
}

/** @throws HostRefusal for what the system refused too: a start without room or descriptors is no defect (HD-17) */
async function startOrRefuse(parts: DaemonParts): Promise<Daemon> {
  try {
    return await Daemon.start(parts)
  } catch (error) {
    throw toStartRefusal(error) ?? error
  }
}

/** Tells whoever started the daemon, and whoever reads its log, why it does not serve. */
function refused(environment: Environment, error: HostRefusal): number {
  const isPassing = mayPass(error)
  const kind = error instanceof PlaceTaken ? 'taken' : isPassing ? 'failed' : 'refused'
  announceReady(environment, { kind, message: error.message })
  process.stderr.write(`agentd: ${error.message}\n`)
  return isPassing ? EXIT.lost : EXIT.refused
}

/** @returns undefined, and nothing is loaded for it, unless `AGENTD_DEBUG` asks */
async function openDebug(environment: Environment, log: Logger): Promise<Debug | undefined> {
  if (!environment.env['AGENTD_DEBUG']) return undefined
  const { openDebugSink } = await import('../host/process/debug-sink.ts')
  const onFault = (message: string): void => log.warn('debug', { message })
  return openDebugSink({ environment, nowMs: () => Date.now(), onFault })
}

/** A configuration that cannot be read changes nothing: the one in force stays in force. */
async function reloadConfig(
  daemon: Daemon,
  { environment, flags, log }: { environment: Environment; flags: ConfigFlags; log: Logger },
): Promise<void> {
  try {
    const needRestart = await daemon.reload(resolveConfig(environment, flags))
    log.info('reloaded', needRestart.length === 0 ? {} : { need_restart: needRestart.join(', ') })
  } catch (error) {
    if (!(error instanceof HostRefusal)) throw error
    log.error('reload-refused', { why: error.message })
  }
}

/** Waits for whatever ends the daemon first: a signal, a loss, or a defect. */
class Ending {
  readonly came: Promise<{ code: number; why: string }>
  #resolve: (end: { code: number; why: string }) => void = () => {}
  readonly #onSignal = (signal: string): void => this.as(EXIT.done, signal)
  readonly #onDefect = (error: unknown): void => {
    this.as(EXIT.defect, error instanceof Error ? (error.stack ?? error.message) : String(error))
  }

  constructor() {
    this.came = new Promise((resolve) => {
      this.#resolve = resolve
    })
    process.on('SIGTERM', this.#onSignal)
    process.on('SIGINT', this.#onSignal)
    process.on('uncaughtException', this.#onDefect)
  }

  as(code: number, why: string): void {
    this.#resolve({ code, why })
  }

  ignore(): void {
    process.off('SIGTERM', this.#onSignal)
    process.off('SIGINT', this.#onSignal)
    process.off('uncaughtException', this.#onDefect)
  }
}
