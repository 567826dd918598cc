/**
 * The servers under our name that a runtime has, wherever they stand.
 */
import { SERVER_NAME } from '../setup/files/json-file.ts'
import type { DesiredFile } from '../setup/target.ts'
import { memberAt, readJsonConfig, readTomlConfig } from './config-text.ts'
import { desiredFiles, type DoctorTarget } from './target.ts'
import { serverAt, type ServerEntry } from './server-entry.ts'

/** Every server entry under our name. */
export function serverEntries(target: DoctorTarget): readonly ServerEntry[] {
  const { runtime, user, project } = target
  const kept = runtime.doctor.servers?.(target)
  if (kept !== undefined) return kept
  return [user, project].flatMap((paths) => desiredFiles(target, paths).flatMap((file) => serversIn(file)))
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
