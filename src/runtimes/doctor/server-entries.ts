/**
 * The servers under our name that a runtime has, wherever they stand.
 */
import { join } from 'node:path'
import { SERVER_NAME } from '../setup/files/json-file.ts'
import { isOwnServer, type Launch } from '../setup/files/launch.ts'
import { claudeState, type RuntimePaths } from '../setup/paths.ts'
import type { DesiredFile } from '../setup/target.ts'
import { memberAt, readJsonConfig, readTomlConfig } from './config-text.ts'
import { launchOf } from './own-launch.ts'
import type { DoctorTarget } from './target.ts'
import { desiredFiles } from './setup-files.ts'
import { isJsonObject } from '../../core/text/json-object.ts'

/** A server entry under our name. */
export interface ServerEntry {
  readonly path: string
  readonly isOurs: boolean
  readonly launch: Launch | undefined
  /** Variables the host hands to it. */
  readonly env: Readonly<Record<string, string>>
}

/** Every server entry under our name. */
export function serverEntries(target: DoctorTarget): readonly ServerEntry[] {
  const { setup, user, project } = target
  if (setup.id === 'claude-code') return claudeServers(user)
  return [user, project].flatMap((places) => desiredFiles(target, places).flatMap((file) => serversIn(file)))
}

function serversIn(desired: DesiredFile): readonly ServerEntry[] {
  if (desired.format === 'toml') {
    const { value } = readTomlConfig(desired.path)
    return serverAt(memberAt(value, 'mcp_servers', SERVER_NAME), desired.path)
  }
  if (desired.format !== 'json') return []
  const { value } = readJsonConfig(desired.path)
  return desired.entries.flatMap((entry) =>
    entry.kind === 'server' ? serverAt(memberAt(value, entry.list, SERVER_NAME), desired.path) : [],
  )
}

/** Claude Code keeps them in one file, for the user and for each project; the plugin brings its own. */
function claudeServers(user: RuntimePaths): readonly ServerEntry[] {
  const path = claudeState(user)
  const { value } = readJsonConfig(path)
  const local = memberAt(value, 'projects', user.project, 'mcpServers', SERVER_NAME)
  const shared = join(user.project, '.mcp.json')
  return [
    ...serverAt(memberAt(value, 'mcpServers', SERVER_NAME), path),
    ...serverAt(local, path),
    ...serverAt(memberAt(readJsonConfig(shared).value, 'mcpServers', SERVER_NAME), shared),
  ]
}

function serverAt(value: unknown, path: string): readonly ServerEntry[] {
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
