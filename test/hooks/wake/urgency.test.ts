/**
 * What may wake a session, and what never does (PD-06).
 */
import { describe, expect, test } from 'vitest'
import { urgencyOf } from '../../../src/runtimes/wake/urgency.ts'
import { hasBudget, withWake } from '../../../src/runtimes/session/noise.ts'
import { newHookState } from '../../../src/runtimes/memory/hook-state.ts'
import { KIND_NAMES } from '../../../src/protocol/frame/kinds.ts'

const ONE = '~alice/cc@s1'

function frame(kind: string, more: object = {}): Record<string, unknown> {
  return { frame: { kind, payload: {}, provenance_method: ['session-context'], ...more } }
}

test.for([
  ['agent_query', ONE, 'interrupt'],
  ['agent_query', '~alice/*', 'next-turn'],
  ['agent_query', '~alice/cc-*', 'next-turn'],
  ['agent_query', undefined, 'next-turn'],
  ['agent_binding_moment', '~alice/*', 'interrupt'],
  ['agent_handover', ONE, 'next-turn'],
  ['agent_broadcast', ONE, 'next-turn'],
  ['agent_lock_request', ONE, 'next-turn'],
  ['agent_advisory', ONE, 'digest'],
  ['intent_declare', ONE, 'digest'],
  ['flush_executed', ONE, 'digest'],
  ['agent_response', ONE, 'next-turn'],
  ['agent_return_event', ONE, 'next-turn'],
] as const)('%s to %s is %s', ([kind, scope, expected]) => {
  expect(urgencyOf(frame(kind), { scope })).toBe(expected)
})

const ask = (severity: string) =>
  urgencyOf(frame('peer_diagnostic_request', { payload: { severity } }), { scope: ONE })

test('a diagnostic that blocks its sender is urgent, another is not', () => {
  expect([ask('blocked'), ask('degraded'), ask('info')]).toEqual(['interrupt', 'next-turn', 'next-turn'])
})

describe('a wish of the sender', () => {
  test.for([
    ['urgency.interrupt', 'interrupt'],
    ['urgency.next-turn', 'next-turn'],
    ['urgency.digest', 'digest'],
  ] as const)('%s is granted', ([tag, expected]) => {
    for (const kind of ['agent_query', 'agent_advisory', 'agent_broadcast', 'agent_handover']) {
      expect(urgencyOf(frame(kind, { provenance_method: ['direct', tag] }), { scope: ONE })).toBe(expected)
    }
  })

  test('never makes an answer wake anyone', () => {
    for (const kind of ['agent_response', 'agent_return_event', 'peer_diagnostic_response']) {
      expect(urgencyOf(frame(kind, { provenance_method: ['urgency.interrupt'] }), { scope: ONE })).toBe(
        'next-turn',
      )
    }
  })

  test('that nobody knows counts for nothing', () => {
    expect(
      urgencyOf(frame('agent_advisory', { provenance_method: ['urgency.now', '__proto__'] }), { scope: ONE }),
    ).toBe('digest')
  })
})

test('every kind has a class', () => {
  for (const kind of [...KIND_NAMES, 'unheard_of', '__proto__', 'constructor']) {
    expect(['interrupt', 'next-turn', 'digest']).toContain(urgencyOf(frame(kind), { scope: ONE }))
  }
})

test.for([
  ['task', 'urgent', 'interrupt'],
  ['task', 'high', 'next-turn'],
  ['task', 'normal', 'next-turn'],
  ['task', 'low', 'digest'],
  ['result', 'urgent', 'next-turn'],
  ['error', 'urgent', 'next-turn'],
  ['stream', 'urgent', 'next-turn'],
] as const)('an envelope of type %s and priority %s is %s', ([type, priority, expected]) => {
  expect(
    urgencyOf({ envelope: { type, priority: 'normal' }, effective_priority: priority }, { scope: undefined }),
  ).toBe(expected)
})

test('the noise budget is spent by three wakes, and is whole again ten minutes later', () => {
  const settings = { wakes: 3 }
  let state = newHookState('claude-code', 's1', 0)
  const at = (nowMs: number) => hasBudget(state.wakes, { nowMs, settings })

  for (const nowMs of [1_000, 2_000, 3_000]) {
    expect(at(nowMs)).toBe(true)
    state = withWake(state, nowMs)
  }

  expect(at(4_000)).toBe(false)
  expect(at(600_999)).toBe(false)
  expect(at(601_000)).toBe(true)
})
