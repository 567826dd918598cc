/**
 * A server entry under our name, whoever wrote it.
 */
import { isJsonObject } from '../../core/text/json-object.ts'
import { isOwnServer, type Launch } from '../setup/files/launch.ts'
import { launchOf } from './hook-file.ts'

/** A server entry under our name. */
export interface ServerEntry {
  readonly path: string
  readonly isOurs: boolean
  readonly launch: Launch | undefined
  /** Variables the host hands to it. */
  readonly env: Readonly<Record<string, string>>
}

/** The entry that a value is; none for a value that is no object. */
export function serverAt(value: unknown, path: string): readonly ServerEntry[] {
  if (!isJsonObject(value)) return []
  const env = isJsonObject(value['env']) ? value['env'] : value['environment']
  const variables = Object.entries(isJsonObject(env) ? env : {}).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  )
  const isOurs = isOwnServer(value)
  return [
    {
      path,
      isOurs,
      launch: isOurs ? launchOf(value) : undefined,
      env: Object.fromEntries(variables),
    },
  ]
}
