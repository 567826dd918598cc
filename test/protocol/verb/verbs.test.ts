/**
 * The verbs, and the composer behind them: whatever they make is a frame that parses (AC-172, ACQ-12,
 * docs/http.md §8).
 */
import { describe, expect, test } from 'vitest'
import { SHELL_INSTRUMENT, composeFrame, type Author } from '../../../src/protocol/frame/compose.ts'
import { parseFrame } from '../../../src/protocol/frame/frame.ts'
import { KIND_NAMES, type Kind } from '../../../src/protocol/frame/kinds.ts'
import { requireShape } from '../../../src/protocol/refusal/refusal.ts'
import type { VerbContext } from '../../../src/protocol/verb/row.ts'
import { READING_VERBS, VERBS, isVerb } from '../../../src/protocol/verb/verbs.ts'
import { ALICE, INSTRUMENT, textOfOctets, validPayload, type JsonObject } from '../../support/frames.ts'
import { refusalOf } from '../../support/refusals.ts'

const ID = '3f2504e0-4f89-41d3-9a0c-0305e82c3301'
const NOW_MS = Date.UTC(2026, 10, 20, 12)
const NOW_ISO = '2026-11-20T12:00:00.000Z'
const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

const AUTHOR: Author = { senderHandle: ALICE, actedBy: ALICE, draftedWith: INSTRUMENT, tool: 'cc' }

const CONTEXT: VerbContext = {
  actedBy: ALICE,
  draftedWith: INSTRUMENT,
  sessionId: 's1',
  ownScope: '~alice/cc-opus-4-6@s1',
  nowIso: NOW_ISO,
  responseScope: '~alice/codex@s9',
}

/** What every verb takes, all of it at its largest. */
const COMMON = {
  recipient_scope: '~bob/*',
  recipient_handle: '~bob',
  ttl_ms: Number.MAX_SAFE_INTEGER,
  drafted_with: INSTRUMENT,
  provenance: {
    compute_location: 'server-aggregate',
    method: Array.from({ length: 16 }, () => textOfOctets(128)),
    return_ref: textOfOctets(256),
    context_check: 'passed',
    basis: textOfOctets(128),
  },
}

const refs = (count: number, octets: number) => Array.from({ length: count }, () => textOfOctets(octets))

/** One verb: the least and the most it takes, and what it makes of the least. */
interface Case {
  readonly kind: Kind
  readonly least: JsonObject
  readonly most: JsonObject
  /** The payload made of the least; ids made on the spot aside. */
  readonly payload: JsonObject
  readonly text?: string
  readonly mints?: 'query_id' | 'lease_id' | 'diagnostic_id'
  readonly names?: 'query_id' | 'lease_id' | 'diagnostic_id'
}

const decision = validPayload('agent_binding_moment')
const { urgency, ...intent } = validPayload('intent_declare')

