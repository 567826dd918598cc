/**
 * What holds for each setting, and who says so: the file, a variable of this shell, or nobody.
 */
import { UsageError } from '../../core/errors.ts'
import { readConfigFile } from '../../host/config/config-file.ts'
import { configSchema } from '../../host/config/config-keys.ts'
import { takesEffect, type TakesEffect } from '../../host/config/config-schema.ts'
import { configPath, resolveSocketPath, type Environment } from '../../host/config/paths.ts'
import { principalFrom } from '../../host/config/principal.ts'
import { parseObject, readConfigText } from './change-config.ts'
import { valueAt } from './config-text.ts'
import { settingsOf, type Place, type Setting } from './setting-keys.ts'

/** A setting as it holds here. */
export interface Effective extends Setting {
  readonly value: unknown
  /** `default`, `file`, or the name of a variable. */
  readonly source: string
  readonly effect: TakesEffect
}

/** Setting → the variable that overrides the file. */
const VARIABLES: Readonly<Record<string, string>> = {
  socket: 'AGENTD_SOCKET',
  principal: 'AGENTD_PRINCIPAL',
  profile: 'AGENTD_PROFILE',
}

/** The variable of this shell that goes before the file; undefined where none does. */
export function overridingVariable({ env }: Environment, key: string): string | undefined {
  const name = VARIABLES[key]
  return name !== undefined && env[name] ? name : undefined
}

/** All of them. @throws HostRefusal for a file that the daemon refuses */
export function effectiveSettings(environment: Environment): readonly Effective[] {
  const valueOf = effectiveValues(environment)
  return settingsOf(configSchema()).map((setting) => ({
    ...setting,
    ...valueOf(setting),
    effect: takesEffect(setting.key),
  }))
}

/** What holds at one place, sections and members of links too. @throws HostRefusal as {@link effectiveSettings} */
export function effectiveValue(
  environment: Environment,
  place: Pick<Place, 'key' | 'path'>,
): { readonly value: unknown; readonly source: string } {
  return effectiveValues(environment)(place)
}

type Reader = (place: Pick<Place, 'key' | 'path'>) => { readonly value: unknown; readonly source: string }

function effectiveValues(environment: Environment): Reader {
  const text = readConfigText(environment)
  const written = text === undefined ? {} : parseObject(text, configPath(environment))
  const whole = readConfigFile(environment)
  return ({ key, path }) => {
    const variable = overridingVariable(environment, key)
    const override = variable === undefined ? undefined : environment.env[variable]
    const inFile = valueAt(written, path) !== undefined
    const source = variable ?? (inFile ? 'file' : 'default')
    return { value: standing(environment, key, override) ?? valueAt(whole, path), source }
  }
}

/** What is worked out from more than the file; undefined for everything else. */
function standing(environment: Environment, key: string, override: string | undefined): unknown {
  try {
    if (key === 'socket') return resolveSocketPath(environment).path
    if (key === 'principal') return principalFrom(environment)
  } catch (error) {
    // A variable that the daemon would refuse: it is shown as it is.
    if (!(error instanceof UsageError)) throw error
  }
  return override || undefined
}
