/**
 * One runtime, and everything that is looked at to tell how it is.
 */
import { UsageError } from '../../core/errors.ts'
import type { Environment } from '../../host/config/paths.ts'
import type { Launch } from '../setup/files/launch.ts'
import { pathsFor, type RuntimePaths } from '../setup/paths.ts'
import { findSocketPlace } from '../setup/socket-call.ts'
import { setupOf, type DesiredFile, type RuntimeFiles, type RuntimeSetup } from '../setup/target.ts'
import type { DoctorFinding } from './finding.ts'
import type { HookFile } from './hook-file.ts'
import type { ServerEntry } from './server-entry.ts'

/** Where the doctor looks. */
export interface Surroundings {
  readonly environment: Environment
  /** `--socket`; undefined for the usual place. */
  readonly socket: string | undefined
  /** How this agentd is started. */
  readonly launch: Launch
  /** Where the command was given. */
  readonly directory: string
  /** Where administrators put what rules all users; `/etc` outside tests. */
  readonly systemDir: string
}

/** What the doctor knows of one runtime alone. */
export interface RuntimeDoctor {
  /**
   * What makes the runtime leave us out without a word.
   *
   * @param files - of hooks, ours among them
   */
  switches(target: DoctorTarget, files: readonly HookFile[]): readonly DoctorFinding[]
  /** Whether its host hands a server next to none of its own variables. */
  readonly scrubsVariables?: boolean
  /** A plugin that brings hooks and server from elsewhere than set-up writes. */
  readonly plugin?: {
    isOn(target: DoctorTarget): boolean
    hookFiles(target: DoctorTarget): readonly HookFile[]
  }
  /** Its server entries, where its own program keeps them. */
  servers?(target: DoctorTarget): readonly ServerEntry[]
}

/** A runtime as it is handed to the doctor. */
export interface DoctorRuntime {
  readonly id: string
  /** Its name for people. */
  readonly title: string
  /** Programs it may be started by, the usual one first. */
  readonly programs: readonly string[]
  /** The version that was tried; undefined where none was. */
  readonly verified: { readonly how: string; readonly version: string | undefined }
  readonly files: RuntimeFiles
  readonly doctor: RuntimeDoctor
}

/** One runtime under examination. */
export interface DoctorTarget {
  readonly runtime: DoctorRuntime
  readonly setup: RuntimeSetup
  readonly surroundings: Surroundings
  /** Where the daemon of these surroundings listens; undefined where no place for it can be had. */
  readonly place: string | undefined
  /** For the user everywhere, and for the project the command was given in. */
  readonly user: RuntimePaths
  readonly project: RuntimePaths
}

/**
 * @param names - none: those that this machine has
 * @throws UsageError for a name that is none
 */
export function findTargets(
  names: readonly string[],
  runtimes: readonly DoctorRuntime[],
  surroundings: Surroundings,
): readonly DoctorTarget[] {
  const unknown = names.find((name) => !runtimes.some(({ id }) => id === name))
  if (unknown !== undefined) {
    const known = runtimes.map(({ id }) => id).join(', ')
    throw new UsageError(`There is no runtime "${unknown}" to look at; agentd doctor looks at ${known}.`)
  }
  const named = runtimes.filter(({ id }) => names.length === 0 || names.includes(id))
  const place = findSocketPlace(surroundings.environment, surroundings.socket)
  return named
    .map((runtime) => targetOf(runtime, surroundings, place))
    .filter(({ setup, user }) => names.length > 0 || setup.isInstalled(user))
}

function targetOf(
  runtime: DoctorRuntime,
  surroundings: Surroundings,
  place: string | undefined,
): DoctorTarget {
  const { environment, directory } = surroundings
  return {
    runtime,
    setup: setupOf(runtime),
    surroundings,
    place,
    user: pathsFor(environment, 'user', directory),
    project: pathsFor(environment, 'project', directory),
  }
}

/** The files that set-up would write for it: those of both parts, and of the plugin too. */
export function desiredFiles(
  { setup, runtime, surroundings }: DoctorTarget,
  paths: RuntimePaths,
): readonly DesiredFile[] {
  return setup.files({
    paths,
    launch: surroundings.launch,
    // A runtime with a plugin refuses hooks beside it; both are looked for here.
    parts: runtime.doctor.plugin === undefined ? ['hooks', 'mcp'] : [],
    plugin: true,
  })
}
