/**
 * Whether the Gemini CLI trusts a folder: in one it does not, it starts no server and runs no hook, the user's too.
 *
 * As version 0.61.0 decides it: variables first, then whether trust is asked for at all, then the longest rule
 * that covers the folder. A folder without a rule is not trusted until somebody answers the dialog.
 *
 * @see docs/runtimes.md §4
 */
import { dirname, isAbsolute, join, relative, sep } from 'node:path'
import { geminiHome } from './paths.ts'
import { configFaults, type ConfigValue, memberAt, readJsonConfig } from '../doctor/config-text.ts'
import type { DoctorFinding, Notes } from '../doctor/finding.ts'
import type { DoctorTarget } from '../doctor/target.ts'
import { realOf } from '../setup/paths.ts'

const WITHOUT = 'so it starts no server and runs no hook there'

/** What keeps us out of the folder the command was given in. */
export function geminiTrust({ user, surroundings }: DoctorTarget, notes: Notes): readonly DoctorFinding[] {
  const { env } = surroundings.environment
  const folder = surroundings.directory
  const variable = distrustingVariable(env)
  if (variable !== undefined) {
    const said = `${variable} is set: Gemini CLI trusts no folder, ${WITHOUT}.`
    return [notes.warn('folder-trust', said, `take ${variable} out of the environment`)]
  }
  if (env['GEMINI_CLI_TRUST_WORKSPACE'] === 'true' || !isTrustAsked({ user, surroundings })) return []
  const rules = readJsonConfig(
    env['GEMINI_CLI_TRUSTED_FOLDERS_PATH'] || join(geminiHome(user), 'trustedFolders.json'),
  )
  if (rules.fault !== undefined) return configFaults(notes, rules, 'Gemini CLI does not start with it.')
  const level = levelOf(folder, rules)
  if (level === 'TRUST_FOLDER' || level === 'TRUST_PARENT') return []
  return [
    level === 'DO_NOT_TRUST'
      ? notes.warn(
          'folder-trust',
          `Gemini CLI does not trust ${folder} (${rules.path}), ${WITHOUT}.`,
          'run /permissions in Gemini CLI',
        )
      : notes.warn(
          'folder-trust',
          `Gemini CLI has not been told to trust ${folder}, ${WITHOUT}; without a terminal it exits with 55.`,
          'start Gemini CLI there and trust the folder, or set GEMINI_CLI_TRUST_WORKSPACE=true',
        ),
  ]
}

function distrustingVariable(env: Readonly<Record<string, string | undefined>>): string | undefined {
  if (env['GEMINI_RESTRICTED_MODE'] === 'true') return 'GEMINI_RESTRICTED_MODE=true'
  return env['GEMINI_CLI_TRUST_WORKSPACE'] === 'false' ? 'GEMINI_CLI_TRUST_WORKSPACE=false' : undefined
}

/** The settings of a project have no say in whether it is trusted. */
function isTrustAsked({ user, surroundings }: Pick<DoctorTarget, 'user' | 'surroundings'>): boolean {
  const system = join(surroundings.systemDir, 'gemini-cli')
  const said = [
    join(system, 'settings.json'),
    join(geminiHome(user), 'settings.json'),
    join(system, 'system-defaults.json'),
  ].map((path) => memberAt(readJsonConfig(path).value, 'security', 'folderTrust', 'enabled'))
  return said.find((one) => one !== undefined) !== false
}

/** Of the rule with the longest path, as it is written down. */
function levelOf(folder: string, { value }: ConfigValue): unknown {
  const real = realOf(folder)
  const [longest] = Object.entries(value)
    .filter(([path, level]) => covers(realOf(level === 'TRUST_PARENT' ? dirname(path) : path), real))
    .toSorted(([a], [b]) => b.length - a.length)
  return longest?.[1]
}

function covers(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}
