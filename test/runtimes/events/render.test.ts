/**
 * The answer in each runtime's words (docs/runtimes.md §§1.3, 2.1, 3, 4, 5).
 */
import { Ajv } from 'ajv'
import { describe, expect, test } from 'vitest'
import type { HookAnswer } from '../../../src/runtimes/events/answer.ts'
import { renderAnswer } from '../../../src/runtimes/events/render.ts'
import { FIXTURES, codexSchema, eventOf, payloadOf, runtimeOf } from '../support/fixtures.ts'

function render(runtime: string, name: string, answer: HookAnswer, changes = {}): unknown {
  const event = eventOf(payloadOf(runtime, name, changes), runtime)
  if (event === undefined) throw new Error('no event')
  return renderAnswer(event, answer)
}

const CODEX_EVENTS: Readonly<Record<string, string>> = {
  'session-start': 'session-start',
  prompt: 'user-prompt-submit',
  'before-tool': 'pre-tool-use',
  'after-tool': 'post-tool-use',
  'after-edit': 'post-tool-use',
  'turn-end': 'stop',
  compacting: 'pre-compact',
}

describe('Codex, by its published schemas', () => {
  const ajv = new Ajv({ strict: false })

  test.for(FIXTURES.filter(({ runtime }) => runtime === 'codex'))(
    '$name is a payload it sends',
    ({ name, payload }) => {
      const schema = name === 'session-end' ? 'session-end' : CODEX_EVENTS[name]

      expect(ajv.validate(codexSchema(`${schema}.command.input`), payload), ajv.errorsText()).toBe(true)
    },
  )

  test.for(Object.entries(CODEX_EVENTS))('%s gets an answer it takes', ([name, schema]) => {
    const validate = ajv.compile(codexSchema(`${schema}.command.output`))
    for (const answer of [
      { context: 'text' },
      { denial: 'reason' },
      { continuation: 'reason' },
      { context: 'text', denial: 'reason', continuation: 'reason' },
    ]) {
      const event = eventOf(payloadOf('codex', name), 'codex')
      const shown =
        event !== undefined && 'context' in answer && !runtimeOf('codex').shows.includes(event.name)
      // What it does not show is never answered with (`act.ts`).
      if (shown) continue
      const output = render('codex', name, answer) ?? {}

      expect(validate(output), `${JSON.stringify(output)}: ${ajv.errorsText(validate.errors)}`).toBe(true)
    }
  })

  test('Stop has no hookSpecificOutput', () => {
    expect(render('codex', 'turn-end', { continuation: 'why' })).toEqual({ decision: 'block', reason: 'why' })
  })
})

test('Claude Code gets context and a denial', () => {
  expect(render('claude-code', 'prompt', { context: 'text' })).toEqual({
    hookSpecificOutput: { hookEventName: 'UserPromptSubmit', additionalContext: 'text' },
  })
  expect(render('claude-code', 'before-tool', { denial: 'why' })).toEqual({
    hookSpecificOutput: {
      hookEventName: 'PreToolUse',
      permissionDecision: 'deny',
      permissionDecisionReason: 'why',
    },
  })
})

test('Claude Code goes on for context, of which it says nothing to the person (OP-30)', () => {
  expect(render('claude-code', 'turn-end', { continuation: 'why' })).toEqual({
    hookSpecificOutput: { hookEventName: 'Stop', additionalContext: 'why' },
  })
})

test('Cursor gets flat answers', () => {
  expect(render('cursor', 'session-start', { context: 'text' })).toEqual({ additional_context: 'text' })
  expect(render('cursor', 'after-tool', { context: 'text' })).toEqual({ additional_context: 'text' })
  expect(render('cursor', 'turn-end', { continuation: 'text' })).toEqual({ followup_message: 'text' })
  expect(render('cursor', 'before-tool', { denial: 'why' })).toEqual({
    permission: 'deny',
    user_message: 'why',
    agent_message: 'why',
  })
})

test('a hook that Cursor runs for the sake of Claude Code is answered in the words of that', () => {
  expect(render('cursor', 'after-tool', { context: 'text' }, { hook_event_name: 'PostToolUse' })).toEqual({
    hookSpecificOutput: { hookEventName: 'PostToolUse', additionalContext: 'text' },
  })
})

test('Gemini goes on by denying the end', () => {
  expect(render('gemini', 'turn-end', { continuation: 'why' })).toEqual({ decision: 'deny', reason: 'why' })
  expect(render('gemini', 'before-tool', { denial: 'why' })).toEqual({ decision: 'deny', reason: 'why' })
  expect(render('gemini', 'after-tool', { context: 'text' })).toEqual({
    hookSpecificOutput: { hookEventName: 'AfterTool', additionalContext: 'text' },
  })
})

test.for(['copilot', 'vscode'] as const)('%s finds its answer at the top and inside', (runtime) => {
  expect(render(runtime, 'turn-end', { continuation: 'why' })).toEqual({
    decision: 'block',
    reason: 'why',
    hookSpecificOutput: { hookEventName: 'Stop', decision: 'block', reason: 'why' },
  })
  expect(render(runtime, 'session-start', { context: 'text' })).toEqual({
    additionalContext: 'text',
    hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext: 'text' },
  })
})

test('our plugin in OpenCode finds what it looks for', () => {
  expect(render('opencode', 'prompt', { context: 'text' })).toEqual({ additionalContext: 'text' })
  expect(render('opencode', 'turn-end', { continuation: 'text' })).toEqual({ followup_message: 'text' })
  expect(render('opencode', 'before-tool', { denial: 'why' })).toBeUndefined()
})

test('nothing to say is nothing at all', () => {
  for (const { runtime, name } of FIXTURES) expect(render(runtime, name, {})).toBeUndefined()
})
