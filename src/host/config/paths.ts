/**
 * Where things are for this user, and who the user is: socket, state, configuration, principal.
 *
 * Imports nothing but Node and its light neighbours: the short ways bundle this file.
 *
 * @see docs/http.md §1 "Where"
 */
import { chmodSync, lstatSync, mkdirSync } from 'node:fs'
import type { Stats } from 'node:fs'
import { homedir, userInfo } from 'node:os'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { systemErrorCode } from '../../core/thrown.ts'
import { UsageError } from '../../core/errors.ts'
import { readOwnFile, readPrivateFile } from '../files/own-file.ts'
import { HostRefusal } from '../files/refusal.ts'

/** What host code may know of its surroundings; a value, so that tests bring their own. */
export interface Environment {
  /** The live variables. One-shot hand-over variables are removed from it by who consumes them. */
  readonly env: Readonly<Record<string, string | undefined>>
  readonly uid: number
  readonly userName: string
  readonly homeDir: string
  readonly platform: NodeJS.Platform
  /** Where the system keeps per-user runtime directories; `/run/user` outside tests. */
  readonly runUserDir: string
}

/** Which row of docs/http.md §1 named the socket. */
export type SocketSource = 'flag' | 'env' | 'config' | 'xdg-runtime' | 'run-user' | 'tmpdir' | 'home'

/** The place of the socket; `note` is a sentence for the person when a named place had to be passed over. */
export interface SocketPlace {
  readonly path: string
  readonly source: SocketSource
  readonly note?: string
}

/**
 * The longest socket path in bytes: 104 with its NUL on macOS, kept on Linux too so that a path works on
 * both. Node 20 cuts a longer one off without a word and binds what is left.
 */
export const MAX_SOCKET_PATH_BYTES = 103

/** The only place that reads `process.env`. The user's name is looked up when asked for: NSS can be slow. */
export function readEnvironment(): Environment {
  const uid = process.getuid?.() ?? -1
  return {
    env: process.env,
    uid,
    get userName() {
      return userNameOf(uid)
    },
    homeDir: homedir(),
    platform: process.platform,
    runUserDir: '/run/user',
  }
}

/** Reads a variable that was meant for this process alone and removes it, so that no child inherits it. */
export function consumeVariable(environment: Environment, name: string): string | undefined {
  const value = environment.env[name]
  Reflect.deleteProperty(environment.env, name)
  return value
}

/**
 * Where the daemon listens for this user, in the order of docs/http.md §1. Nothing is created.
 *
 * @param explicit - the `--socket` flag; a relative path counts from the working directory
 * @returns an absolute path of at most 103 bytes
 * @throws UsageError when the chosen path is empty or too long; a longer one is never cut or passed over
 */
export function resolveSocketPath(environment: Environment, explicit?: string): SocketPlace {
  const place = namedSocket(environment, explicit) ?? runtimeSocket(environment)
  requireSocketPathFits(place.path)
  return place
}

/** @throws UsageError that states the limit and the length */
export function requireSocketPathFits(path: string): void {
  const bytes = Buffer.byteLength(path)
  if (bytes <= MAX_SOCKET_PATH_BYTES) return
  throw new UsageError(
    `The socket path is ${bytes} bytes long and the limit is ${MAX_SOCKET_PATH_BYTES}; shorten ${path}`,
  )
}

/** The directory of ring, lock and log. Nothing is created. */
export function stateDir(environment: Environment): string {
  const explicit = environment.env['AGENTD_STATE_DIR']
  if (explicit) return resolve(explicit)
  const xdg = environment.env['XDG_STATE_HOME']
  if (xdg && isAbsolute(xdg)) return join(xdg, 'agentd')
  if (environment.platform === 'darwin') {
    return join(environment.homeDir, 'Library', 'Application Support', 'agentd')
  }
  return join(environment.homeDir, '.local', 'state', 'agentd')
}

/** The daemon's log; what systemd has started writes to the journal instead. */
export function daemonLogPath(environment: Environment): string {
  return join(stateDir(environment), 'agentd.log')
}

/**
 * The person's key: a file that only this user can read, in a place that a sandbox with the socket need not have. Where a
 * token is mandatory, who shows what it says is the person (docs/http.md §2; HD-23).
 */
export function personKeyPath(environment: Environment): string {
  return join(stateDir(environment), 'person.key')
}

/** What a client shows: 256 bits, base64url; undefined where there is none, or one that others could read. */
export function readPersonKey(environment: Environment): string | undefined {
  const file = readPrivateFile(personKeyPath(environment), environment.uid)
  return file.kind === 'text' ? /^[A-Za-z0-9_-]{43}$/.exec(file.text.trim())?.[0] : undefined
}

/** The configuration file, whether it exists or not. */
export function configPath(environment: Environment): string {
  const explicit = environment.env['AGENTD_CONFIG']
  if (explicit) return resolve(explicit)
  return join(configHome(environment), 'agentd', 'config.json')
}

