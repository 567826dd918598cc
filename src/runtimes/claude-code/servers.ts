/**
 * The servers that Claude Code has under our name.
 *
 * @see docs/runtimes.md §1.7
 */
import { join } from 'node:path'
import { memberAt, readJsonConfig } from '../doctor/config-text.ts'
import { serverAt, type ServerEntry } from '../doctor/server-entry.ts'
import type { DoctorTarget } from '../doctor/target.ts'
import { SERVER_NAME } from '../setup/files/json-file.ts'
import { claudeState } from './paths.ts'

/** Claude Code keeps them in one file, for the user and for each project; the plugin brings its own. */
export function claudeServers({ user }: DoctorTarget): readonly ServerEntry[] {
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
