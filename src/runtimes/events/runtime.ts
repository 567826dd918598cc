/**
 * The runtimes whose hooks we are, and what each of them lets a hook do.
 *
 * @see docs/runtimes.md §0 "Injection/wake matrix", §§1–5
 */

/** What happened. */
export type EventName =
  | 'session-start'
  | 'prompt'
  | 'before-tool'
  | 'after-tool'
  | 'tool-failed'
  | 'turn-end'
  | 'session-end'
  | 'compacting'
  | 'notice'

/** What a hook may do in one runtime. */
export interface RuntimeTraits {
  /** Tool class and instrument of its sessions. */
  readonly tool: string
  /** Events whose answer the runtime shows to the model. What is shown nowhere must not be called seen. */
  readonly shows: readonly EventName[]
  /** Whether it can be told not to run a tool. */
  readonly canDeny: boolean
  /** One session per process: another id under the same process is the same agent carrying on. */
  readonly isOnePerProcess: boolean
  /** What makes the end of a turn go on, as the name of a driver. */
  readonly atTurnEnd: string
}

/** Id → traits. Copilot's are what its CLI 1.0.102 was seen to do; its documentation promises less. */
export const RUNTIMES = {
  'claude-code': {
    tool: 'cc',
    shows: ['session-start', 'prompt', 'before-tool', 'after-tool', 'tool-failed'],
    canDeny: true,
    isOnePerProcess: true,
    atTurnEnd: 'hook',
  },
  codex: {
    tool: 'codex',
    shows: ['session-start', 'prompt', 'before-tool', 'after-tool'],
    canDeny: true,
    // Its app server holds many threads in one process; only `source` tells that one carries on.
    isOnePerProcess: false,
    atTurnEnd: 'hook',
  },
  cursor: {
    tool: 'cursor',
    shows: ['session-start', 'after-tool'],
    canDeny: true,
    isOnePerProcess: false,
    atTurnEnd: 'cursor-followup',
  },
  gemini: {
    tool: 'gemini',
    shows: ['session-start', 'prompt', 'after-tool'],
    canDeny: true,
    isOnePerProcess: true,
    atTurnEnd: 'gemini-after-agent',
  },
  copilot: {
    tool: 'copilot',
    shows: ['session-start', 'prompt', 'before-tool', 'after-tool', 'tool-failed', 'notice'],
    canDeny: true,
    isOnePerProcess: true,
    atTurnEnd: 'copilot-agent-stop',
  },
  vscode: {
    tool: 'vscode',
    shows: ['session-start', 'before-tool', 'after-tool'],
    canDeny: true,
    isOnePerProcess: false,
    atTurnEnd: 'vscode-stop',
  },
  opencode: {
    tool: 'opencode',
    shows: ['prompt', 'after-tool'],
    canDeny: false,
    isOnePerProcess: false,
    atTurnEnd: 'opencode-prompt',
  },
} satisfies Readonly<Record<string, RuntimeTraits>>

/** One of them. */
export type RuntimeId = keyof typeof RUNTIMES

/** Whether a word names one of them. */
export function isRuntime(word: string): word is RuntimeId {
  return Object.hasOwn(RUNTIMES, word)
}

/** What a runtime lets a hook do. */
export function traitsOf(runtime: RuntimeId): RuntimeTraits {
  return RUNTIMES[runtime]
}
