/**
 * What set-up wants of some runtimes, without asking what this machine has.
 */
import { claudeHooks } from '../../../src/runtimes/claude-code/setup.ts'
import { codexFiles } from '../../../src/runtimes/codex/setup.ts'
import { cursorFiles } from '../../../src/runtimes/cursor/setup.ts'
import type { Launch } from '../../../src/runtimes/setup/files/launch.ts'
import { pathsFor } from '../../../src/runtimes/setup/paths.ts'
import { vscodeFiles } from '../../../src/runtimes/vscode/setup.ts'
import type { RuntimeFiles, SetupRequest, DesiredFile } from '../../../src/runtimes/setup/target.ts'
import { surroundings } from '../../host/surroundings.ts'

/** An installation. */
export const LAUNCH: Launch = { node: '/opt/node/bin/node', script: '/opt/agentd/bin/agentd.cjs' }

/** The same, on a machine with `curl`. */
export const CALLING: Launch = {
  ...LAUNCH,
  call: { curl: '/usr/bin/curl', socket: '/run/user/1000/agentd/agentd.sock', keyHeader: undefined },
}

type JsonFile = Extract<DesiredFile, { format: 'json' }>

/** Claude Code's settings. */
export function claudeFile(launch = LAUNCH): JsonFile {
  return {
    path: 'settings.json',
    part: 'hooks',
    format: 'json',
    hookName: 'claude-code',
    entries: claudeHooks(launch),
  }
}

/** Cursor's hooks, in the flat form. */
export function cursorFile(): DesiredFile {
  return fileNamed(cursorFiles, 'hooks.json')
}

/** The servers of VS Code. */
export function vscodeFile(): DesiredFile {
  return fileNamed(vscodeFiles, 'mcp.json')
}

/** Codex' configuration. */
export function codexToml(launch = LAUNCH): DesiredFile {
  return fileNamed(codexFiles, 'config.toml', launch)
}

function fileNamed(files: RuntimeFiles, name: string, launch = LAUNCH): DesiredFile {
  const found = files.files(desiredRequest(launch)).find(({ path }) => path.endsWith(`/${name}`))
  if (found === undefined) throw new Error(`there is no ${name}`)
  return found
}

/** For a user whose home is nowhere. */
export function desiredRequest(launch = LAUNCH): SetupRequest {
  const paths = pathsFor(surroundings('/nowhere'), 'user', '/nowhere')
  return { paths, launch, parts: ['hooks', 'mcp'], plugin: false }
}
