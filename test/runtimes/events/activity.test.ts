/**
 * What payloads say of what their session does (W-4, SEAT-10, docs/runtimes.md §1.11, docs/runtimes.md §10 rule 11).
 */
import { describe, expect, test } from 'vitest'
import { isNews, waitingFor } from '../../../src/runtimes/events/activity.ts'
import type { Activity, EventName } from '../../../src/runtimes/events/hook-runtime.ts'
import { NOTICES } from '../../../src/runtimes/claude-code/activity.ts'
import { FIXTURES, eventOf, payloadOf, type Payload } from '../support/fixtures.ts'

const WORKING: Activity = { state: 'working' }
const IDLE: Activity = { state: 'idle' }

/** Event → what its session does, whatever the runtime. */
const USUAL: Readonly<Record<string, Activity | undefined>> = {
  'session-start': IDLE,
  prompt: WORKING,
  'before-tool': undefined,
  'after-tool': WORKING,
  'after-edit': WORKING,
  'tool-failed': WORKING,
  'turn-end': IDLE,
  'session-end': undefined,
  compacting: undefined,
}

describe.for(FIXTURES.filter(({ name }) => name !== 'notice'))(
  '$runtime $name',
  ({ runtime, name, payload }) => {
    test('says of its session what the event means, and nothing from within a subagent', () => {
      expect(eventOf(payload, runtime)?.activity).toEqual(USUAL[name])
      expect(eventOf({ ...payload, agent_id: 'a1' }, runtime)?.activity).toBeUndefined()
    })
  },
)

test.for([
  ['claude-code', waitingFor('permission', 'Claude needs your permission')],
  ['gemini', waitingFor('permission', 'Tool Shell requires execution')],
  ['opencode', waitingFor('permission', 'bash npm test')],
  // Of an agent in the background.
  ['copilot', undefined],
] as const)('a notice of %s says what its session waits for', ([runtime, expected]) => {
  expect(eventOf(payloadOf(runtime, 'notice'), runtime)?.activity).toEqual(expected)
})

/** What a payload of a runtime says, with some members changed. */
function saidBy(runtime: string, name: string, changes: Payload): Activity | undefined {
  return eventOf(payloadOf(runtime, name, changes), runtime)?.activity
}

// By code.claude.com/docs/en/hooks#notification; the messages are what it shows.
const CLAUDE_NOTICES: readonly (readonly [type: string, message: string, expected: Activity | undefined])[] =
  [
    ['worker_permission_prompt', 'A worker asks', waitingFor('permission', 'A worker asks')],
    ['elicitation_dialog', 'Which key?', waitingFor('question', 'Which key?')],
    ['elicitation_url_dialog', 'Open a page', waitingFor('question', 'Open a page')],
    ['elicitation_complete', 'Done', WORKING],
    ['elicitation_response', 'Sent', WORKING],
    ['idle_prompt', 'Claude is waiting for your input', IDLE],
    ['quota_auto_resume_fired', 'Continuing', WORKING],
    ['quota_auto_resume_stale', 'Press Enter', waitingFor('limit', 'Press Enter')],
    ['quota_auto_resume_disabled', 'Not continued', waitingFor('limit', 'Not continued')],
    // Of other sessions, or of nobody.
    ['agent_needs_input', 'Another one asks', undefined],
    ['agent_completed', 'Another one is done', undefined],
    ['auth_success', 'Logged in', undefined],
    ['__proto__', 'x', undefined],
  ]

test.for(CLAUDE_NOTICES)('Claude Code: a notice of type %s', ([notification_type, message, expected]) => {
  expect(saidBy('claude-code', 'notice', { notification_type, message })).toEqual(expected)
  expect(NOTICES.includes(notification_type)).toBe(expected !== undefined)
})

test('somebody who rests is never said to wait, whatever the words (SEAT-10)', () => {
  expect(saidBy('claude-code', 'notice', { notification_type: 'idle_prompt' })).toEqual(IDLE)
  expect(saidBy('claude-code', 'turn-end', { last_assistant_message: 'May I?' })).toEqual(IDLE)
  expect(saidBy('copilot', 'notice', { notification_type: 'agent_idle' })).toBeUndefined()
})

// By code.claude.com/docs/en/hooks#stopfailure and the types of @anthropic-ai/claude-agent-sdk.
const FAILED = { hook_event_name: 'StopFailure', message: undefined, notification_type: undefined }

test.for([
  [
    { error: 'rate_limit', last_assistant_message: 'API Error: Rate limit reached' },
    'limit',
    'API Error: Rate limit reached',
  ],
  [{ error: 'billing_error', error_details: '402' }, 'limit', '402'],
  [{ error_type: 'rate_limit' }, 'limit', 'rate_limit'],
  [{ error: 'server_error', error_details: '529 Overloaded' }, 'error', '529 Overloaded'],
  [{ error: 'unknown' }, 'error', 'unknown'],
] as const)('Claude Code: a turn that failed with %j waits', ([changes, reason, text]) => {
  expect(saidBy('claude-code', 'notice', { ...FAILED, ...changes })).toEqual({
    state: 'waiting',
    reason,
    text,
  })
})

