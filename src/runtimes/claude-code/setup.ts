/**
 * Setting up Claude Code: hooks in its settings, its server through its own command.
 *
 * `.claude.json` is large and written by Claude Code while it runs, so it is read here and edited by its own command; what
 * that leaves of a list of servers that was not there before goes under Claude Code's own lock.
 *
 * @see docs/runtimes.md §§1.4, 1.5, 1.7
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { systemErrorCode } from '../../core/thrown.ts'
import { HostRefusal } from '../../host/files/refusal.ts'
import { ASKING_TOOL, NOTICES } from './activity.ts'
import { memberAt } from '../doctor/config-text.ts'
import { claudePlugin, hasPlugin, pluginNotes } from './plugin.ts'
import { WAIT_SECONDS } from '../setup/files/curl-line.ts'
import { groupedHooks, type EventHook } from '../setup/files/hook-lists.ts'
import { SERVER_NAME, stripJson, type JsonEntry } from '../setup/files/json-file.ts'
import { isBlank } from '../setup/files/json-text.ts'
import { eventLine, isOwnServer, serverArguments, waitLine, type Launch } from '../setup/files/launch.ts'
import { claudeHome, claudeState } from './paths.ts'
import { ATTENDED_VARIABLE, SESSION_VARIABLE } from './variables.ts'
import { findProgram, type RuntimePaths } from '../setup/paths.ts'
import {
  daemonPlaceVariables,
  type RuntimeFiles,
  type SetupRequest,
  type VendorServer,
  type DesiredFile,
} from '../setup/target.ts'

const NAME = 'claude-code'

/** Tools that change files. */
const EDITS = 'Edit|MultiEdit|Write|NotebookEdit'

/** Tools by which a file is read: what is told before an edit arrives with the edit's own result, which is too late (OP-21). */
const READS = 'Read|NotebookRead'

/** What the first versions asked to hear of, besides edits, when it had run. */
const FORMERLY_HEARD = `Bash|${ASKING_TOOL}|ExitPlanMode|WebFetch|WebSearch`

/** Seconds; the default of ten minutes would let a stuck hook hold the session up. */
const EVENTS: readonly EventHook[] = [
  { event: 'SessionStart', isStart: true, timeout: 5 },
  { event: 'UserPromptSubmit', timeout: 5 },
  {
    event: 'PreToolUse',
    matcher: `${EDITS}|${READS}|${ASKING_TOOL}`,
    formerMatchers: [EDITS, `${EDITS}|${ASKING_TOOL}`],
    timeout: 5,
  },
  // Of all tools: whatever a turn consists of, it is heard of, and hears (OP-13, OP-23).
  { event: 'PostToolUse', formerMatchers: [`${EDITS}|Bash`, `${EDITS}|${FORMERLY_HEARD}`], timeout: 5 },
  { event: 'Stop', timeout: 5 },
  // All SessionEnd hooks share one and a half seconds, unless one asks for more.
  { event: 'SessionEnd', timeout: 2 },
  // Behind those of earlier versions, as an upgrade adds them.
  { event: 'Notification', matcher: NOTICES.join('|'), timeout: 5 },
  { event: 'StopFailure', timeout: 5 },
  // One for each step of the model, whatever it called at once.
  { event: 'PostToolBatch', timeout: 5 },
  { event: 'PostToolUseFailure', timeout: 5 },
]

/** What its list of servers is called, for the user and for each project. */
const SERVERS = 'mcpServers'

/** The hook that waits in the background and wakes the session; armed anew after each wake. */
const WAITING = ['SessionStart', 'Stop']
const WAIT_VARIABLES = { session: SESSION_VARIABLE, attended: ATTENDED_VARIABLE }

/** How the lines of hooks are written: each event's, and the one that waits beside an idle session. */
export interface HookLines {
  event(isStart: boolean): string
  waiting(): string
}

/** What the hooks section holds; the plugin brings the same. */
export function claudeHooks(launch: Launch): readonly JsonEntry[] {
  return claudeHooksBy({
    event: (isStart) => eventLine(launch, NAME, isStart),
    waiting: () => waitLine(launch, NAME, WAIT_VARIABLES),
  })
}

