/**
 * Whose payload it is, whatever the command line says (docs/runtimes.md §10 rule 1).
 */
import { describe, expect, test } from 'vitest'
import { findOrigin } from '../../../src/runtimes/events/origin.ts'
import { RUNTIMES } from '../../../src/runtimes/catalogue.ts'
import { FIXTURES, RUNTIME_IDS, eventOf, payloadOf, runtimeOf, type Payload } from '../support/fixtures.ts'

const NOTHING = {}

/** The id of the runtime that a payload is from, with these variables set. */
function originOf(payload: Payload, hint: string, env: Readonly<Record<string, string>>): string | undefined {
  return findOrigin(payload, { runtimes: RUNTIMES, hint: runtimeOf(hint), env })?.id
}

test('every runtime has its payloads, and each says where it is from', () => {
  expect(new Set(FIXTURES.map(({ runtime }) => runtime))).toEqual(new Set(RUNTIME_IDS))
  for (const { runtime, name, provenance } of FIXTURES) {
    expect(provenance, `${runtime} ${name}`).toMatch(
      /^(?:captured|schema|types|documentation|own plugin): \S/,
    )
  }
})

describe.for(FIXTURES)('$runtime $name', ({ runtime, name, payload }) => {
  test('is told by the hint it is installed with', () => {
    expect(originOf(payload, runtime, NOTHING)).toBe(runtime)
  })

  test('means what it is called', () => {
    const event = eventOf(payload, runtime)

    expect(event?.name).toBe(name === 'after-edit' ? 'after-tool' : name)
    expect(event?.cwd).toBe('/home/alice/proj')
    expect(event?.isSubagent).toBe(false)
    expect(event?.isContinuing).toBe(false)
  })
})

describe('a hook that was set up for Claude Code', () => {
  test('is answered as Cursor where Cursor runs it', () => {
    for (const name of ['session-start', 'after-tool', 'turn-end']) {
      expect(originOf(payloadOf('cursor', name), 'claude-code', NOTHING)).toBe('cursor')
    }
  })

  test('is answered as VS Code where VS Code runs it', () => {
    for (const name of ['session-start', 'after-tool', 'turn-end']) {
      expect(originOf(payloadOf('vscode', name), 'claude-code', NOTHING)).toBe('vscode')
    }
  })

  test('is answered as the Copilot CLI where that reads the settings of a repository', () => {
    for (const name of ['session-start', 'prompt', 'after-tool', 'session-end']) {
      expect(originOf(payloadOf('copilot', name), 'claude-code', NOTHING)).toBe('copilot')
    }
  })

  test('is answered as Gemini where it was taken over from there', () => {
    const geminiSession = String(payloadOf('gemini', 'session-start')['session_id'])
    for (const name of ['session-start', 'prompt', 'after-tool', 'turn-end', 'session-end']) {
      expect(originOf(payloadOf('gemini', name), 'claude-code', { GEMINI_SESSION_ID: geminiSession })).toBe(
        'gemini',
      )
    }
  })
})

test('a Codex in the shell of a Claude Code session is not that session', () => {
  const surroundings = { CLAUDE_CODE_SESSION_ID: '18721cb1-4e76-4b68-a5aa-649fcce2522b' }

  for (const name of ['session-start', 'prompt', 'after-tool', 'session-end']) {
    expect(originOf(payloadOf('codex', name), 'codex', surroundings)).toBe('codex')
  }
})

test('Claude Code is known by its own variable, whatever the hint', () => {
  const payload = payloadOf('claude-code', 'session-end')

  expect(originOf(payload, 'codex', { CLAUDE_CODE_SESSION_ID: String(payload['session_id']) })).toBe(
    'claude-code',
  )
})

test('the work of a subagent and the going on of a turn are seen', () => {
  const subagent = eventOf(payloadOf('claude-code', 'after-edit', { agent_id: 'a1' }), 'claude-code')
  const child = eventOf(payloadOf('opencode', 'session-start', { parent_id: 'ses_0' }), 'opencode')
  const stop = eventOf(payloadOf('claude-code', 'turn-end', { stop_hook_active: true }), 'claude-code')
  const followUp = eventOf(payloadOf('cursor', 'turn-end', { loop_count: 1 }), 'cursor')

  expect([subagent?.isSubagent, child?.isSubagent]).toEqual([true, true])
  expect([stop?.isContinuing, followUp?.isContinuing]).toEqual([true, true])
})

const keyOf = (name: string, changes = {}) =>
  eventOf(payloadOf('claude-code', name, changes), 'claude-code')?.key

test('one event has one key, and another event another', () => {
  expect(keyOf('after-edit')).toBe(keyOf('after-edit'))
  expect(keyOf('after-edit')).not.toBe(keyOf('before-tool'))
  expect(keyOf('after-edit')).not.toBe(keyOf('after-edit', { tool_use_id: 'toolu_09' }))
  expect(keyOf('turn-end')).not.toBe(keyOf('turn-end', { stop_hook_active: true }))
})

test.for([
  ['an event nobody has heard of', { hook_event_name: 'ModelDreamt', session_id: 's' }],
  ['a name that every object has', { hook_event_name: '__proto__', session_id: 's' }],
  ['no session', { hook_event_name: 'SessionStart' }],
  ['an endless session id', { hook_event_name: 'SessionStart', session_id: 'x'.repeat(257) }],
  ['a session id that is no text', { hook_event_name: 'SessionStart', session_id: 7 }],
] as const)('%s is no event', ([, payload]) => {
  expect(eventOf(payload, 'claude-code')).toBeUndefined()
})