const CASES: Readonly<Record<string, Case>> = {
  agent_send: {
    kind: 'agent_lease_extend',
    least: { kind: 'agent_lease_extend', payload: { lease_id: ID, additional_ttl_ms: 1 } },
    most: { kind: 'agent_lease_extend', payload: { lease_id: ID, additional_ttl_ms: 3_600_000 } },
    payload: { lease_id: ID, additional_ttl_ms: 1 },
  },
  agent_advise: {
    kind: 'agent_advisory',
    least: { text: 'x' },
    most: {
      text: textOfOctets(2048),
      file_refs: refs(64, 1024),
      worktree: textOfOctets(512),
      branch: textOfOctets(256),
    },
    payload: { advisory_text: 'x' },
    text: 'text',
  },
  agent_broadcast: {
    kind: 'agent_broadcast',
    least: { text: 'x' },
    most: { text: textOfOctets(2048), event_class: 'released', refs: refs(64, 512) },
    payload: { broadcast_text: 'x', event_class: 'other' },
    text: 'text',
  },
  agent_handover: {
    kind: 'agent_handover',
    least: { body: 'x' },
    most: {
      body: textOfOctets(65_536),
      pointer_refs: refs(64, 1024),
      previous_session_id: textOfOctets(128),
      next_session_id: textOfOctets(128),
    },
    payload: { handover_body: 'x', previous_session_id: 's1' },
    text: 'body',
  },
  agent_lock_acquire: {
    kind: 'agent_lock_request',
    least: { resource: 'x' },
    most: { resource: textOfOctets(512), ttl_ms: 3_600_000, intent: textOfOctets(2048) },
    payload: { resource: 'x', ttl_ms: 300_000 },
    text: 'resource',
    mints: 'lease_id',
  },
  agent_lock_release: {
    kind: 'agent_lock_release',
    least: { lease_id: ID },
    most: { lease_id: ID },
    payload: { lease_id: ID },
    text: 'lease_id',
    names: 'lease_id',
  },
  agent_lease_extend: {
    kind: 'agent_lease_extend',
    least: { lease_id: ID },
    most: { lease_id: ID, additional_ttl_ms: 3_600_000 },
    payload: { lease_id: ID, additional_ttl_ms: 300_000 },
    text: 'lease_id',
    names: 'lease_id',
  },
  agent_query: {
    kind: 'agent_query',
    least: { text: 'x' },
    most: {
      text: textOfOctets(2048),
      response_scope: `~${'a'.repeat(32)}/${'b'.repeat(32)}@${'c'.repeat(128)}`,
      timeout_ms: Number.MAX_SAFE_INTEGER,
    },
    payload: { query_text: 'x', response_scope: '~alice/cc-opus-4-6@s1', timeout_ms: 60_000 },
    text: 'text',
    mints: 'query_id',
  },
  agent_respond: {
    kind: 'agent_response',
    least: { query_id: ID, text: 'x' },
    most: { query_id: ID, text: textOfOctets(2048), responded_to_frame_id: ID },
    payload: { query_id: ID, response_text: 'x', responder_session_id: 's1' },
    names: 'query_id',
  },
  agent_return: {
    kind: 'agent_return_event',
    least: { return_event_ref: 'x', summary: 'y' },
    most: { return_event_ref: textOfOctets(256), summary: textOfOctets(2048), query_id: ID },
    payload: { return_event_ref: 'x', summary: 'y' },
  },
  agent_decide: {
    kind: 'agent_binding_moment',
    least: { ...decision, findings: [], recommendations: [] },
    most: {
      synopsis: textOfOctets(1024),
      findings: refs(16, 1024),
      recommendations: refs(16, 1024),
      offer: textOfOctets(512),
      question: {
        stem: textOfOctets(1024),
        options: Array.from({ length: 4 }, () => ({
          label: textOfOctets(128),
          reasoning: textOfOctets(512),
        })),
        recommended_idx: 3,
        hatches: { free_text: true, dialogue: true },
      },
    },
    payload: { ...decision, findings: [], recommendations: [] },
  },
  agent_diagnose: {
    kind: 'peer_diagnostic_request',
    least: { symptom: 'x', severity: 'info' },
    most: { symptom: textOfOctets(2048), severity: 'blocked', substrate_refs: refs(64, 512) },
    payload: { symptom: 'x', severity: 'info' },
    mints: 'diagnostic_id',
  },
  agent_diagnose_respond: {
    kind: 'peer_diagnostic_response',
    least: { diagnostic_id: ID, finding: 'x' },
    most: { diagnostic_id: ID, finding: textOfOctets(2048), remediation: textOfOctets(2048) },
    payload: { diagnostic_id: ID, finding: 'x' },
    names: 'diagnostic_id',
  },
  intent_declare: {
    kind: 'intent_declare',
    least: { convergence_class: 'a.b', payload_ref: 'x', ttl: 1, withdrawable: false },
    most: { ...intent, urgency, ttl: Number.MAX_SAFE_INTEGER, payload_ref: textOfOctets(512) },
    payload: {
      convergence_class: 'a.b',
      payload_ref: 'x',
      ttl: 1,
      withdrawable: false,
      acted_by: ALICE,
      drafted_with: INSTRUMENT,
      declared_at: NOW_ISO,
    },
  },
  intent_withdraw: {
    kind: 'intent_withdraw',
    least: { convergence_class: 'a.b', intent_ref: 'x' },
    most: {
      convergence_class: 'a.b',
      intent_ref: textOfOctets(512),
      withdrawn_at: '2026-11-20T13:00:00+01:00',
    },
    payload: { convergence_class: 'a.b', intent_ref: 'x', withdrawn_at: NOW_ISO },
  },
  flush_execute: {
    kind: 'flush_executed',
    least: { convergence_class: 'a.b', result_ref: 'x' },
    most: { ...validPayload('flush_executed'), result_ref: textOfOctets(512), batch_refs: refs(256, 512) },
    payload: { convergence_class: 'a.b', result_ref: 'x', executed_at: NOW_ISO },
  },
}

