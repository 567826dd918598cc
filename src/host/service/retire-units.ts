/**
 * Taking the daemon back from the service manager: it lets go first, then the files go.
 *
 * @see docs/runtimes.md §7; systemctl(1), launchctl(1)
 */
import { execFile } from 'node:child_process'
import { lstatSync, unlinkSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Environment } from '../config/paths.ts'
import { ownUnits, uninstallUnits, unitPlaces } from './units.ts'

/** What became of them. */
interface RetiredUnits {
  /** The paths that are gone now. */
  readonly removed: readonly string[]
  /** What the service manager would not do; a sentence. */
  readonly fault: string | undefined
}

/** A unit has ten seconds to stop; the service manager gets some more. */
const MANAGER_MS = 20_000

/** Enough of what it has to say. */
const MAX_SAID_OCTETS = 65_536

/** What launchctl ends with for a label that is not loaded, which is what is wanted. */
const NOT_LOADED = [3, 113]

/** Stops the service of this user and removes its files. Nothing is asked of anybody where none of them is ours. */
export async function retireUnits(environment: Environment): Promise<RetiredUnits> {
  const places = unitPlaces(environment)
  const ours = ownUnits(places)
  if (ours.length === 0) return { removed: [], fault: undefined }
  const fault = await letGo(environment, ours)
  // What cannot be asked now would find a link to nowhere at the next login.
  if (fault !== undefined) for (const path of ours) removeLink(path)
  const removed = uninstallUnits(places)
  if (environment.platform !== 'linux') return { removed, fault }
  return { removed, fault: fault ?? (await ask(environment, 'systemctl', ['--user', 'daemon-reload'])) }
}

function letGo(environment: Environment, paths: readonly string[]): Promise<string | undefined> {
  if (environment.platform === 'linux') {
    // The socket before what it starts.
    const names = paths.map((path) => basename(path)).toReversed()
    return ask(environment, 'systemctl', ['--user', 'disable', '--now', ...names])
  }
  return bootOut(environment, paths)
}

/** One after the other: what the first of them would not do is told. */
async function bootOut(environment: Environment, paths: readonly string[]): Promise<string | undefined> {
  const faults: string[] = []
  for (const path of paths) {
    const service = `gui/${environment.uid}/${basename(path, '.plist')}`
    const fault = await ask(environment, 'launchctl', ['bootout', service], NOT_LOADED)
    if (fault !== undefined) faults.push(fault)
  }
  return faults[0]
}

/** @param fine - exit codes that are no fault. @returns why it failed; a sentence */
function ask(
  { env }: Environment,
  program: string,
  args: readonly string[],
  fine: readonly number[] = [],
): Promise<string | undefined> {
  const options = { env, timeout: MANAGER_MS, maxBuffer: MAX_SAID_OCTETS }
  return new Promise((resolve) => {
    const child = execFile(program, [...args], options, (error, _, stderr) => {
      if (error === null || fine.includes(Number(error.code))) return resolve(undefined)
      const said = stderr.trim().split('\n').at(-1) || error.message
      const words = [program, ...args].join(' ')
      resolve(
        `"${words}" failed: ${said}. The units are removed; what runs of them ends with your login session.`,
      )
    })
    child.stdin?.end()
  })
}

/** What `systemctl enable` has left beside a unit. */
function removeLink(path: string): void {
  for (const target of ['sockets.target.wants', 'default.target.wants']) {
    const link = join(dirname(path), target, basename(path))
    if (lstatSync(link, { throwIfNoEntry: false })?.isSymbolicLink() === true) unlinkSync(link)
  }
}
