/**
 * Somebody's home with nothing in it but what a test puts there.
 */
import { lstatSync, mkdirSync, readFileSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { applyPlan, type Applied } from '../../../src/runtimes/setup/apply.ts'
import { gitHooks } from '../../../src/runtimes/git/setup.ts'
import { loadRuntimes } from '../../../src/runtimes/known-runtimes.ts'
import { setupsNamed, setupsUndone } from '../../../src/runtimes/setup/selection.ts'
import { planInstall } from '../../../src/runtimes/setup/install.ts'
import type { Launch } from '../../../src/runtimes/setup/files/launch.ts'
import { pathsFor, type SetupScope } from '../../../src/runtimes/setup/paths.ts'
import { planRemoval, planUninstall } from '../../../src/runtimes/setup/uninstall.ts'
import { setupOf, type SetupRequest } from '../../../src/runtimes/setup/target.ts'
import { surroundings } from '../../host/surroundings.ts'
import { createTempDir, type TempDir } from '../../support/temp-dir.ts'
import { LAUNCH } from './desired-files.ts'

/** All that can be set up, as the command knows it. */
export const SETUPS = [...(await loadRuntimes()).map(setupOf), gitHooks]

/** What may be different from the usual. */
export interface HomeOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly scope?: SetupScope
}

/** A home. Use it with `await using`. */
export interface Home extends AsyncDisposable {
  readonly dir: TempDir
  readonly request: SetupRequest
  /** A path below the home. */
  path(...names: readonly string[]): string
  write(name: string, text: string): void
  read(name: string): string
  /** Everything below the home: what is a file with its mode and bytes, what is a link with where it leads.
   * The directory of the test itself reads `@`. */
  snapshot(): Readonly<Record<string, string>>
  install(names: readonly string[], changes?: Partial<SetupRequest>): Promise<readonly Applied[]>
  undo(names: readonly string[]): Promise<readonly Applied[]>
  undoAll(): Promise<readonly Applied[]>
  /** What `agentd uninstall` does to it. */
  removeAll(): Promise<readonly Applied[]>
  /** The same home, with agentd somewhere else. */
  moved(launch: Launch): Home
}

export async function createHome({ env = {}, scope = 'user' }: HomeOptions = {}): Promise<Home> {
  const dir = await createTempDir()
  for (const name of ['home', 'project']) mkdirSync(dir.file(name), { mode: 0o700 })
  mkdirSync(dir.file('project', '.git'))
  const environment = surroundings(dir.path, {
    env: { PATH: dir.file('bin'), AGENTD_STATE_DIR: dir.file('state'), ...env },
  })
  const paths = pathsFor(environment, scope, dir.file('project'))
  return homeOf(dir, { paths, launch: LAUNCH, parts: ['hooks', 'mcp'], plugin: false })
}

function homeOf(dir: TempDir, request: SetupRequest): Home {
  const { environment } = request.paths
  const path = (...names: readonly string[]): string => dir.file('home', ...names)
  return {
    dir,
    request,
    path,
    write(name, text) {
      mkdirSync(dirname(path(name)), { recursive: true })
      writeFileSync(path(name), text)
    },
    read: (name) => readFileSync(path(name), 'utf8'),
    snapshot() {
      const found = Object.entries(snapshotOf(path()))
      return Object.fromEntries(found.map(([name, text]) => [name, text.replaceAll(dir.path, '@')]))
    },
    install(names, changes = {}) {
      const plan = () => planInstall(setupsNamed(SETUPS, names), { ...request, ...changes })
      return applyPlan(plan, undefined, environment)
    },
    undo: (names) =>
      applyPlan(() => planUninstall(setupsNamed(SETUPS, names), request, false), undefined, environment),
    undoAll() {
      return applyPlan(() => planUninstall(setupsUndone(SETUPS, true), request, true), undefined, environment)
    },
    removeAll: () => applyPlan(() => planRemoval(SETUPS, request), undefined, environment),
    moved: (launch) => homeOf(dir, { ...request, launch }),
    [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose](),
  }
}

/** Everything but git. */
export const ALL = ['claude-code', 'codex', 'cursor', 'gemini', 'copilot', 'vscode', 'opencode']

/** The lock of a set-up that was killed, out of the way at once. */
export function removeLock(home: Home): void {
  rmSync(home.dir.file('state', 'setup', 'lock'), { recursive: true, force: true })
}

export function snapshotOf(root: string): Readonly<Record<string, string>> {
  const entries = readdirSync(root, { recursive: true, encoding: 'utf8' }).toSorted()
  return Object.fromEntries(entries.map((name) => [name, describe(join(root, name))]))
}

function describe(path: string): string {
  const found = lstatSync(path)
  const mode = (found.mode & 0o7777).toString(8)
  if (found.isSymbolicLink()) return `→ ${readlinkSync(path)}`
  return found.isDirectory() ? `folder ${mode}` : `${mode} ${readFileSync(path).toString('latin1')}`
}
