/** What a session drafts with (OP-28). */
import { assert, constantFrom, property, string } from 'fast-check'
import { expect, test } from 'vitest'
import { isHandle, isInstrument } from '../../../src/protocol/address/handle.ts'
import { plainNames } from '../../../src/protocol/address/name.ts'
import { instrumentOf } from '../../../src/runtimes/events/instrument.ts'
import { RUNTIMES } from '../../../src/runtimes/catalogue.ts'

test.each([
  ['cc', 'claude-opus-4-6', 'cc-opus-4-6'],
  ['cc', 'claude-opus-4-6-20260801', 'cc-opus-4-6'],
  ['cc', 'us.anthropic.claude-opus-4-6-20260801-v1:0', 'cc-opus-4-6'],
  ['cc', 'anthropic/claude-sonnet-5[1m]', 'cc-sonnet-5-1m'],
  ['cc', 'opus', 'cc-opus'],
  ['codex', 'gpt-5.2-codex', 'codex-gpt-5-2-codex'],
  ['gemini', 'gemini-3-pro', 'gemini-3-pro'],
  ['cc', undefined, 'cc-agent'],
  ['cc', '', 'cc-agent'],
  ['cc', '???', 'cc-agent'],
  ['cc', 'a-model-whose-name-is-as-long-as-it-can-be', 'cc-a-model-whose-name-is-as-long'],
  ['cc', `a-model-whose-name-is-as-long${'-'.repeat(300)}`, 'cc-a-model-whose-name-is-as-long'],
] as const)('%s with the model %s drafts with %s (OP-28)', (tool, model, instrument) => {
  expect(instrumentOf(tool, model)).toBe(instrument)
})

test('whatever a model is called, ~alice/cc-* reaches its session, and so with each runtime (OP-28)', () => {
  const tools = [...new Set(RUNTIMES.map(({ tool }) => tool))]
  assert(
    property(constantFrom(...tools), string({ unit: 'binary', maxLength: 300 }), (tool, model) => {
      const instrument = instrumentOf(tool, model)

      expect(instrument.startsWith(`${tool}-`)).toBe(true)
      expect(isInstrument(instrument)).toBe(true)
      expect(isHandle(`~${instrument}`)).toBe(true)
    }),
    { numRuns: 1_000 },
  )
})

const namesOf = (instrument: string): readonly string[] => [
  ...plainNames({ title: undefined, instrument, tool: 'cc', sessionId: 's1' }),
]

test('people call the session as if its model were not in its address (docs/http.md §4)', () => {
  expect(namesOf(instrumentOf('cc', 'claude-opus-4-6'))).toEqual(namesOf('cc'))
  expect(namesOf(instrumentOf('cc', undefined))).toEqual(namesOf('cc'))
})
