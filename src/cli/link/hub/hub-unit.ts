/**
 * The hub in the hands of the system's service manager: its unit is written, and a person starts it.
 */
import { existsSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import type { Environment } from '../../../host/config/paths.ts'
import { HostRefusal } from '../../../host/files/refusal.ts'
import { PACKAGE_ROOT } from '../../../host/package.ts'
import { hubStartCommand, hubUnitFiles, installUnits } from '../../../host/service/units.ts'

/** What was written, and the one line that starts the hub. */
export interface HubUnit {
  readonly written: readonly string[]
  readonly start: string
  /** Why nothing was written; a sentence. */
  readonly note?: string
}

/** Without a service manager, in a terminal that stays open. */
export const FOREGROUND = 'agentd link hub run'

/** Writes the unit. One that is somebody else's is left alone, and said. */
export function writeHubUnit(environment: Environment): HubUnit {
  try {
    const files = hubUnitFiles(environment, {
      nodePath: process.execPath,
      agentdPath: realpathSync(join(PACKAGE_ROOT, 'bin', 'agentd.cjs')),
      packageRoot: PACKAGE_ROOT,
    })
    const written = installUnits(files)
    const isManaged = files.length > 0 && hasManager(environment)
    return { written, start: isManaged ? hubStartCommand(environment.platform) : FOREGROUND }
  } catch (error) {
    if (error instanceof HostRefusal) return { written: [], start: FOREGROUND, note: error.message }
    throw error
  }
}

/** Whether the user's service manager runs: a container has none, and launchd is always there. */
function hasManager({ platform, runUserDir, uid }: Environment): boolean {
  return platform === 'darwin' || existsSync(join(runUserDir, String(uid), 'systemd', 'private'))
}