/** As above, by whatever lines. */
export function claudeHooksBy(lines: HookLines): readonly JsonEntry[] {
  const waiting = WAITING.map((event): JsonEntry => ({
    kind: 'hook',
    role: 'wait',
    event,
    handler: {
      type: 'command',
      command: lines.waiting(),
      asyncRewake: true,
      timeout: WAIT_SECONDS,
    },
    group: {},
  }))
  const usual = groupedHooks(EVENTS, ({ timeout, isStart = false }) => ({
    type: 'command',
    command: lines.event(isStart),
    timeout,
  }))
  return [...usual, ...waiting]
}

/** Claude Code. */
export const claudeFiles: RuntimeFiles = {
  home: claudeHome,
  // It watches its settings, and takes up hooks in the middle of a session.
  readAtStart: ['mcp'],
  files(request) {
    const { launch, paths, pluginFolder, parts } = request
    if (pluginFolder !== undefined) {
      requireNoHooks(settings(request))
      return claudePlugin(pluginFolder, launch, claudeHooks(launch))
    }
    if (parts.includes('hooks')) requireNoPlugin(paths)
    return [settings(request)]
  },
  notes: ({ pluginFolder }) => (pluginFolder === undefined ? [] : pluginNotes(pluginFolder)),
  server,
  manifestKey: ({ pluginFolder }) => pluginFolder,
}

function settings({ paths, launch }: SetupRequest): DesiredFile {
  return {
    path:
      paths.scope === 'user'
        ? join(claudeHome(paths), 'settings.json')
        : // The personal one: absolute paths are of no use to others.
          join(paths.project, '.claude', 'settings.local.json'),
    part: 'hooks',
    format: 'json',
    hookName: NAME,
    entries: claudeHooks(launch),
  }
}

function server({ paths, launch, pluginFolder }: SetupRequest): VendorServer | undefined {
  // The plugin brings it.
  if (pluginFolder !== undefined) return undefined
  const { command, args } = serverArguments(launch)
  const scope = paths.scope === 'user' ? 'user' : 'local'
  const variables = Object.entries(daemonPlaceVariables(paths)).flatMap(([name, value]) => [
    '--env',
    `${name}=${value}`,
  ])
  const state = readState(paths)
  const list = { path: claudeState(paths), key: SERVERS, isThere: memberAt(state, SERVERS) !== undefined }
  const found = readServer(paths, state)
  const isSame = found instanceof Object && holds(found, command, args)
  return {
    state: found === undefined ? 'absent' : !isOwnServer(found) ? 'foreign' : isSame ? 'same' : 'old',
    program: findProgram(paths.environment, 'claude'),
    name: 'claude',
    directory: paths.scope === 'project' ? paths.project : undefined,
    // `--env` takes every word that follows, up to the next option.
    add: ['mcp', 'add', ...variables, '--scope', scope, SERVER_NAME, '--', command, ...args],
    remove: ['mcp', 'remove', '--scope', scope, SERVER_NAME],
    list: paths.scope === 'user' ? list : undefined,
  }
}

function holds(found: object, command: string, args: readonly string[]): boolean {
  return (
    Reflect.get(found, 'command') === command &&
    JSON.stringify(Reflect.get(found, 'args')) === JSON.stringify(args)
  )
}

/** Its entry for us: of the user, or of this project. */
function readServer(paths: RuntimePaths, state: unknown): unknown {
  const owner = paths.scope === 'user' ? state : memberAt(state, 'projects', paths.project)
  return memberAt(owner, SERVERS, SERVER_NAME)
}

function readState(paths: RuntimePaths): unknown {
  const path = claudeState(paths)
  const text = readIfThere(path)
  if (text === undefined) return undefined
  try {
    const state: unknown = JSON.parse(text)
    return state
  } catch (error) {
    throw new HostRefusal(`${path} cannot be read, so its servers are not known.`, { cause: error })
  }
}

/** Plugin and settings together would run every hook twice. */
function requireNoPlugin(paths: RuntimePaths): void {
  if (!hasPlugin(paths)) return
  throw new HostRefusal(
    'Claude Code has the plugin of agentd, which brings the same hooks; run "claude plugin uninstall agentd" first.',
  )
}

/** The other way round. */
function requireNoHooks({ path }: DesiredFile): void {
  const text = readIfThere(path)
  if (text === undefined || isBlank(text) || stripJson(text, [], { hookName: NAME, path }) === text) return
  throw new HostRefusal(
    `${path} has the hooks the plugin brings; run "agentd setup claude-code --undo" first.`,
  )
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').replace(/^\uFEFF/, '')
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return undefined
    throw new HostRefusal(`${path} cannot be read.`, { cause: error })
  }
}
