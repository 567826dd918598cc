/**
 * Setting up Cursor: hooks in the flat form, and a server.
 *
 * @see docs/runtimes.md §3
 */
import { join } from 'node:path'
import { flatHooks, type EventHook } from '../setup/files/hook-lists.ts'
import { eventLine, serverArguments } from '../setup/files/launch.ts'
import { cursorHome } from './paths.ts'
import { environmentMember, type RuntimeFiles } from '../setup/target.ts'

const NAME = 'cursor'

/** Seconds. */
const EVENTS: readonly EventHook[] = [
  { event: 'sessionStart', isStart: true, timeout: 5 },
  { event: 'beforeSubmitPrompt', timeout: 5 },
  { event: 'preToolUse', matcher: 'Write', timeout: 5 },
  { event: 'postToolUse', timeout: 5 },
  { event: 'afterFileEdit', timeout: 5 },
  { event: 'stop', timeout: 5 },
  { event: 'sessionEnd', timeout: 2 },
]

/** Follow-ups in a row that Cursor lets a `stop` hook ask for. */
const LOOP_LIMIT = 5

/** Cursor. */
export const cursorFiles: RuntimeFiles = {
  home: cursorHome,
  readAtStart: [],
  files({ paths, launch }) {
    const folder = paths.scope === 'user' ? cursorHome(paths) : join(paths.project, '.cursor')
    const hooks = flatHooks(EVENTS, ({ event, matcher, timeout, isStart = false }) => ({
      command: eventLine(launch, NAME, isStart),
      timeout,
      ...(matcher !== undefined && { matcher }),
      ...(event === 'stop' && { loop_limit: LOOP_LIMIT }),
    }))
    const server = { type: 'stdio', ...serverArguments(launch), ...environmentMember(paths) }
    return [
      {
        path: join(folder, 'hooks.json'),
        part: 'hooks',
        format: 'json',
        hookName: NAME,
        entries: [{ kind: 'constant', key: 'version', value: 1 }, ...hooks],
      },
      {
        path: join(folder, 'mcp.json'),
        part: 'mcp',
        format: 'json',
        hookName: NAME,
        entries: [{ kind: 'server', list: 'mcpServers', server }],
      },
    ]
  },
  notes: () => [],
}
