/**
 * What can be done with each runtime, as one table.
 *
 * Nothing in it is claimed by hand that the code can tell: the cells come from the adapters themselves, by
 * asking them, so that table and code cannot drift. Only how it was verified is written down here, and a test
 * holds that against the fixtures.
 *
 * @see docs/runtimes.md §0 "Injection/wake matrix"
 */
import type { Environment } from '../host/config/paths.ts'
import { deliveryOf, findWakeChannels } from './session/wake-channels.ts'
import type { HookEvent } from './events/event.ts'
import { renderAnswer } from './events/render.ts'
import { RUNTIMES, isRuntime, traitsOf, type EventName, type RuntimeId } from './events/runtime.ts'
import { runtimesNamed } from './catalogue.ts'
import { pathsFor } from './setup/paths.ts'
import type { RuntimeSetup, SetupRequest } from './setup/target.ts'

/** How it is known that a runtime behaves so: its own binary was run, or its documentation says so. */
export interface Verified {
  readonly how: 'run' | 'documented'
  /** The version that was run, or that the documentation is of; undefined where it names none. */
  readonly version: string | undefined
}

/** One runtime. Every list is empty where there is nothing. */
export interface Capability {
  readonly runtime: RuntimeId
  readonly title: string
  /** Programs it may be started by, the usual one first. */
  readonly programs: readonly string[]
  /** Events within a turn whose answer reaches the model. */
  readonly busy: readonly EventName[]
  /** Events at the beginning of a session or a turn whose answer reaches the model. */
  readonly atPrompt: readonly EventName[]
  /** The driver that lets a turn go on at its end; undefined when nothing does. */
  readonly atTurnEnd: string | undefined
  /** Drivers that start a turn in an idle session. */
  readonly wake: readonly string[]
  readonly hasMcp: boolean
  /** What `agentd setup` writes without being asked for more. */
  readonly setup: readonly ('hooks' | 'MCP')[]
  /** What it writes when asked for the plugin too, and not otherwise. */
  readonly setupOnRequest: readonly 'hooks'[]
  readonly verified: Verified
}

/** Fixtures under `test/runtimes/fixtures` say where they are from; a test compares. */
const VERIFIED: Readonly<Record<RuntimeId, Verified>> = {
  'claude-code': { how: 'run', version: '2.1.328' },
  codex: { how: 'run', version: '0.169.0' },
  cursor: { how: 'documented', version: undefined },
  gemini: { how: 'run', version: '0.61.0' },
  copilot: { how: 'run', version: '1.0.102' },
  vscode: { how: 'documented', version: undefined },
  opencode: { how: 'run', version: '1.18.33' },
}

const PROGRAMS: Readonly<Record<RuntimeId, readonly string[]>> = {
  'claude-code': ['claude'],
  codex: ['codex'],
  cursor: ['cursor', 'cursor-agent'],
  gemini: ['gemini'],
  copilot: ['copilot'],
  vscode: ['code'],
  opencode: ['opencode'],
}

const BUSY: readonly EventName[] = ['before-tool', 'after-tool', 'tool-failed', 'notice']
const AT_PROMPT: readonly EventName[] = ['session-start', 'prompt']

/** Surroundings of nobody, in which every runtime has told its hooks whatever it ever tells them. */
const NOWHERE: Environment = {
  env: { CLAUDE_CODE_MESSAGING_SOCKET: '/nowhere/claude.sock' },
  uid: -1,
  userName: 'nobody',
  homeDir: '/nowhere',
  platform: 'linux',
  runUserDir: '/nowhere/run',
}

/** All runtimes, in the order in which set-up shows them. */
export function capabilities(): readonly Capability[] {
  return runtimesNamed(Object.keys(RUNTIMES)).flatMap((setup) =>
    isRuntime(setup.id) ? [capabilityOf(setup.id, setup)] : [],
  )
}

