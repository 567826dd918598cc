/** A row holds the beginning of what an item says, however much that is (SEAT-35, ACQ-14; decision 022). */
import { expect, test } from 'vitest'
import { MAX_ROW_CHARACTERS, readPassed } from '../../../../src/ui/seat/passing/passed.ts'
import { validFrame, validPayload } from '../../../support/frames.ts'

function rowOf(frame: object): string {
  return readPassed({ frame, accepted_at: '2026-11-20T08:00:00.000Z' }, 'e1-1')?.text ?? ''
}

const FULL = 60_000

test.each([
  ['sixty thousand letters', 'x'.repeat(FULL)],
  ['blanks', ` ${' '.repeat(FULL)}x`],
  ['line breaks', 'a\n'.repeat(FULL / 2)],
  ['full stops', `${'.'.repeat(FULL)}x`],
])('of a text of %s a row has one short line (SEAT-35)', (_, text) => {
  const payload = { ...validPayload('peer_diagnostic_response'), finding: text }
  const row = rowOf(validFrame('peer_diagnostic_response', { payload }))

  expect(row.length).toBeLessThanOrEqual(MAX_ROW_CHARACTERS + 1)
  expect(row).not.toContain('\n')
})

test('of thousands of references and findings a row has the first (SEAT-35)', () => {
  const many = Array.from({ length: 15_000 }, () => 'f')
  const advisory = validFrame('agent_advisory', {
    payload: { ...validPayload('agent_advisory'), advisory_text: 'at work', file_refs: many },
  })
  const decision = validFrame('agent_binding_moment', {
    payload: { ...validPayload('agent_binding_moment'), findings: many },
  })

  expect(rowOf(advisory)).toMatch(/^at work \(f, f, /)
  for (const frame of [advisory, decision])
    expect(rowOf(frame).length).toBeLessThanOrEqual(MAX_ROW_CHARACTERS + 1)
})

test('a line break between words is a blank (SEAT-35)', () => {
  const payload = { ...validPayload('agent_handover'), handover_body: 'one\n\n  two' }

  expect(rowOf(validFrame('agent_handover', { payload }))).toMatch(/^one two/)
})