/** As the daemon does it: arguments checked, payload drafted, frame composed and parsed like any other. */
function say(name: string, args: JsonObject, context = CONTEXT) {
  if (!isVerb(name)) throw new Error(`no verb "${name}"`)
  const verb = VERBS[name]
  const draft = verb.compose(requireShape(verb.args, args, 'body'), context)
  const frame = composeFrame({ ...draft, recipientHandle: ALICE }, AUTHOR, NOW_MS)
  return { draft, frame: parseFrame(frame, { nowMs: NOW_MS }) }
}

test('the verbs are those of the table, every kind among what they make (AC-172)', () => {
  const kinds = Object.values(CASES).map(({ kind }) => kind)

  expect(Object.keys(VERBS).toSorted()).toEqual(Object.keys(CASES).toSorted())
  expect(Object.keys(READING_VERBS)).toEqual(['agent_roster', 'agent_subscribe'])
  expect([...new Set(kinds)].toSorted()).toEqual(KIND_NAMES.toSorted())
})

test('no inherited name is a verb (ACQ-40)', () => {
  expect(['', '__proto__', 'constructor', 'toString', 'agent_roster', 'agent_gossip'].filter(isVerb)).toEqual(
    [],
  )
})

describe.each(Object.entries(CASES))('%s', (name, row) => {
  test('makes a valid frame of the least it takes, defaults filled in (AC-172)', () => {
    const { frame, draft } = say(name, row.least)

    expect(frame.kind).toBe(row.kind)
    const { mints } = row
    const minted = mints === undefined ? {} : { [mints]: expect.stringMatching(UUID_V4) }
    expect(frame.payload).toEqual({ ...row.payload, ...minted })
    const id = row.mints ?? row.names
    expect(draft.ids).toEqual(id === undefined ? undefined : { [id]: Reflect.get(frame.payload, id) })
  })

  test('makes a valid frame of the most it takes, the common arguments kept out of the payload (AC-172)', () => {
    const { frame } = say(name, { ...COMMON, ...row.most })

    expect(frame.kind).toBe(row.kind)
    for (const argument of ['recipient_scope', 'recipient_handle', 'provenance']) {
      expect(frame.payload).not.toHaveProperty(argument)
    }
    if (row.kind !== 'agent_lock_request') expect(frame.payload).not.toHaveProperty('ttl_ms')
  })

  test('takes nothing else (AC-172)', () => {
    for (const stranger of ['stranger', '__proto__', 'constructor']) {
      const args = Object.fromEntries([...Object.entries(row.least), [stranger, 1]])
      expect(
        refusalOf(() => say(name, args)),
        stranger,
      ).toEqual({ code: 'field-unknown', field: stranger })
    }
  })

  test('cannot do without what it needs (AC-172)', () => {
    for (const argument of Object.keys(row.least)) {
      const args = Object.fromEntries(Object.entries(row.least).filter(([key]) => key !== argument))
      expect(refusalOf(() => say(name, args))).toEqual({ code: 'field-missing', field: argument })
    }
  })

  test('checks the common arguments as a frame would (AC-172)', () => {
    const faults: JsonObject = {
      recipient_scope: 1,
      recipient_handle: '~Bob',
      drafted_with: '~org',
      ttl_ms: -1,
      provenance: { stranger: 1 },
    }
    for (const [argument, value] of Object.entries(faults)) {
      const refusal = refusalOf(() => say(name, { ...row.least, [argument]: value }))
      expect(refusal?.field, argument).toBe(argument === 'provenance' ? 'provenance.stranger' : argument)
    }
  })

  test(`stands for ${row.text ?? 'no argument'} when only text is said (docs/http.md §8)`, () => {
    expect(isVerb(name) ? VERBS[name].text : '').toBe(row.text)
    if (row.text !== undefined) expect(Object.keys(row.least)).toEqual([row.text])
  })
})

test('a lock announcement is stale when its lease has run out (AC-063)', () => {
  expect(say('agent_lock_acquire', { resource: 'x', ttl_ms: 5_000 }).draft.ttlMs).toBe(5_000)
})

test('a response goes where its query asked for it, or says nothing when that is forgotten (AC-073)', () => {
  expect(say('agent_respond', { query_id: ID, text: 'x' }).draft.scope).toBe('~alice/codex@s9')
  const forgotten = { ...CONTEXT, responseScope: undefined }
  expect(say('agent_respond', { query_id: ID, text: 'x' }, forgotten).draft.scope).toBeUndefined()
})

test('every new query, lease and diagnostic has an id of its own (AC-062, AC-070, AC-092)', () => {
  for (const [name, { mints, least }] of Object.entries(CASES)) {
    if (mints === undefined) continue
    const ids = Array.from({ length: 20 }, () => say(name, least).draft.ids?.[mints])
    expect(new Set(ids).size, name).toBe(20)
  }
})

