/**
 * What set-up wants a runtime to have: the port between the runtimes and the writing of files.
 */
import type { JsonEntry } from './files/json-file.ts'
import type { Launch } from './files/launch.ts'
import { isThere, type RuntimePaths } from './paths.ts'
import type { TomlServer } from './files/toml-file.ts'

/** Hooks and servers can be set up apart. */
export type Part = 'hooks' | 'mcp'

/** One file, and what it is to hold. */
export type DesiredFile = { readonly path: string; readonly part: Part } & (
  | { readonly format: 'json'; readonly hookName: string; readonly entries: readonly JsonEntry[] }
  | { readonly format: 'toml'; readonly server: TomlServer }
  /** Lines in the middle of a shell script of somebody else's. */
  | { readonly format: 'shell'; readonly lines: readonly string[] }
  /** A file that is ours from the first byte to the last. */
  | { readonly format: 'whole'; readonly text: string }
)

/** A member of a runtime's own state file, which it writes under the lock `<path>.lock`. */
export interface ServerList {
  readonly path: string
  readonly key: string
}

/** A program of the runtime's own that keeps its servers. */
export interface VendorServer {
  /** What it has now. */
  readonly state: 'absent' | 'same' | 'old' | 'foreign'
  /** Its absolute path; undefined where it is not installed. */
  readonly program: string | undefined
  readonly name: string
  /** Where it is to be run: in its project, when it keeps the server for that alone. */
  readonly directory?: string | undefined
  readonly add: readonly string[]
  readonly remove: readonly string[]
  /** The list it keeps for the user, and whether there is one; undefined for a project, where there always is. */
  readonly list?: (ServerList & { readonly isThere: boolean }) | undefined
}

/** What a person asked of a runtime's set-up. */
export interface SetupRequest {
  readonly paths: RuntimePaths
  readonly launch: Launch
  readonly parts: readonly Part[]
  /** OpenCode: write the plugin too. */
  readonly plugin: boolean
  /** Claude Code: write a plugin into this folder instead of its settings. */
  readonly pluginFolder?: string | undefined
}

/** What set-up knows of one runtime alone. */
export interface RuntimeFiles {
  /** The folder of its own configuration; where it is there, so is the runtime. */
  home(paths: RuntimePaths): string
  /** What a session reads when it starts and never again, so that one that runs already goes on without it. */
  readonly readAtStart: readonly Part[]
  files(request: SetupRequest): readonly DesiredFile[]
  /** Sentences for the person, once it is done. */
  notes(request: SetupRequest): readonly string[]
  server?(request: SetupRequest): VendorServer | undefined
  /** Tells manifests of one runtime apart, such as those of two plugins; undefined for the usual one. */
  manifestKey?(request: SetupRequest): string | undefined
}

/** Something we know to set up. */
export interface RuntimeSetup extends Omit<RuntimeFiles, 'home'> {
  readonly id: string
  readonly title: string
  /** About one repository, so what stands in it unrecorded is looked for only when it is named. */
  readonly isLocal?: boolean
  isInstalled(paths: RuntimePaths): boolean
}

/** A runtime, as set-up is handed it. */
export interface SetupRuntime extends Pick<RuntimeSetup, 'id' | 'title'> {
  /** Programs that tell that it is installed. */
  readonly programs: readonly string[]
  readonly files: RuntimeFiles
}

/** How a runtime is set up. */
export function setupOf({ id, title, programs, files }: SetupRuntime): RuntimeSetup {
  const isInstalled = (paths: RuntimePaths): boolean =>
    isThere(paths.environment, programs, files.home(paths))
  return { ...files, id, title, isInstalled }
}

/** What tells this set-up's manifest from others of the runtime. */
export function manifestKeyOf(setup: RuntimeSetup, request: SetupRequest): string | undefined {
  const { scope, project } = request.paths
  return setup.manifestKey?.(request) ?? (scope === 'project' ? project : undefined)
}

/** Variables that say where the daemon is, for hosts that hand over none of their own. */
export function daemonPlaceVariables({ environment }: RuntimePaths): Readonly<Record<string, string>> {
  const { env, runUserDir, uid } = environment
  const names = ['AGENTD_SOCKET', 'AGENTD_CONFIG', 'AGENTD_STATE_DIR', 'XDG_CONFIG_HOME', 'XDG_RUNTIME_DIR']
  const usual = `${runUserDir}/${uid}`
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = env[name]
      return value && value !== usual ? [[name, value]] : []
    }),
  )
}

/** The members of a server entry that carry them; none where there are none. */
export function environmentMember(paths: RuntimePaths, name = 'env'): Readonly<Record<string, unknown>> {
  const variables = daemonPlaceVariables(paths)
  return Object.keys(variables).length === 0 ? {} : { [name]: variables }
}
