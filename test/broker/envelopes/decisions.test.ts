/**
 * What is told of decisions is bounded: a refusal costs its sender nothing.
 */
import { expect, test } from 'vitest'
import { parseEnvelope } from '../../../src/aee/envelope/envelope.ts'
import { Decisions, MAX_DECISIONS_PER_SECOND } from '../../../src/broker/envelopes/decisions.ts'
import type { ServiceMessage } from '../../../src/broker/envelopes/service.ts'
import { AgentdError } from '../../../src/core/errors.ts'
import { validEnvelope } from '../../support/envelopes.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { openPolicy } from '../../support/open-policy.ts'

function refuse(decisions: Decisions): void {
  const trace = decisions.about(parseEnvelope(validEnvelope()))
  expect(() => trace?.judge('agentd.signature', refusal, () => undefined)).toThrow('No.')
}

function refusal(): never {
  throw new AgentdError('signature-required', 'No.')
}

function fullOutbox(): never {
  throw new AgentdError('fanout-too-large', 'Too many.')
}

test('what is beyond a second’s worth is not told, and the next that is says how many there were', () => {
  const clock = new FakeClock()
  const told: ServiceMessage[] = []
  const policy = { ...openPolicy(), tellsDecisions: true }
  const decisions = new Decisions({ clock, policy, outbox: { send: (one) => void told.push(one) } })

  for (let i = 0; i < MAX_DECISIONS_PER_SECOND + 7; i += 1) refuse(decisions)
  const before = told.length
  clock.advance(1_000)
  refuse(decisions)

  expect(before).toBe(MAX_DECISIONS_PER_SECOND)
  expect(told).toHaveLength(MAX_DECISIONS_PER_SECOND + 1)
  expect(told.at(-1)?.decoded.envelope.payload).toMatchObject({ omitted: 7 })
})

test('where telling fails, the person is warned and what was decided stands', () => {
  const warnings: string[] = []
  const policy = { ...openPolicy(), tellsDecisions: true, warn: (one: string) => void warnings.push(one) }

  refuse(new Decisions({ clock: new FakeClock(), policy, outbox: { send: fullOutbox } }))

  expect(warnings).toEqual(['A decision was not told: Too many.'])
})
