/**
 * Where the runtimes keep their configuration, for this user or for one project.
 *
 * @see docs/runtimes.md §10 rule 7
 */
import { accessSync, constants, existsSync, realpathSync, statSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'
import type { Environment } from '../../host/config/paths.ts'
import { findWorkTree } from '../../host/work-tree.ts'

/** For the person everywhere, or for one project only. */
export type SetupScope = 'user' | 'project'

/** The folders of one set-up. */
export interface RuntimePaths {
  readonly scope: SetupScope
  readonly environment: Environment
  /** The top of the work tree the command was given in; that directory itself where it is in none. */
  readonly project: string
}

/** @param directory - where the command was given */
export function pathsFor(environment: Environment, scope: SetupScope, directory: string): RuntimePaths {
  return { scope, environment, project: findWorkTree(directory) ?? directory }
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

/** Where a path leads; the path itself where it leads nowhere, as one that a rule names may. */
export function realOf(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

/** Whether a path leads to a file that may be run. */
export function isProgram(path: string): boolean {
  return isFile(path, constants.X_OK)
}

/** Whether a path leads to a file that may be read. */
export function isReadable(path: string): boolean {
  return isFile(path, constants.R_OK)
}

function isFile(path: string, mode: number): boolean {
  try {
    accessSync(path, mode)
    return statSync(path).isFile()
  } catch {
    return false
  }
}
