/**
 * What may wake a session, and what never does (PD-06).
 */
import { describe, expect, test } from 'vitest'
import type { Retained } from '../../../src/broker/ring/retained.ts'
import { newHookState } from '../../../src/hooks/memory/hook-state.ts'
import { budgetInMs, hasBudget, withWake } from '../../../src/hooks/session/noise.ts'
import { isForQuiet, urgencyOf } from '../../../src/hooks/session/urgency.ts'
import { KIND_NAMES } from '../../../src/protocol/frame/kinds.ts'
import { retained, retainedEnvelope } from '../../support/rings.ts'

const ONE = '~alice/cc@s1'

/** A frame as it is retained. */
function frame(kind: string, scopeText = ONE, more: object = {}): Retained {
  const text = JSON.stringify({ kind, payload: {}, provenance_method: ['session-context'], ...more })
  return { ...retained({ kind, text }), scopeText }
}

test.for([
  ['agent_query', ONE, 'interrupt'],
  ['agent_query', '~alice/*', 'next-turn'],
  ['agent_query', '~alice/cc-*', 'next-turn'],
  ['agent_query', '~alice/cc@*', 'next-turn'],
  ['agent_query', '~alice', 'next-turn'],
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
  expect(urgencyOf(frame(kind, scope))).toBe(expected)
})

const ask = (severity: string) => urgencyOf(frame('peer_diagnostic_request', ONE, { payload: { severity } }))

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
      const wished = frame(kind, ONE, { provenance_method: ['direct', tag] })
      expect(urgencyOf(wished)).toBe(expected)
      expect(isForQuiet(wished)).toBe(expected === 'digest')
    }
  })

  test('never makes an answer wake anyone', () => {
    for (const kind of ['agent_response', 'agent_return_event', 'peer_diagnostic_response']) {
      expect(urgencyOf(frame(kind, ONE, { provenance_method: ['urgency.interrupt'] }))).toBe('next-turn')
    }
  })

  test('is the first of several, and is none where only the payload says it', () => {
    const both = frame('agent_query', ONE, { provenance_method: ['urgency.digest', 'urgency.interrupt'] })
    const said = frame('agent_advisory', ONE, { payload: { advisory_text: '"urgency.interrupt"' } })
    expect([urgencyOf(both), urgencyOf(said)]).toEqual(['digest', 'digest'])
  })

  test('that nobody knows counts for nothing', () => {
    const wished = frame('agent_advisory', ONE, { provenance_method: ['urgency.now', '__proto__'] })
    expect([urgencyOf(wished), isForQuiet(wished)]).toEqual(['digest', false])
  })
})

test('every kind has a class', () => {
  for (const kind of [...KIND_NAMES, 'unheard_of', '__proto__', 'constructor']) {
    expect(['interrupt', 'next-turn', 'digest']).toContain(urgencyOf(frame(kind)))
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
] as const)('an envelope of type %s and priority %s is %s', ([type, effectivePriority, expected]) => {
  // What it claims does not count, only what it is treated as (AEQ-27).
  const envelope = retainedEnvelope({ type, priority: 'urgent', effectivePriority })
  expect([urgencyOf(envelope), isForQuiet(envelope)]).toEqual([expected, false])
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
  const facts = { nowMs: 4_000, settings }
  expect(budgetInMs(state.wakes, facts)).toBe(597_000)
  expect(budgetInMs(state.wakes, { ...facts, nowMs: 601_000 })).toBe(0)
  // Where none is allowed there is no moment for one either.
  expect(budgetInMs(state.wakes, { ...facts, settings: { wakes: 0 } })).toBeGreaterThan(0)
  expect(budgetInMs([], { ...facts, settings: { wakes: 0 } })).toBe(600_000)
})
