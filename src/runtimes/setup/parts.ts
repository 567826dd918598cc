/**
 * What set-up writes for a runtime, as far as that hangs on nobody's machine.
 */
import type { Environment } from '../../host/config/paths.ts'
import { pathsFor } from './paths.ts'
import type { DesiredFile, RuntimeSetup, SetupRequest } from './target.ts'

/** A part as people read it. */
export type PartTitle = 'hooks' | 'MCP'

/** Surroundings of nobody. */
const NOWHERE: Environment = {
  env: {},
  uid: -1,
  userName: 'nobody',
  homeDir: '/nowhere',
  platform: 'linux',
  runUserDir: '/nowhere/run',
}

/** What `agentd setup` writes without being asked for more. */
export function usualParts(setup: RuntimeSetup): readonly PartTitle[] {
  return partsOf(setup, false)
}

/** What it writes when asked for the plugin too, and not otherwise. */
export function partsOnRequest(setup: RuntimeSetup): readonly PartTitle[] {
  const usual = usualParts(setup)
  return partsOf(setup, true).filter((part) => !usual.includes(part))
}

/** Whether set-up arms a hook that waits, and wakes the session when it ends. */
export function armsWaiting(setup: RuntimeSetup): boolean {
  return setup.files(requestFor(false)).some((file) => holds(file, 'wait'))
}

/**
 * Which of these events set-up listens to, its plugin too.
 *
 * @param names - of the runtime's own
 */
export function installedEvents(setup: RuntimeSetup, names: readonly string[]): readonly string[] {
  const files = setup.files(requestFor(true))
  return names.filter((name) =>
    files.some((file) =>
      // A file of code names what it listens to in quotes.
      file.format === 'whole'
        ? file.text.includes(`'${name}'`)
        : file.format === 'json' &&
          file.entries.some((entry) => entry.kind === 'hook' && entry.event === name),
    ),
  )
}

function partsOf(setup: RuntimeSetup, plugin: boolean): readonly PartTitle[] {
  const request = requestFor(plugin)
  const files = setup.files(request)
  const hasHooks = files.some(
    (file) => holds(file, 'hook') || (file.part === 'hooks' && file.format === 'whole'),
  )
  const hasServer =
    files.some((file) => holds(file, 'server') || file.format === 'toml') ||
    setup.server?.(request) !== undefined
  return [...(hasHooks ? (['hooks'] as const) : []), ...(hasServer ? (['MCP'] as const) : [])]
}

function holds(file: DesiredFile, what: 'hook' | 'server' | 'wait'): boolean {
  if (file.format !== 'json') return false
  return file.entries.some((entry) =>
    what === 'wait' ? entry.kind === 'hook' && entry.role === 'wait' : entry.kind === what,
  )
}

function requestFor(plugin: boolean): SetupRequest {
  return {
    paths: pathsFor(NOWHERE, 'user', '/nowhere'),
    launch: { node: '/nowhere/node', script: '/nowhere/agentd.cjs' },
    parts: ['hooks', 'mcp'],
    plugin,
  }
}
