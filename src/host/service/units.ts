/**
 * Handing the daemon to the system's service manager: units for systemd, a launch agent for macOS.
 *
 * The templates stand in `systemd/` and `launchd/` of the package. What is written carries a marker in its
 * first lines; a file without it belongs to somebody else and is neither replaced nor removed.
 *
 * @see docs/runtimes.md §7; systemd.service(5), launchd.plist(5)
 */
import { randomBytes } from 'node:crypto'
import { chmodSync, lstatSync, readFileSync, renameSync, unlinkSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { configHome, daemonLogPath } from '../config/paths.ts'
import type { Environment } from '../config/paths.ts'
import { makeDirectories } from '../files/edited-file.ts'
import { HostRefusal } from '../files/refusal.ts'

/** What stands where in the templates: `@NODE@`, `@AGENTD@`, `@LOG@`. */
export interface UnitValues {
  readonly node: string
  readonly agentd: string
  readonly log: string
}

/** The absolute paths a unit must name: a service manager has no PATH of ours. */
export interface UnitPaths {
  readonly nodePath: string
  readonly agentdPath: string
  /** Where `systemd/` and `launchd/` are. */
  readonly packageRoot: string
}

/** Where the service manager looks for a file. */
interface UnitPlace {
  readonly path: string
}

/** One file to write for the service manager. */
export interface UnitFile extends UnitPlace {
  readonly contents: string
}

/** What a person runs after the files were written, and before they are removed. */
export interface UnitInstructions {
  readonly install: readonly string[]
  readonly uninstall: readonly string[]
  /** Sentences that go with them. */
  readonly notes: readonly string[]
}

/** The label of the launch agent. */
const LAUNCH_AGENT = 'dev.agentd.agentd'

/** The daemon, and the socket that starts it. */
const SYSTEMD_UNITS = ['agentd.service', 'agentd.socket']

/** The hub that machines are linked by, where this one has it. */
const HUB_UNIT = 'agentd-hub.service'
const HUB_AGENT = 'dev.agentd.hub'

/** How a file of ours begins. An XML declaration must come before any comment. */
const MARKERS = ['agentd service install', 'agentd link hub init'].flatMap((command) => [
  `# Written by ${command}.`,
  `<?xml version="1.0" encoding="UTF-8"?>\n<!-- Written by ${command}.`,
])

/** Fills a template. The values go in as they are: escape them for the format first. */
export function renderUnit(template: string, values: UnitValues): string {
  const byPlaceholder: Readonly<Record<string, string>> = {
    '@NODE@': values.node,
    '@AGENTD@': values.agentd,
    '@LOG@': values.log,
  }
  return template.replace(/@[A-Z]+@/g, (found) => byPlaceholder[found] ?? found)
}

/**
 * The files for this platform's service manager, for this user. Nothing is written.
 *
 * @throws HostRefusal where there is no service manager we know, or a path holds control characters
 */
export function unitFiles(environment: Environment, paths: UnitPaths): readonly UnitFile[] {
  const log = daemonLogPath(environment)
  for (const path of [paths.nodePath, paths.agentdPath, log]) requirePrintable(path)
  if (environment.platform === 'linux') return systemdFiles(environment, paths, SYSTEMD_UNITS)
  if (environment.platform === 'darwin')
    return [launchAgent(environment, paths, { label: LAUNCH_AGENT, log })]
  throw new HostRefusal(`agentd knows no service manager on ${environment.platform}; use agentd start.`)
}

/** As {@link unitFiles}, for the hub; none where there is no service manager we know. */
export function hubUnitFiles(environment: Environment, paths: UnitPaths): readonly UnitFile[] {
  const log = join(dirname(daemonLogPath(environment)), 'hub.log')
  for (const path of [paths.nodePath, paths.agentdPath, log]) requirePrintable(path)
  if (environment.platform === 'linux') return systemdFiles(environment, paths, [HUB_UNIT])
  return environment.platform === 'darwin' ? [launchAgent(environment, paths, { label: HUB_AGENT, log })] : []
}

/** What makes the service manager start the hub, now and at every login. */
export function hubStartCommand(platform: NodeJS.Platform): string {
  return platform === 'darwin'
    ? `launchctl bootstrap gui/$(id -u) ~/Library/LaunchAgents/${HUB_AGENT}.plist`
    : `systemctl --user enable --now ${HUB_UNIT}`
}

/**
 * Writes what differs, each file whole or not at all, mode 0644; folders that are missing are made 0700.
 *
 * @returns the paths that changed
 * @throws HostRefusal before anything is written, when a file there is not ours
 */
export function installUnits(files: readonly UnitFile[]): readonly string[] {
  const changed = files.filter((file) => readUnit(file.path) !== file.contents)
  for (const { path } of changed) requireOurs(path)
  for (const file of changed) writeWhole(file)
  return changed.map((file) => file.path)
}

/** Where this platform's units of this user stand, whoever wrote them; none where we know no service manager. */
export function unitPlaces(environment: Environment): readonly UnitPlace[] {
  if (environment.platform === 'linux') {
    return [...SYSTEMD_UNITS, HUB_UNIT].map((name) => ({ path: systemdPath(environment, name) }))
  }
  if (environment.platform !== 'darwin') return []
  return [LAUNCH_AGENT, HUB_AGENT].map((label) => ({ path: launchAgentPath(environment, label) }))
}

/** The paths of those that are ours, edited or not. */
export function ownUnits(places: readonly UnitPlace[]): readonly string[] {
  return places.map(({ path }) => path).filter((path) => isOurs(readUnit(path)))
}

/** Removes those of the files that are ours, edited or not. @returns the paths that are gone now */
export function uninstallUnits(places: readonly UnitPlace[]): readonly string[] {
  const ours = ownUnits(places)
  for (const path of ours) unlinkSync(path)
  return ours
}

/** The exact commands that make the service manager take the files up, and let go of them. */
export function unitInstructions(platform: NodeJS.Platform): UnitInstructions {
  if (platform === 'darwin') {
    const domain = 'gui/$(id -u)'
    return {
      install: [`launchctl bootstrap ${domain} ~/Library/LaunchAgents/${LAUNCH_AGENT}.plist`],
      uninstall: [`launchctl bootout ${domain}/${LAUNCH_AGENT}`],
      notes: ['After an update of Node, run agentd service install again: the agent names Node by its path.'],
    }
  }
  return {
    install: ['systemctl --user daemon-reload', 'systemctl --user enable --now agentd.socket'],
    uninstall: [
      'systemctl --user disable --now agentd.socket agentd.service',
      'systemctl --user daemon-reload',
    ],
    notes: [
      'The socket goes away when you log out; loginctl enable-linger keeps it. agentd leaves that to you.',
      'After an update of Node, run agentd service install again: the unit names Node by its path.',
    ],
  }
}

function systemdFiles(
  environment: Environment,
  paths: UnitPaths,
  names: readonly string[],
): readonly UnitFile[] {
  if (/["'\\]/.test(paths.nodePath)) {
    throw new HostRefusal(
      `systemd takes no quotes or backslashes in the path of a program: ${paths.nodePath}`,
    )
  }
  const values = {
    node: systemdWord(paths.nodePath),
    agentd: systemdWord(paths.agentdPath).replaceAll('$', () => '$$'),
    log: '',
  }
  return names.map((name) => {
    const template = readFileSync(join(paths.packageRoot, 'systemd', name), 'utf8')
    return { path: systemdPath(environment, name), contents: renderUnit(template, values) }
  })
}

function systemdPath(environment: Environment, name: string): string {
  return join(configHome(environment), 'systemd', 'user', name)
}

function launchAgentPath({ homeDir }: Environment, label: string): string {
  return join(homeDir, 'Library', 'LaunchAgents', `${label}.plist`)
}

function launchAgent(
  environment: Environment,
  paths: UnitPaths,
  { label, log }: { readonly label: string; readonly log: string },
): UnitFile {
  const path = launchAgentPath(environment, label)
  const template = readFileSync(join(paths.packageRoot, 'launchd', basename(path)), 'utf8')
  return {
    path,
    contents: renderUnit(template, {
      node: xmlText(paths.nodePath),
      agentd: xmlText(paths.agentdPath),
      log: xmlText(log),
    }),
  }
}

function requirePrintable(path: string): void {
  if (/\p{Cc}/u.test(path)) throw new HostRefusal(`The path ${JSON.stringify(path)} cannot stand in a unit.`)
}

/** One quoted word of ExecStart. `$` stays as it is: it counts in arguments, not in the program's path. */
function systemdWord(path: string): string {
  return `"${path.replace(/["\\]/g, String.raw`\$&`).replaceAll('%', '%%')}"`
}

function xmlText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** Undefined when nothing is there; empty, so not ours, when it is no plain file: a masked unit is a link. */
function readUnit(path: string): string | undefined {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (!found) return undefined
  return found.isFile() ? readFileSync(path, 'utf8') : ''
}

function isOurs(contents: string | undefined): boolean {
  return contents !== undefined && MARKERS.some((marker) => contents.startsWith(marker))
}

function requireOurs(path: string): void {
  const contents = readUnit(path)
  if (contents === undefined || isOurs(contents)) return
  throw new HostRefusal(`${path} is refused: agentd did not write it; move it away first.`)
}

function writeWhole({ path, contents }: UnitFile): void {
  // 0700 whatever the umask: who may write one of them decides what the service manager starts (HD-22).
  makeDirectories(dirname(path))
  const draft = join(dirname(path), `.${basename(path)}.${randomBytes(4).toString('hex')}`)
  writeFileSync(draft, contents, { flag: 'wx' })
  chmodSync(draft, 0o644)
  renameSync(draft, path)
}
