import { expect, test } from 'vitest'
import { textOfEnvelope, textOfFrame } from '../../../../src/ui/seat/passing/row-text.ts'
import { SeatModel } from '../../../../src/ui/seat/seat-model.ts'
import { iso, NOON_MS, read, snapshot } from '../../support/wire.ts'

const ID = '7f0c0b5e-0000-4000-8000-000000000001'

test.each([
  ['agent_query', { query_id: ID, query_text: 'May I?' }, 'May I?'],
  ['agent_response', { query_id: ID, response_text: 'Yes [query me]' }, 'Yes [query me]'],
  ['peer_diagnostic_response', { diagnostic_id: ID, finding: 'a full disk' }, 'a full disk'],
  ['agent_lock_request', { lease_id: ID, resource: 'src/auth.ts', ttl_ms: 30_000 }, 'src/auth.ts for 30s'],
  ['agent_broadcast', { event_class: 'other', broadcast_text: 'green' }, 'green'],
  ['agent_broadcast', { event_class: 'merged', broadcast_text: 'login' }, 'merged: login'],
  [
    'agent_advisory',
    { advisory_text: 'editing a.ts, then b', file_refs: ['a.ts', 'b.ts'] },
    'editing a.ts, then b (b.ts)',
  ],
  ['agent_of_tomorrow', { what: 'else' }, '{"what":"else"}'],
])('a row of %s with %o says "%s": its ids stand in its detail (SEAT-35)', (kind, payload, text) => {
  expect(textOfFrame({ kind, payload })).toBe(text)
})

test.each([
  [{ summary: 'Deploy shop 4.2', task: { hash: 'sha-256:ab' } }, 'ops.deploy: Deploy shop 4.2'],
  [{ version: '4.2' }, 'ops.deploy: {"version":"4.2"}'],
  ['no payload', 'ops.deploy: '],
])('a row of a task with the payload %o says "%s"', (payload, text) => {
  const envelope = { id: 'ask-00001', type: 'task', intent: 'ops.deploy', corr: 'corr-0001' }
  expect(textOfEnvelope({ ...envelope, priority: 'normal', payload })).toBe(text)
})

test('what becomes of a lease says what the lease is on (SEAT-24)', () => {
  const model = new SeatModel({ nowMs: () => NOON_MS }, 100)
  model.feed(read('snapshot', snapshot()))
  const pass = (at: number, kind: string, payload: object): void =>
    model.feed(read('passed', passing(kind, payload), `e1-${at}`))

  pass(1, 'agent_lock_request', { lease_id: ID, resource: 'src/auth.ts', ttl_ms: 30_000 })
  pass(2, 'agent_lease_extend', { lease_id: ID, additional_ttl_ms: 60_000 })
  pass(3, 'agent_lock_release', { lease_id: ID })
  pass(4, 'agent_lock_release', { lease_id: ID.replace('7', '8') })

  const texts = [0, 1, 2, 3].map((place) => model.rows.get(model.rows.end - 4 + place)?.text)
  expect(texts).toEqual(['src/auth.ts for 30s', 'src/auth.ts by 60s', 'src/auth.ts', ''])
})

function passing(kind: string, payload: object): object {
  return {
    sender: '~alice/cc@s1',
    scope: '~alice/*',
    accepted_at: iso(NOON_MS),
    frame: { frame_id: `${kind}-1`, kind, sender_handle: '~alice', created_at: iso(NOON_MS), payload },
  }
}

test('a row has one line, whatever its sender wrote; other characters without a look of their own stay (SEAT-27)', () => {
  const model = new SeatModel({ nowMs: () => NOON_MS }, 100)
  model.feed(read('snapshot', snapshot()))
  const query_text = 'May I?\n\n  - left-pad\r\n\u202e'
  model.feed(read('passed', passing('agent_query', { query_id: ID, query_text }), 'e1-1'))

  expect(model.rows.get(model.rows.end - 1)?.text).toBe('May I? - left-pad \u202e')
})