/** `$XDG_CONFIG_HOME`, or `~/.config`; a relative value does not count (XDG base directory specification). */
export function configHome(environment: Environment): string {
  const xdg = environment.env['XDG_CONFIG_HOME']
  return xdg && isAbsolute(xdg) ? xdg : join(environment.homeDir, '.config')
}

/**
 * One string of the configuration file, read tolerantly. A file that is missing, unsafe or no JSON counts as
 * absent here: this serves clients, and the daemon says what is wrong with it (`config-file.ts`).
 */
export function configString(environment: Environment, key: string): string | undefined {
  const file = readOwnFile(configPath(environment), environment.uid)
  if (file.kind !== 'text') return undefined
  try {
    const content: unknown = JSON.parse(file.text)
    const value: unknown = content instanceof Object ? Reflect.get(content, key) : undefined
    return typeof value === 'string' && value !== '' ? value : undefined
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/**
 * Makes sure that `path` is a directory only this user can enter. What is missing is made 0700 whatever the
 * umask; what is there is judged by `lstat` and never repaired.
 *
 * @throws HostRefusal when it is a link, no directory, foreign, open to others, or cannot be made
 */
export function ensurePrivateDirectory(path: string, environment: Environment): void {
  try {
    createMissing(path)
  } catch (error) {
    const code = systemErrorCode(error) ?? String(error)
    throw new HostRefusal(`The directory ${path} cannot be made (${code}).`, { cause: error })
  }
  const fault = directoryFault(path, environment.uid)
  if (fault !== undefined) throw new HostRefusal(`The directory ${path} is refused: ${fault}.`)
}

function createMissing(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })) return
  createMissing(dirname(path))
  try {
    mkdirSync(path, { mode: 0o700 })
    chmodSync(path, 0o700)
  } catch (error) {
    // Another process made it first; the caller judges what is there now.
    if (systemErrorCode(error) !== 'EEXIST') throw error
  }
}

/** Why a directory is not private to `uid`, as the end of a sentence; undefined when it is. */
function directoryFault(path: string, uid: number): string | undefined {
  const found = lookAt(path)
  if (typeof found === 'string') return found
  if (found.isSymbolicLink()) return 'it is a symbolic link'
  if (!found.isDirectory()) return 'it is not a directory'
  if (found.uid !== uid) return `it belongs to uid ${found.uid}, not to uid ${uid}`
  const mode = found.mode & 0o777
  if ((mode & 0o077) === 0) return undefined
  return `its mode is 0${mode.toString(8).padStart(3, '0')} and must be 0700`
}

function lookAt(path: string): Stats | string {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) ?? 'it does not exist'
  } catch (error) {
    return `it cannot be examined (${systemErrorCode(error) ?? String(error)})`
  }
}

function namedSocket(environment: Environment, explicit: string | undefined): SocketPlace | undefined {
  if (explicit === '') throw new UsageError('The socket path is empty; name one or leave --socket out.')
  if (explicit !== undefined) return { path: resolve(explicit), source: 'flag' }
  const variable = environment.env['AGENTD_SOCKET']
  if (variable) return { path: resolve(variable), source: 'env' }
  const configured = configString(environment, 'socket')
  // A relative one would mean another place in every directory; config-file.ts refuses it.
  if (configured === undefined || !isAbsolute(configured)) return undefined
  return { path: resolve(configured), source: 'config' }
}

function runtimeSocket(environment: Environment): SocketPlace {
  const { env, uid } = environment
  const xdg = env['XDG_RUNTIME_DIR']
  const fault = xdg ? runtimeDirFault(xdg, uid) : undefined
  if (xdg && fault === undefined) return { path: inRuntimeDir(xdg), source: 'xdg-runtime' }
  const note = fault === undefined ? {} : { note: `XDG_RUNTIME_DIR (${xdg}) is not used: ${fault}.` }

  const runUser = join(environment.runUserDir, String(uid))
  if (runtimeDirFault(runUser, uid) === undefined) {
    return { path: inRuntimeDir(runUser), source: 'run-user', ...note }
  }
  const tmp = env['TMPDIR']
  if (environment.platform === 'darwin' && tmp && runtimeDirFault(tmp, uid) === undefined) {
    return { path: inRuntimeDir(tmp), source: 'tmpdir', ...note }
  }
  return { path: join(environment.homeDir, '.agentd', 'run', 'agentd.sock'), source: 'home', ...note }
}

/** `resolve` drops a trailing slash, with which `lstat` would follow a link. */
function runtimeDirFault(path: string, uid: number): string | undefined {
  return isAbsolute(path) ? directoryFault(resolve(path), uid) : 'it is not an absolute path'
}

function inRuntimeDir(directory: string): string {
  return join(resolve(directory), 'agentd', 'agentd.sock')
}

function userNameOf(uid: number): string {
  try {
    return userInfo().username
  } catch (error) {
    // A uid without a passwd entry, as containers have: `uv_os_get_passwd` says ENOENT.
    if (systemErrorCode(error) === 'ERR_SYSTEM_ERROR') return `uid-${uid}`
    throw error
  }
}
