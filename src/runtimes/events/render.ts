/**
 * An answer in the words of one runtime: one JSON object on stdout, or nothing.
 *
 * Codex refuses an answer with a member it does not know, Gemini shows anything but JSON to the person, and
 * Cursor wants no nesting. So each gets exactly what its own documentation names.
 *
 * @see docs/runtimes.md §§1.3, 2.1, 3, 4, 5
 */
import type { HookAnswer } from './answer.ts'
import type { HookEvent } from './event.ts'
import type { RuntimeId } from './runtime.ts'

type Output = Readonly<Record<string, unknown>>

/** @returns undefined when there is nothing to say, or no way to say it */
export function renderAnswer(event: HookEvent, answer: HookAnswer): Output | undefined {
  const { denial, continuation, context } = answer
  const render = RENDERERS[event.runtime]
  if (denial !== undefined && event.name === 'before-tool') return render.denial(denial, event)
  if (continuation !== undefined && event.name === 'turn-end') return render.continuation(continuation, event)
  return context === undefined ? undefined : render.context(context, event)
}

type Render = (text: string, event: HookEvent) => Output | undefined

interface Renderer {
  readonly context: Render
  readonly denial: Render
  readonly continuation: Render
}

const nested = (fields: Output, { wireName }: HookEvent): Output => ({
  hookSpecificOutput: { hookEventName: wireName, ...fields },
})

const deny = (permissionDecisionReason: string): Output => ({
  permissionDecision: 'deny',
  permissionDecisionReason,
})

/** Claude Code, and with the same words Codex. */
const CLAUDE: Renderer = {
  context: (additionalContext, event) => nested({ additionalContext }, event),
  denial: (reason, event) => nested(deny(reason), event),
  continuation: (reason) => ({ decision: 'block', reason }),
}

/** One file of hooks serves both the Copilot CLI and VS Code: the one reads the top, the other the inside. */
const COPILOT: Renderer = {
  context: (additionalContext, event) =>
    event.name === 'notice'
      ? { additionalContext }
      : { additionalContext, ...nested({ additionalContext }, event) },
  denial: (reason, event) => ({ ...deny(reason), ...nested(deny(reason), event) }),
  continuation(reason, event) {
    const fields = { decision: 'block', reason }
    return { ...fields, ...nested(fields, event) }
  },
}

/** Flat; a hook that Cursor runs for Claude Code's sake is answered in Claude Code's words. */
const CURSOR: Renderer = {
  context: (text, event) => (isForeign(event) ? CLAUDE.context(text, event) : { additional_context: text }),
  denial: (text, event) =>
    isForeign(event)
      ? CLAUDE.denial(text, event)
      : { permission: 'deny', user_message: text, agent_message: text },
  continuation: (text, event) =>
    isForeign(event) ? CLAUDE.continuation(text, event) : { followup_message: text },
}

const GEMINI: Renderer = {
  ...CLAUDE,
  denial: (reason) => ({ decision: 'deny', reason }),
  continuation: (reason) => ({ decision: 'deny', reason }),
}

/** Our own plugin reads these. */
const OPENCODE: Renderer = {
  context: (additionalContext) => ({ additionalContext }),
  denial: () => undefined,
  continuation: (text) => ({ followup_message: text }),
}

const RENDERERS: Readonly<Record<RuntimeId, Renderer>> = {
  'claude-code': CLAUDE,
  codex: CLAUDE,
  cursor: CURSOR,
  gemini: GEMINI,
  copilot: COPILOT,
  vscode: COPILOT,
  opencode: OPENCODE,
}

/** Cursor's own events begin with a small letter. */
function isForeign({ wireName }: HookEvent): boolean {
  return /^[A-Z]/.test(wireName)
}
