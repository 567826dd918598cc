/**
 * One event of any runtime, in one shape.
 *
 * @see docs/runtimes.md §§1.2, 2.1, 3, 4, 5; §10 rule 2
 */
import {
  firstTextOf,
  listMember,
  memberOf,
  numberOf,
  objectOf,
  textMember,
} from '../../core/text/json-object.ts'
import { wireNameOf, type EventMembers } from './members.ts'
import { readActivity } from './activity.ts'
import type { Activity, EventName, EventNames, HookRuntime } from './hook-runtime.ts'

/** The tool that is about to run, or has run. */
export interface ToolUse {
  readonly name: string
  readonly input: EventMembers
  /** What it answered, in whatever form. */
  readonly response: unknown
  /** Where a command has left the shell; undefined before it, and where the event's directory is the one it began in. */
  readonly leftIn?: string | undefined
  /** How long it ran, in milliseconds; undefined before it, and where the runtime does not say. */
  readonly tookMs?: number | undefined
}

/** One event. */
export interface HookEvent {
  readonly runtime: HookRuntime
  readonly name: EventName
  /** The runtime's own name for it, which some answers have to repeat. */
  readonly wireName: string
  /** The runtime's own id of the session. */
  readonly sessionId: string
  readonly cwd: string | undefined
  /** Of a start: `startup`, `resume`, `clear`, `compact`, `fork`, `new`. Of an end: its reason. */
  readonly cause: string | undefined
  /** From within a subagent, whose work is the session's and whose inbox is not. */
  readonly isSubagent: boolean
  /** The turn goes on already because a hook desired it to. */
  readonly isContinuing: boolean
  /** The model has not begun to answer what it was to be asked with last, as its runtime says; so at the end of a turn too. */
  readonly isUnanswered: boolean
  readonly tool: ToolUse | undefined
  /** What a turn begins with; undefined where the runtime does not say. */
  readonly prompt: string | undefined
  /** What it says the session does; undefined where it does not say, and from within a subagent. */
  readonly activity: Activity | undefined
  readonly model: string | undefined
  readonly title: string | undefined
  /** Equal for two hooks of one event; undefined when the runtime gives nothing to tell. */
  readonly key: string | undefined
  /** Where the runtime itself listens (OpenCode). */
  readonly serverUrl: string | undefined
}

/** What tells one occurrence of an event from the next. */
const IDS = ['tool_use_id', 'toolUseId', 'turn_id', 'prompt_id', 'generation_id']

/** Longer ids are no ids; they would only fill the memory of what was dealt with. */
const MAX_ID_CHARS = 256

/**
 * @param names - of all runtimes: one may run the hooks of another
 * @returns undefined for an event that is none of ours, or of no session
 */
export function readEvent(
  payload: EventMembers,
  runtime: HookRuntime,
  names: EventNames,
): HookEvent | undefined {
  const wireName = wireNameOf(payload)
  const name = Object.hasOwn(names, wireName) ? names[wireName] : undefined
  const sessionId = sessionIdOf(payload)
  if (name === undefined || sessionId === undefined) return undefined
  const isContinuing =
    memberOf(payload, 'stop_hook_active') === true || (numberOf(payload, 'loop_count') ?? 0) > 0
  const cause = firstTextOf(payload, ['source', 'reason'])
  const isSubagent = firstTextOf(payload, ['agent_id', 'agentId', 'parent_id']) !== undefined
  const cwd = firstTextOf(payload, ['cwd', 'worktree']) ?? firstRoot(payload)
  // The shell of a subagent is put back behind each command.
  const isMoved = runtime.followsShell === true && name !== 'before-tool' && !isSubagent
  return {
    runtime,
    name,
    wireName,
    sessionId,
    cwd,
    cause,
    isSubagent,
    isContinuing,
    isUnanswered: memberOf(payload, 'unanswered') === true,
    tool: readTool(payload, isMoved ? cwd : undefined),
    prompt: name === 'prompt' ? textMember(payload, 'prompt') : undefined,
    activity: isSubagent ? undefined : readActivity(payload, { runtime, name, cause }),
    model: textMember(payload, 'model'),
    title: firstTextOf(payload, ['session_title', 'title']),
    key: keyOf(payload, { wireName, cause, isContinuing, name }),
    serverUrl: textMember(payload, 'server_url'),
  }
}

/** The runtime's own id of the session; undefined for none, and for what is too long to be one. */
export function sessionIdOf(payload: EventMembers): string | undefined {
  const id = firstTextOf(payload, ['conversation_id', 'session_id', 'sessionId'])
  return id === undefined || id.length > MAX_ID_CHARS ? undefined : id
}

function firstRoot(payload: EventMembers): string | undefined {
  const [root] = listMember(payload, 'workspace_roots')
  return typeof root === 'string' ? root : undefined
}

function readTool(payload: EventMembers, leftIn: string | undefined): ToolUse | undefined {
  const name = firstTextOf(payload, ['tool_name', 'toolName'])
  const response =
    memberOf(payload, 'tool_response') ?? memberOf(payload, 'tool_output') ?? memberOf(payload, 'tool_result')
  const input = memberOf(payload, 'tool_input') ?? memberOf(payload, 'toolArgs')
  // Of a call that is not over, nobody says it.
  const tookMs = numberOf(payload, 'duration_ms') ?? numberOf(payload, 'duration')
  if (name !== undefined) return { name, input: inputOf(input), response, leftIn, tookMs }
  // Cursor's `afterFileEdit` is an edit without a tool.
  const path = textMember(payload, 'file_path')
  return path === undefined ? undefined : { name: 'Write', input: { file_path: path }, response }
}

/** An object, whatever the tool takes: some take one text, and some runtimes pass JSON as text. */
function inputOf(input: unknown): EventMembers {
  if (typeof input !== 'string') return objectOf(input)
  return { input }
}

/** `name` and not the runtime's own: both spellings of an event may be installed at once. */
function keyOf(
  payload: EventMembers,
  event: Pick<HookEvent, 'wireName' | 'cause' | 'isContinuing' | 'name'>,
): string | undefined {
  const { name, cause = '', isContinuing, wireName } = event
  if (name === 'session-start' || name === 'session-end') return `${name}:${cause}`
  const stamp = memberOf(payload, 'timestamp')
  // A turn may have any number of notices, and each of them its ids.
  const id =
    (name === 'notice' ? undefined : firstTextOf(payload, IDS)) ??
    (typeof stamp === 'string' || typeof stamp === 'number' ? String(stamp) : undefined)
  if (id === undefined || id.length > MAX_ID_CHARS) return undefined
  // One call has several events under one id: the edit of a file is told apart from the call as a whole.
  const what = wireName === 'afterFileEdit' || wireName === 'PostToolBatch' ? wireName : name
  const tool = name === 'before-tool' || name === 'after-tool' ? (textMember(payload, 'tool_name') ?? '') : ''
  return `${what}:${isContinuing ? 'again:' : ''}${tool}:${id}`
}