/** The table of the README, as Markdown without a line break at its end. */
export function capabilityTable(): string {
  const head = [
    'Runtime',
    'Into a running turn',
    'At its beginning',
    'Turn goes on',
    'Wakes an idle session',
    'MCP',
    'Set-up',
    'Verified',
  ]
  const rows = [head, head.map(() => '---'), ...capabilities().map(rowOf)]
  return rows.map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

function capabilityOf(runtime: RuntimeId, setup: RuntimeSetup): Capability {
  const shown = (names: readonly EventName[]): readonly EventName[] =>
    names.filter((name) => traitsOf(runtime).shows.includes(name) && isSaid(runtime, name))
  const usual = partsOf(setup, false)
  return {
    runtime,
    title: setup.title,
    programs: PROGRAMS[runtime],
    busy: shown(BUSY),
    atPrompt: shown(AT_PROMPT),
    atTurnEnd: isSaid(runtime, 'turn-end') ? traitsOf(runtime).atTurnEnd : undefined,
    wake: wakeOf(runtime, setup),
    hasMcp: usual.includes('MCP'),
    setup: usual,
    setupOnRequest: usual.includes('hooks') || !partsOf(setup, true).includes('hooks') ? [] : ['hooks'],
    verified: VERIFIED[runtime],
  }
}

/** Whether the runtime's words have a way to say something at this event. */
function isSaid(runtime: RuntimeId, name: EventName): boolean {
  const answer = name === 'turn-end' ? { continuation: 'x' } : { context: 'x' }
  return renderAnswer(eventOf(runtime, name), answer) !== undefined
}

function wakeOf(runtime: RuntimeId, setup: RuntimeSetup): readonly string[] {
  const forebear = { pid: 1, name: runtime, path: `/nowhere/${runtime}` }
  const doors = findWakeChannels(eventOf(runtime, 'session-start'), NOWHERE, forebear)
  const declared = [
    deliveryOf(runtime, doors).idle,
    ...(isRewoken(setup) ? [deliveryOf(runtime, {}, true).idle] : []),
  ]
  return declared.filter((driver) => driver !== 'inbox')
}

/** Whether set-up arms a hook that waits. */
function isRewoken(setup: RuntimeSetup): boolean {
  return setup
    .files(requestFor(false))
    .some(
      (file) =>
        file.format === 'json' && file.entries.some((one) => one.kind === 'hook' && one.role === 'wait'),
    )
}

function partsOf(setup: RuntimeSetup, plugin: boolean): readonly ('hooks' | 'MCP')[] {
  const request = requestFor(plugin)
  const files = setup.files(request)
  const holds = (kind: 'hook' | 'server'): boolean =>
    files.some((file) => file.format === 'json' && file.entries.some((entry) => entry.kind === kind))
  const hasHooks = holds('hook') || files.some(({ part, format }) => part === 'hooks' && format === 'whole')
  const hasServer =
    holds('server') || files.some(({ format }) => format === 'toml') || setup.server?.(request)
  return [...(hasHooks ? (['hooks'] as const) : []), ...(hasServer ? (['MCP'] as const) : [])]
}

function requestFor(plugin: boolean): SetupRequest {
  return {
    places: pathsFor(NOWHERE, 'user', '/nowhere'),
    launch: { node: '/nowhere/node', script: '/nowhere/agentd.cjs' },
    parts: ['hooks', 'mcp'],
    plugin,
  }
}

function eventOf(runtime: RuntimeId, name: EventName): HookEvent {
  return {
    runtime,
    name,
    wireName: '',
    sessionId: 'x',
    cwd: undefined,
    cause: undefined,
    isSubagent: false,
    isContinuing: false,
    tool: undefined,
    model: undefined,
    title: undefined,
    key: undefined,
    serverUrl: 'http://127.0.0.1:1',
  }
}

const SPOKEN: Readonly<Partial<Record<EventName, string>>> = {
  'before-tool': 'before a tool',
  'after-tool': 'after a tool',
  'tool-failed': 'after a failed tool',
  notice: 'with a notification',
  'session-start': 'session',
  prompt: 'prompt',
}

function rowOf(one: Capability): readonly string[] {
  const spoken = (names: readonly EventName[]): string => listed(names.map((name) => SPOKEN[name] ?? name))
  const onRequest = one.setupOnRequest.map((part) => `${part} with \`--plugin\``)
  return [
    one.title,
    spoken(one.busy),
    spoken(one.atPrompt),
    one.atTurnEnd === undefined ? 'no' : `\`${one.atTurnEnd}\``,
    listed(one.wake.map((driver) => `\`${driver}\``)),
    one.hasMcp ? 'yes' : 'no',
    listed([...one.setup, ...onRequest]),
    [one.verified.how, one.verified.version].filter(Boolean).join(', '),
  ]
}

function listed(words: readonly string[]): string {
  return words.length === 0 ? 'no' : words.join(', ')
}
