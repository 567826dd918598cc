/**
 * Which of the things that can be set up are meant.
 */
import { UsageError } from '../../core/errors.ts'
import type { RuntimePaths } from './paths.ts'
import type { RuntimeSetup } from './target.ts'

/**
 * @param all - everything that can be named
 * @throws UsageError for a name that is none
 */
export function setupsNamed(all: readonly RuntimeSetup[], names: readonly string[]): readonly RuntimeSetup[] {
  const unknown = names.find((name) => !all.some(({ id }) => id === name))
  if (unknown !== undefined) {
    const known = all.map(({ id }) => id).join(', ')
    throw new UsageError(`There is no runtime "${unknown}"; agentd sets up ${known}.`)
  }
  return all.filter(({ id }) => names.includes(id))
}

/** Those that this machine has; what is about one repository is only ever named. */
export function setupsInstalled(all: readonly RuntimeSetup[], paths: RuntimePaths): readonly RuntimeSetup[] {
  return all.filter((setup) => setup.isLocal !== true && setup.isInstalled(paths))
}

/** All that an undoing without names looks at; here, a repository is only looked at when it is named. */
export function setupsUndone(all: readonly RuntimeSetup[], everywhere: boolean): readonly RuntimeSetup[] {
  return everywhere ? all : all.filter(({ isLocal }) => isLocal !== true)
}
