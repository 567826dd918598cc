/**
 * The runtimes that can be set up.
 */
import { UsageError } from '../core/errors.ts'
import { gitHooks } from './git/setup.ts'
import { claudeCode } from './claude-code/setup.ts'
import { codex } from './codex/setup.ts'
import { copilot } from './copilot/setup.ts'
import { cursor } from './cursor/setup.ts'
import { gemini } from './gemini/setup.ts'
import { opencode } from './opencode/setup.ts'
import type { RuntimePaths } from './setup/paths.ts'
import { vscode } from './vscode/setup.ts'
import type { RuntimeSetup } from './setup/target.ts'

/** In the order they are shown in. The Copilot CLI stands before VS Code: the file they share is its own. */
const RUNTIMES: readonly RuntimeSetup[] = [claudeCode, codex, cursor, gemini, copilot, vscode, opencode]

/** Everything that can be named; git only ever is, since it is about one repository. */
const NAMED: readonly RuntimeSetup[] = [...RUNTIMES, gitHooks]

/** @throws UsageError for a name that is none */
export function runtimesNamed(names: readonly string[]): readonly RuntimeSetup[] {
  const unknown = names.find((name) => !NAMED.some(({ id }) => id === name))
  if (unknown !== undefined) {
    const known = NAMED.map(({ id }) => id).join(', ')
    throw new UsageError(`There is no runtime "${unknown}"; agentd sets up ${known}.`)
  }
  return NAMED.filter(({ id }) => names.includes(id))
}

/** Those that this machine has. */
export function runtimesInstalled(places: RuntimePaths): readonly RuntimeSetup[] {
  return RUNTIMES.filter((setup) => setup.isInstalled(places))
}

/** All that an undoing without names looks at; here, git is only looked at in its repositories. */
export function allRuntimes(everywhere: boolean): readonly RuntimeSetup[] {
  return everywhere ? NAMED : RUNTIMES
}
