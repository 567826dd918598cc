/**
 * One runtime, and everything that is looked at to tell how it is.
 */
import { UsageError } from '../../core/errors.ts'
import type { Environment } from '../../host/config/paths.ts'
import { capabilities, type Capability } from '../capabilities.ts'
import { runtimesNamed } from '../catalogue.ts'
import type { Launch } from '../setup/files/launch.ts'
import { pathsFor, type RuntimePaths } from '../setup/paths.ts'
import type { RuntimeSetup } from '../setup/target.ts'

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

/** One runtime under examination. */
export interface DoctorTarget {
  readonly setup: RuntimeSetup
  readonly capability: Capability
  readonly surroundings: Surroundings
  /** For the user everywhere, and for the project the command was given in. */
  readonly user: RuntimePaths
  readonly project: RuntimePaths
}

/** @throws UsageError for a name that is none */
export function targetsNamed(names: readonly string[], surroundings: Surroundings): readonly DoctorTarget[] {
  const { environment, directory } = surroundings
  const user = pathsFor(environment, 'user', directory)
  const project = pathsFor(environment, 'project', directory)
  const known = capabilities()
  return runtimesNamed(names).flatMap((setup) => {
    const capability = known.find(({ runtime }) => runtime === setup.id)
    if (capability === undefined) {
      throw new UsageError(`agentd doctor looks at no "${setup.id}"; leave it out.`)
    }
    return [{ setup, capability, surroundings, user, project }]
  })
}

/** Those that this machine has. */
export function targetsInstalled(surroundings: Surroundings): readonly DoctorTarget[] {
  const all = targetsNamed(
    capabilities().map(({ runtime }) => runtime),
    surroundings,
  )
  return all.filter(({ setup, user }) => setup.isInstalled(user))
}
