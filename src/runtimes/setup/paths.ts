/**
 * Where the runtimes keep their configuration, for this user or for one project.
 *
 * @see docs/runtimes.md §10 rule 7
 */
import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { delimiter, dirname, isAbsolute, join } from 'node:path'
import { configHome, type Environment } from '../../host/config/paths.ts'

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

/** `$CLAUDE_CONFIG_DIR`, or `~/.claude`. */
export function claudeHome({ environment }: RuntimePaths): string {
  return fromVariable(environment, 'CLAUDE_CONFIG_DIR') ?? join(environment.homeDir, '.claude')
}

/** The file Claude Code itself keeps its servers in; only read here. */
export function claudeState({ environment }: RuntimePaths): string {
  return join(fromVariable(environment, 'CLAUDE_CONFIG_DIR') ?? environment.homeDir, '.claude.json')
}

/** `$CODEX_HOME`, or `~/.codex`. */
export function codexHome({ environment }: RuntimePaths): string {
  return fromVariable(environment, 'CODEX_HOME') ?? join(environment.homeDir, '.codex')
}

/** `$COPILOT_HOME`, or `~/.copilot`. */
export function copilotHome({ environment }: RuntimePaths): string {
  return fromVariable(environment, 'COPILOT_HOME') ?? join(environment.homeDir, '.copilot')
}

/** `~/.cursor`, which cannot be moved. */
export function cursorHome({ environment }: RuntimePaths): string {
  return join(environment.homeDir, '.cursor')
}

/** `~/.gemini`, which cannot be moved. */
export function geminiHome({ environment }: RuntimePaths): string {
  return join(environment.homeDir, '.gemini')
}

/** The default profile's folder. */
export function vscodeHome({ environment }: RuntimePaths): string {
  const base =
    environment.platform === 'darwin'
      ? join(environment.homeDir, 'Library', 'Application Support')
      : configHome(environment)
  return join(base, 'Code', 'User')
}

/** `$XDG_CONFIG_HOME/opencode`. */
export function opencodeHome({ environment }: RuntimePaths): string {
  return join(configHome(environment), 'opencode')
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

/** A relative value would mean another folder in every directory, so it does not count. */
function fromVariable({ env }: Environment, name: string): string | undefined {
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