test('Claude Code: the tool that asks its person waits for the first of its questions, and another tool for nobody', () => {
  const asking = {
    tool_name: 'AskUserQuestion',
    tool_input: { questions: [{ question: 'Which database?', header: 'DB', options: [] }] },
  }

  expect(saidBy('claude-code', 'before-tool', asking)).toEqual(waitingFor('question', 'Which database?'))
  expect(saidBy('claude-code', 'before-tool', { ...asking, tool_input: {} })).toEqual({
    state: 'waiting',
    reason: 'question',
  })
  expect(saidBy('claude-code', 'before-tool', { tool_name: 'Bash' })).toBeUndefined()
  expect(saidBy('claude-code', 'after-tool', asking)).toEqual(WORKING)
})

test.for([
  ['permission_prompt', 'permission'],
  ['elicitation_dialog', 'question'],
] as const)('Copilot: %s waits', ([notification_type, reason]) => {
  const message = 'Permission needed'

  expect(saidBy('copilot', 'notice', { notification_type, message })).toEqual(waitingFor(reason, message))
})

test('Cursor: a turn that ended in an error waits, one that was stopped rests', () => {
  expect(saidBy('cursor', 'turn-end', { status: 'error' })).toEqual({ state: 'waiting', reason: 'error' })
  expect(saidBy('cursor', 'turn-end', { status: 'aborted' })).toEqual(IDLE)
})

test('OpenCode: a question waits, with its words where it has some', () => {
  const asked = { hook_event_name: 'question.asked' }

  expect(saidBy('opencode', 'notice', { ...asked, message: 'Which one?' })).toEqual(
    waitingFor('question', 'Which one?'),
  )
  expect(saidBy('opencode', 'notice', { ...asked, message: 7 })).toEqual({
    state: 'waiting',
    reason: 'question',
  })
})

test('Gemini: a notice of another type says nothing', () => {
  expect(saidBy('gemini', 'notice', { notification_type: 'Info' })).toBeUndefined()
})

test('a compaction in the middle of a turn says nothing', () => {
  expect(saidBy('claude-code', 'session-start', { source: 'compact' })).toBeUndefined()
  expect(saidBy('claude-code', 'session-start', { source: 'clear' })).toEqual(IDLE)
})

test('a text is cut to what is taken, between characters, and half a character is none', () => {
  const text = waitingFor('permission', `${'ä'.repeat(127)}xä`).text

  expect(text).toBe(`${'ä'.repeat(127)}x`)
  expect(waitingFor('permission', '\uD800').text).toBe('\uFFFD')
})

/** What tells one notice of a runtime from the next. */
function key(runtime: string, changes: Payload): string | undefined {
  return eventOf(payloadOf(runtime, 'notice', changes), runtime)?.key
}

test('two notices of one turn are two, though they say the same; with a time of their own each is known again', () => {
  expect(key('claude-code', {})).toBeUndefined()
  expect(key('gemini', {})).toBe(key('gemini', {}))
  expect(key('gemini', {})).not.toBe(key('gemini', { timestamp: '2026-11-20T10:00:01.000Z' }))
})

const PERMISSION = waitingFor('permission', 'May I?')
const QUESTION = waitingFor('question', 'Which one?')

test.for([
  ['the first word', undefined, 'prompt', WORKING, true],
  ['the same again', WORKING, 'after-tool', WORKING, false],
  ['the same words again', PERMISSION, 'notice', { ...PERMISSION }, false],
  ['another text', PERMISSION, 'notice', waitingFor('permission', 'May I now?'), true],
  ['another reason', PERMISSION, 'notice', waitingFor('question', 'May I?'), true],
  ['a tool that ran after a wait', PERMISSION, 'after-tool', WORKING, true],
  ['an event that says nothing', WORKING, 'compacting', undefined, false],
  ['a session that begins: its first prompt may come at once', undefined, 'session-start', IDLE, false],
  ['a start after a turn that nobody ended', WORKING, 'session-start', IDLE, true],
  ['a minute without a word after a refusal', PERMISSION, 'notice', IDLE, true],
  ['a minute without a word after an error', waitingFor('error', '529'), 'notice', IDLE, false],
  ['a minute without a word at a limit', waitingFor('limit', '429'), 'notice', IDLE, false],
  ['a turn that ended after an error', waitingFor('error', '529'), 'turn-end', IDLE, true],
  ['the permission to ask a question that is asked', QUESTION, 'notice', PERMISSION, false],
  ['an answer to what was asked', QUESTION, 'notice', WORKING, true],
  ['an answer where nothing was asked', IDLE, 'notice', WORKING, false],
  ['a question behind a permission', PERMISSION, 'before-tool', QUESTION, true],
] as const satisfies readonly (readonly [
  string,
  Activity | undefined,
  EventName,
  Activity | undefined,
  boolean,
])[])('%s: is it news', ([, said, name, activity, expected]) => {
  expect(isNews(said, { name, activity })).toBe(expected)
})
