/**
 * What set-up wants of some runtimes, without asking what this machine has.
 */
import { claudeHooks } from '../../../src/runtimes/claude-code/setup.ts'
import { codex } from '../../../src/runtimes/codex/setup.ts'
import { cursor } from '../../../src/runtimes/cursor/setup.ts'
import type { Launch } from '../../../src/runtimes/setup/files/launch.ts'
import { pathsFor } from '../../../src/runtimes/setup/paths.ts'
import { vscode } from '../../../src/runtimes/vscode/setup.ts'
import type { RuntimeSetup, SetupRequest, DesiredFile } from '../../../src/runtimes/setup/target.ts'
import { surroundings } from '../../host/surroundings.ts'

/** An installation. */
export const LAUNCH: Launch = { node: '/opt/node/bin/node', script: '/opt/agentd/bin/agentd.cjs' }

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
  return fileNamed(cursor, 'hooks.json')
}

/** The servers of VS Code. */
export function vscodeFile(): DesiredFile {
  return fileNamed(vscode, 'mcp.json')
}

/** Codex' configuration. */
export function codexToml(launch = LAUNCH): DesiredFile {
  return fileNamed(codex, 'config.toml', launch)
}

function fileNamed(setup: RuntimeSetup, name: string, launch = LAUNCH): DesiredFile {
  const found = setup.files(requestFor(launch)).find(({ path }) => path.endsWith(`/${name}`))
  if (found === undefined) throw new Error(`there is no ${name}`)
  return found
}

function requestFor(launch: Launch): SetupRequest {
  const places = pathsFor(surroundings('/nowhere'), 'user', '/nowhere')
  return { places, launch, parts: ['hooks', 'mcp'], plugin: false }
}
