/**
 * One `agentd link hub run` at a time, and what a killed one leaves behind: its server goes on without anybody who reads what it
 * says, and ends by that sooner or later. The next one ends it and starts its own.
 *
 * @see FED-12
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { systemErrorCode } from '../../../core/thrown.ts'
import { HostRefusal } from '../../../host/files/refusal.ts'
import { claimLockFile } from '../../../host/process/instance-lock.ts'
import { processStartTime } from '../../../host/process/processes.ts'
import { findServer } from './hub-server.ts'

/** A server that is told to end closes its streams and goes within a second. */
const ENDING_MS = 10_000

const LOOK_EVERY_MS = 50

/** Beside the claims: which server the last one has started. */
const STARTED_FILE = 'server'

/** Where it is noted. */
export interface RunPlace {
  /** Of the claims, in a folder that is private. */
  readonly lockPath: string
  readonly pidPath: string
}

/** Who runs the hub, and what it is to be told of. */
export interface SoleRun {
  /** Notes which server was started; before, nobody could tell it from one that a person has started. */
  started(pid: number | undefined): void
  release(): Promise<void>
}

/**
 * Claims the right to run the hub, and ends the server of one that was killed.
 *
 * @param told - told, with its pid, when there was one
 * @throws HostRefusal where somebody runs it, or where a server of before does not end
 */
export async function claimRun(place: RunPlace, told: (pid: number) => void): Promise<SoleRun> {
  const { lockPath, pidPath } = place
  const claim = await claimLockFile(lockPath, { onLost() {} })
  if (claim.kind === 'taken') throw new HostRefusal(`The hub runs already${pidIn(pidPath)}.`)
  const { lock } = claim
  try {
    await endLeftOver(place, told)
    return { started: (pid) => note(lockPath, pid), release: () => lock.release() }
  } catch (error) {
    await lock.release()
    throw error
  }
}

/** Whether whoever has started the server that runs was killed since; a person who has started it minds it. */
export function isLeftAlone(place: RunPlace): boolean {
  const { runner, server } = readNote(place.lockPath)
  const pid = findServer(place.pidPath)
  if (pid === undefined || server !== identityOf(pid)) return false
  const [runnerPid = ''] = runner.split(' ')
  return identityOf(Number(runnerPid)) !== runner
}

async function endLeftOver(place: RunPlace, told: (pid: number) => void): Promise<void> {
  const running = findServer(place.pidPath)
  if (running === undefined) return
  if (readNote(place.lockPath).server !== identityOf(running))
    throw new HostRefusal(
      `The hub runs already, pid ${running}; it was started without "agentd link hub run".`,
    )
  told(running)
  const identity = identityOf(running)
  signal(running)
  const untilMs = performance.now() + ENDING_MS
  while (identityOf(running) === identity) {
    if (performance.now() > untilMs)
      throw new HostRefusal(`The server of before, pid ${running}, does not end: kill -9 ${running}`)
    await pause(LOOK_EVERY_MS)
  }
}

function signal(pid: number): void {
  try {
    process.kill(pid, 'SIGTERM')
  } catch (error) {
    // Gone by itself.
    if (systemErrorCode(error) !== 'ESRCH') throw error
  }
}

function note(lockPath: string, pid: number | undefined): void {
  const [server, runner] = [pid ?? 0, process.pid].map(identityOf)
  if (server !== undefined)
    writeFileSync(join(lockPath, STARTED_FILE), `${server}\n${runner ?? ''}`, { mode: 0o600 })
}

/** A number and when it began: a later process of the same number is another one. */
function identityOf(pid: number): string | undefined {
  const startTime = processStartTime(pid)
  return startTime === undefined ? undefined : `${pid} ${startTime}`
}

/** Which server was started, and by whom; nothing where nothing was. */
function readNote(lockPath: string): { readonly server: string; readonly runner: string } {
  try {
    const [server = '', runner = ''] = readFileSync(join(lockPath, STARTED_FILE), 'utf8').split('\n')
    return { server, runner }
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return { server: '', runner: '' }
    throw error
  }
}

function pidIn(pidPath: string): string {
  const pid = findServer(pidPath)
  return pid === undefined ? '' : `, pid ${pid}`
}
