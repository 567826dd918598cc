/**
 * What agentd leaves on a machine when it goes, and how a person is rid of that as well: it is theirs.
 *
 * @see docs/operations.md "Uninstall"
 */
import { existsSync, lstatSync, readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { shellWord } from '../../core/text/shell-word.ts'
import { systemErrorCode } from '../../core/thrown.ts'
import { configPath, stateDir } from '../../host/config/paths.ts'
import { PACKAGE_ROOT } from '../../host/package.ts'
import type { CommandContext } from '../run/command-context.ts'
import { findSocketPath } from './socket-path.ts'

/** One folder that stays. */
export interface LeftFolder {
  readonly path: string
  readonly holds: string
  /** Of the files in it, as far as they were counted. */
  readonly bytes: number
  /** Whether it is agentd's alone by its name; a person may have chosen a folder that holds more. */
  readonly isOwn: boolean
}

/** Files that are counted; hooks leave one for each session, and a wrong path may hold anything. */
const MAX_COUNTED = 10_000

/** How a folder is called that nobody else uses. */
const OWN_NAMES = ['agentd', '.agentd']

/** Those that are there. */
export function findLeft(context: CommandContext): readonly LeftFolder[] {
  const { environment } = context
  const socket = findSocketFolder(context)
  const places: readonly (readonly [path: string, holds: string])[] = [
    [stateDir(environment), 'messages, keys, logs'],
    [dirname(configPath(environment)), 'configuration'],
    ...(socket === undefined ? [] : ([[socket, 'socket, what hooks remember']] as const)),
  ]
  const first = places.filter(([path], i) => places.findIndex(([other]) => other === path) === i)
  return first
    .filter(([path]) => existsSync(path))
    .map(([path, holds]) => ({
      path,
      holds,
      bytes: countBytes(path),
      isOwn: OWN_NAMES.includes(basename(path)),
    }))
}

/** Where npm keeps what it installs for all of a prefix; whatever else is above `node_modules` is no such place. */
const OF_PREFIX = /^(?<prefix>.*)\/lib\/node_modules\/[^/]+$/

/**
 * The commands that remove it, and the program with it.
 *
 * @param root - the root of the package, absolute: a prefix stands in its path, and npm by itself looks only below the one that
 *   is configured when it is asked
 */
export function removalCommands(left: readonly LeftFolder[], root = PACKAGE_ROOT): readonly string[] {
  const own = left.filter(({ isOwn }) => isOwn).map(({ path }) => shellWord(path))
  const prefix = OF_PREFIX.exec(root)?.groups?.['prefix']
  const where = prefix === undefined ? '' : `--prefix ${shellWord(prefix === '' ? '/' : prefix)} `
  return [
    ...(own.length === 0 ? [] : [`rm -rf ${own.join(' ')}`]),
    `npm uninstall --global ${where}agentd-bus`,
  ]
}

/** The folder of a checkout, which npm does not remove; undefined where npm has installed this. */
export function findCheckout(): string | undefined {
  return PACKAGE_ROOT.includes('/node_modules/') ? undefined : PACKAGE_ROOT
}

/** Below the home directory it has a folder of its own above it. @returns undefined where no path for it will do */
function findSocketFolder(context: CommandContext): string | undefined {
  const path = findSocketPath(context)
  if (path === undefined) return undefined
  const folder = dirname(path)
  return basename(folder) === 'run' && basename(dirname(folder)) === '.agentd' ? dirname(folder) : folder
}

function countBytes(root: string): number {
  let bytes = 0
  const folders = [root]
  for (let counted = 0; counted < MAX_COUNTED;) {
    const folder = folders.pop()
    if (folder === undefined) break
    for (const name of namesIn(folder).slice(0, MAX_COUNTED - counted)) {
      counted += 1
      const path = join(folder, name)
      const found = lstatSync(path, { throwIfNoEntry: false })
      if (found?.isDirectory() === true) folders.push(path)
      else bytes += found?.size ?? 0
    }
  }
  return bytes
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    // Somebody else's, or gone meanwhile: what is in it is not counted.
    if (systemErrorCode(error) !== undefined) return []
    throw error
  }
}