test('an intent cannot be declared in another name (ACQ-16)', () => {
  const { least } = CASES['intent_declare']!

  const refusal = { code: 'field-invalid', field: 'payload.acted_by' }
  expect(refusalOf(() => say('intent_declare', { ...least, acted_by: '~bob' }))).toEqual(refusal)
})

function send(json: string) {
  return refusalOf(() => say('agent_send', JSON.parse(json)))
}

test('agent_send passes on whatever payload it is given, for the frame to be judged (AC-004, ACQ-40)', () => {
  expect(send('{"kind":"agent_lock_release","payload":{}}')?.field).toBe('payload.lease_id')
  expect(send('{"kind":"agent_lock_release","payload":{"x":1}}')?.code).toBe('payload-kind-mismatch')
  expect(send(`{"kind":"agent_lock_release","payload":{"lease_id":"${ID}","__proto__":{}}}`)).toEqual({
    code: 'field-unknown',
    field: 'payload.__proto__',
  })
  for (const payload of ['[]', 'null', '"x"', '1']) {
    expect(send(`{"kind":"agent_lock_release","payload":${payload}}`)?.field).toBe('payload')
  }
  expect(send('{"kind":"agent_gossip","payload":{}}')?.field).toBe('kind')
})

describe('the composer', () => {
  const draft = { kind: 'agent_lock_release', payload: { lease_id: ID }, recipientHandle: '~bob' } as const

  test('fills in everything its author did not say, and no more (AC-005)', () => {
    expect(composeFrame(draft, AUTHOR, NOW_MS)).toEqual({
      envelope_version: '1.0',
      frame_id: expect.stringMatching(UUID_V4),
      kind: 'agent_lock_release',
      sender_handle: ALICE,
      recipient_handle: '~bob',
      created_at: NOW_ISO,
      payload: { lease_id: ID },
      acted_by: ALICE,
      drafted_with: INSTRUMENT,
      provenance_compute_location: 'server-active',
      provenance_method: ['session-context'],
      provenance_context_check: 'skipped',
      provenance_basis: 'agentd',
    })
  })

  test.each([undefined, 'cli', 'human', 'script', 'cron'])(
    'says local-only where no inference stands behind a frame: tool %s (AC-025)',
    (tool) => {
      const frame = composeFrame(draft, { ...AUTHOR, tool }, NOW_MS)

      expect(frame).toMatchObject({
        provenance_compute_location: 'local-only',
        provenance_method: ['direct'],
      })
    },
  )

  test.each(['cc', 'codex', 'cursor', 'other'])(
    'does not claim it for an agent: tool %s (AC-025)',
    (tool) => {
      const frame = composeFrame(draft, { ...AUTHOR, tool }, NOW_MS)

      expect(frame).toMatchObject({ provenance_compute_location: 'server-active' })
    },
  )

  test('takes every provenance that is given, and a ttl of nothing too (AC-018, AC-024…AC-029)', () => {
    const provenance = {
      compute_location: 'server-aggregate',
      method: ['a', 'b'],
      return_ref: 'run/1',
      context_check: 'passed',
      basis: 'me',
    } as const

    const frame = parseFrame(composeFrame({ ...draft, ttlMs: 0, provenance }, AUTHOR, NOW_MS))

    expect(frame).toMatchObject({
      ttl_ms: 0,
      provenance_compute_location: 'server-aggregate',
      provenance_method: ['a', 'b'],
      provenance_return_ref: 'run/1',
      provenance_context_check: 'passed',
      provenance_basis: 'me',
    })
  })

  test('never gives two frames one id (AC-008)', () => {
    const ids = Array.from({ length: 100 }, () => composeFrame(draft, AUTHOR, NOW_MS)['frame_id'])

    expect(new Set(ids).size).toBe(100)
  })

  test('makes a frame of what a shell says, too (ACQ-12)', () => {
    const author = { ...AUTHOR, draftedWith: SHELL_INSTRUMENT, tool: undefined }

    expect(parseFrame(composeFrame(draft, author, NOW_MS)).drafted_with).toBe('~agentd-cli')
  })

  test('makes a frame of every kind', () => {
    for (const kind of KIND_NAMES) {
      const frame = composeFrame({ ...draft, kind, payload: validPayload(kind) }, AUTHOR, NOW_MS)
      expect(
        refusalOf(() => parseFrame(frame)),
        kind,
      ).toBeUndefined()
    }
  })
})
