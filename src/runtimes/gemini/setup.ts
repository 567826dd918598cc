/**
 * Setting up the Gemini CLI: hooks and server, both in `settings.json`.
 *
 * @see docs/runtimes.md §4
 */
import { join } from 'node:path'
import { groupedHooks, type EventHook } from '../setup/files/hook-lists.ts'
import type { JsonEntry } from '../setup/files/json-file.ts'
import { eventLine, serverArguments } from '../setup/files/launch.ts'
import { geminiHome } from './paths.ts'
import { environmentMember, type RuntimeFiles } from '../setup/target.ts'

const NAME = 'gemini'

/**
 * Milliseconds, unlike everybody else's. Not PreCompress: it fires before every request to the model, and would
 * start a process each time for nothing.
 */
const EVENTS: readonly EventHook[] = [
  { event: 'SessionStart', isStart: true, matcher: '*', timeout: 5_000 },
  { event: 'BeforeAgent', timeout: 5_000 },
  { event: 'BeforeTool', matcher: 'write_file|replace', timeout: 5_000 },
  { event: 'AfterTool', matcher: '*', timeout: 5_000 },
  { event: 'AfterAgent', timeout: 5_000 },
  { event: 'SessionEnd', timeout: 2_000 },
  { event: 'Notification', matcher: 'ToolPermission', timeout: 5_000 },
]

const SERVER_TIMEOUT_MS = 30_000

/** The Gemini CLI. */
export const geminiFiles: RuntimeFiles = {
  home: geminiHome,
  readAtStart: ['hooks', 'mcp'],
  files({ paths, launch, parts }) {
    const folder = paths.scope === 'user' ? geminiHome(paths) : join(paths.project, '.gemini')
    const hooks = groupedHooks(EVENTS, ({ timeout, isStart = false }) => ({
      name: 'agentd',
      type: 'command',
      command: eventLine(launch, NAME, isStart),
      timeout,
    }))
    const server: JsonEntry = {
      kind: 'server',
      list: 'mcpServers',
      server: {
        ...serverArguments(launch),
        ...environmentMember(paths),
        timeout: SERVER_TIMEOUT_MS,
        trust: false,
      },
    }
    // One file for both parts.
    const entries = [...(parts.includes('hooks') ? hooks : []), ...(parts.includes('mcp') ? [server] : [])]
    const [part = 'hooks'] = parts
    return [{ path: join(folder, 'settings.json'), part, format: 'json', hookName: NAME, entries }]
  },
  notes: () => [],
}
