/**
 * Setting up the Codex CLI: hooks in `hooks.json`, the server in `config.toml`.
 *
 * One handler of a type it does not know, and Codex drops the whole file; a changed command or position, and
 * it asks for trust again. So only `command` handlers are written, last, and always the same.
 *
 * @see docs/runtimes.md §§2.1, 2.2
 */
import { join } from 'node:path'
import { groupedHooks, type EventHook } from '../setup/files/hook-lists.ts'
import type { JsonEntry } from '../setup/files/json-file.ts'
import { eventLine, serverArguments } from '../setup/files/launch.ts'
import { codexHome } from './paths.ts'
import type { RuntimePaths } from '../setup/paths.ts'
import { daemonPlaceVariables, type RuntimeFiles } from '../setup/target.ts'

const NAME = 'codex'

/** Seconds. Codex allows SessionEnd one, whatever is written. */
const EVENTS: readonly EventHook[] = [
  { event: 'SessionStart', isStart: true, matcher: 'startup|resume|clear|compact', timeout: 5 },
  { event: 'UserPromptSubmit', timeout: 5 },
  // Bash too: a patch applied by apply_patch in a shell has no PostToolUse.
  { event: 'PreToolUse', matcher: 'apply_patch|Edit|Write|Bash', timeout: 5 },
  { event: 'PostToolUse', matcher: '*', timeout: 5 },
  { event: 'Stop', timeout: 5 },
  { event: 'SessionEnd' },
]

/** What the hooks section holds. @param line - of an event, by whether a session begins with it */
export function codexHooksBy(line: (isStart: boolean) => string): readonly JsonEntry[] {
  return groupedHooks(EVENTS, ({ timeout, isStart = false }) => ({
    type: 'command',
    command: line(isStart),
    ...(timeout !== undefined && { timeout }),
  }))
}

/** The Codex CLI. */
export const codexFiles: RuntimeFiles = {
  home: codexHome,
  readAtStart: ['hooks', 'mcp'],
  files({ paths, launch }) {
    const folder = folderOf(paths)
    const entries = codexHooksBy((isStart) => eventLine(launch, NAME, isStart))
    const variables = daemonPlaceVariables(paths)
    const server = {
      ...serverArguments(launch),
      ...(Object.keys(variables).length > 0 && { env: variables }),
    }
    return [
      { path: join(folder, 'hooks.json'), part: 'hooks', format: 'json', hookName: NAME, entries },
      { path: join(folder, 'config.toml'), part: 'mcp', format: 'toml', server },
    ]
  },
  notes: ({ parts }) =>
    parts.includes('hooks')
      ? ['Codex runs no hook you have not trusted: run /hooks in Codex and trust agentd.']
      : [],
}

function folderOf(paths: RuntimePaths): string {
  return paths.scope === 'user' ? codexHome(paths) : join(paths.project, '.codex')
}
