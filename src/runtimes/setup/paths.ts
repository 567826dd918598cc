/**
 * Where the runtimes keep their configuration, for this user or for one project.
 *
 * @see docs/runtimes.md §10 rule 7
 */
import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { delimiter, dirname, isAbsolute, join } from 'node:path'
import type { Environment } from '../../host/config/paths.ts'

/** For the person everywhere, or for one project only. */
export type SetupScope = 'user' | 'project'

/** The folders of one set-up. */
export interface RuntimePaths {
  readonly scope: SetupScope
  readonly environment: Environment
  /** The top of the project the command was given in. */
  readonly project: string
}

/** @param directory - where the command was given */
export function pathsFor(environment: Environment, scope: SetupScope, directory: string): RuntimePaths {
  return { scope, environment, project: projectTop(directory) }
}

/** The absolute path of a program on PATH. */
export function findProgram({ env }: Environment, name: string): string | undefined {
  const folders = (env['PATH'] ?? '').split(delimiter).filter((folder) => isAbsolute(folder))
  return folders.map((folder) => join(folder, name)).find(isProgram)
}

/** Whether a program of one of these names is on PATH, or the folder is there. */
export function isThere(environment: Environment, programs: readonly string[], folder: string): boolean {
  return existsSync(folder) || programs.some((name) => findProgram(environment, name) !== undefined)
}

/** The folder that a variable names. A relative value would mean another one in every directory, so it does not count. */
export function folderFrom({ env }: Environment, name: string): string | undefined {
  const value = env[name]
  return value && isAbsolute(value) ? value : undefined
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    // Not there, or not to be run: the next folder may have it.
    return false
  }
}

/** The work tree's top, found without git; the directory itself where there is none. */
function projectTop(directory: string): string {
  for (let folder = directory; folder !== dirname(folder); folder = dirname(folder)) {
    if (existsSync(join(folder, '.git'))) return folder
  }
  return directory
}
