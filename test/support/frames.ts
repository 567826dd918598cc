/**
 * Frames for tests: one good example of each kind, broken ones made from it, and arbitraries over all of them.
 *
 * `validFrame` and `arbitraryFrame` always pass `parseFrame`; `brokenFrame` is plain JSON that may not.
 */
import { randomUUID } from 'node:crypto'
import * as fc from 'fast-check'
import type { Frame, FrameOf } from '../../src/protocol/frame/frame.ts'
import { KIND_NAMES, type Kind, type Payload } from '../../src/protocol/frame/kinds.ts'

/** A JSON object that nobody has looked at yet. */
export type JsonObject = Readonly<Record<string, unknown>>

/** Members of a frame to set; the kind is the first argument's. */
export type FrameOverrides<K extends Kind> = Partial<Omit<FrameOf<K>, 'kind'>>

export const ALICE = '~alice'
export const INSTRUMENT = '~cc-opus-4-6'

/** Exactly `octets` UTF-8 octets in about a third as many code units: what a count of units lets pass. */
export function textOfOctets(octets: number): string {
  return '€'.repeat(Math.floor(octets / 3)) + 'x'.repeat(octets % 3)
}

/** Kind → a payload with every member the kind has, the optional ones included. */
const PAYLOADS: { readonly [K in Kind]: () => Payload<K> } = {
  agent_advisory: () => ({
    advisory_text: 'editing src/auth.ts',
    file_refs: ['src/auth.ts', 'src/session.ts'],
    worktree: '/home/alice/api',
    branch: 'refactor',
  }),
  agent_broadcast: () => ({ broadcast_text: 'main moved', event_class: 'merged', refs: ['pull/17'] }),
  agent_handover: () => ({
    previous_session_id: 's1',
    next_session_id: 's2',
    handover_body: 'Two tests are red:\nsee the notes.',
    pointer_refs: ['notes/handover.md'],
  }),
  agent_lock_request: () => ({
    resource: 'src/auth.ts',
    lease_id: randomUUID(),
    ttl_ms: 300_000,
    intent: 'move the session code',
  }),
  agent_lock_release: () => ({ lease_id: randomUUID(), resource: '' }),
  agent_lease_extend: () => ({ lease_id: randomUUID(), additional_ttl_ms: 300_000 }),
  agent_query: () => ({
    query_text: 'Who edits the schema?',
    query_id: randomUUID(),
    response_scope: '~alice/cc-opus-4-6@s1',
    timeout_ms: 60_000,
  }),
  agent_response: () => ({
    query_id: randomUUID(),
    responder_session_id: 's2',
    response_text: 'I do.',
    responded_to_frame_id: randomUUID(),
    answer_attempt_idx: 1,
  }),
  agent_return_event: () => ({
    return_event_ref: 'run/41',
    query_id: randomUUID(),
    summary: 'The suite is green.',
  }),
  agent_binding_moment: () => ({
    synopsis: 'The migration can go two ways.',
    findings: ['The table has 4 million rows.'],
    recommendations: ['Copy in batches.'],
    offer: 'I can run it tonight.',
    question: {
      stem: 'Which way?',
      options: [
        { label: 'batches', reasoning: 'No lock is held for long.' },
        { label: 'one go', reasoning: 'Simple, but the table is locked.' },
      ],
      recommended_idx: 0,
      hatches: { free_text: true, dialogue: false },
    },
  }),
  peer_diagnostic_request: () => ({
    symptom: 'The build hangs.',
    diagnostic_id: randomUUID(),
    substrate_refs: ['ci/991'],
    severity: 'degraded',
  }),
  peer_diagnostic_response: () => ({
    diagnostic_id: randomUUID(),
    finding: 'The runner is out of disk.',
    remediation: 'Prune the cache.',
    substrate_refs: ['ci/991'],
  }),
  intent_declare: () => ({
    convergence_class: 'repo.pull-request',
    payload_ref: 'pull/18',
    acted_by: ALICE,
    drafted_with: INSTRUMENT,
    declared_at: '2026-11-20T12:00:00Z',
    ttl: 600_000,
    withdrawable: true,
    urgency: 'normal',
  }),
  intent_withdraw: () => ({
    convergence_class: 'repo.pull-request',
    intent_ref: 'intent/1',
    withdrawn_at: '2026-11-20T12:00:00Z',
  }),
  flush_executed: () => ({
    convergence_class: 'repo.pull-request',
    result_ref: 'pull/19',
    batch_refs: ['intent/1', 'intent/2'],
    executed_at: '2026-11-20T12:00:00Z',
  }),
}

/** A payload of the kind with every member it may have; fresh ids and fresh objects on every call. */
export function validPayload<K extends Kind>(kind: K): Payload<K> {
  return PAYLOADS[kind]()
}

/**
 * A frame that passes `parseFrame`, from `~alice` to all her sessions, made now, with a fresh `frame_id`. The
 * optional `ttl_ms` and `provenance_return_ref` are absent unless given.
 */
export function validFrame<K extends Kind = 'agent_advisory'>(
  kind?: K,
  overrides: FrameOverrides<K> = {},
): FrameOf<K> {
  const name = kind ?? 'agent_advisory'
  const frame: unknown = { ...envelopeOf(name), payload: validPayload(name), ...overrides }
  // One kind's name beside the same kind's payload; TypeScript cannot follow that through a type variable.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return frame as FrameOf<K>
}

/** The frame of `validFrame` with any members set to anything; `undefined` removes the member. */
export function brokenFrame(kind: Kind, faults: JsonObject): JsonObject {
  return withMembers({ ...envelopeOf(kind), payload: validPayload(kind) }, faults)
}

/** An object with members set, added, or (for `undefined`) removed; names like `__proto__` are just names. */
export function withMembers(object: object, members: JsonObject): JsonObject {
  const entries = new Map<string, unknown>([...Object.entries(object), ...Object.entries(members)])
  return Object.fromEntries([...entries].filter(([, value]) => value !== undefined))
}

/** In the order of AC-005. */
function envelopeOf(kind: Kind): JsonObject {
  return {
    envelope_version: '1.0',
    frame_id: randomUUID(),
    kind,
    sender_handle: ALICE,
    recipient_handle: ALICE,
    created_at: new Date().toISOString(),
    payload: undefined,
    acted_by: ALICE,
    drafted_with: INSTRUMENT,
    provenance_compute_location: 'server-active',
    provenance_method: ['session-context'],
    provenance_context_check: 'passed',
    provenance_basis: 'test',
  }
}

/** Text of `min` to `max` octets: any code point UTF-8 can carry, now and then exactly at the bound. */
function arbitraryText(min: number, max: number): fc.Arbitrary<string> {
  const short = fc
    .string({ unit: 'binary', minLength: min, maxLength: Math.min(max, 40) })
    .filter((text) => Buffer.byteLength(text) <= max)
  return fc.oneof({ weight: 30, arbitrary: short }, { weight: 1, arbitrary: fc.constant(textOfOctets(max)) })
}

/** As {@link arbitraryText}, without a line break. */
function arbitraryLine(min: number, max: number): fc.Arbitrary<string> {
  return arbitraryText(min, max).map((text) => text.replaceAll(/[\r\n]/g, '.'))
}

const uuid = fc.oneof(
  fc.uuid({ version: 4 }),
  fc.uuid({ version: 4 }).map((id) => id.toUpperCase()),
)

const anyHandle = fc
  .stringMatching(/^~[a-z0-9]([a-z0-9-]{0,30}[a-z0-9])?$/)
  .filter((handle) => handle !== '~org' && handle.length <= 33)

const sovereign = anyHandle.filter((handle) => !/^~(?:cc|gpt|gemini|llama|claude|mistral)-/.test(handle))

const milliseconds = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER })
const lease = fc.integer({ min: 1, max: 3_600_000 })

const timestamp = fc
  .date({ min: new Date('2020-01-01'), max: new Date('2030-01-01'), noInvalidDate: true })
  .chain((date) => {
    const iso = date.toISOString()
    return fc.constantFrom(iso, iso.toLowerCase(), iso.replace('Z', '+02:00'), iso.replace(/\.\d+/, ''))
  })

const convergenceClass = fc.constantFrom(
  'a.b',
  'repo.pull-request',
  'x:y/z',
  'com.example.PullRequest',
  `a.${'b'.repeat(126)}`,
)

function list(item: fc.Arbitrary<string>): fc.Arbitrary<string[]> {
  return fc.array(item, { maxLength: 3 })
}

type Model = Readonly<Record<string, fc.Arbitrary<unknown>>>

/** Kind → required and optional members. */
const PAYLOAD_MODELS: Readonly<Record<Kind, readonly [required: Model, optional: Model]>> = {
  agent_advisory: [
    { advisory_text: arbitraryText(1, 2048) },
    {
      file_refs: list(arbitraryText(1, 1024)),
      worktree: arbitraryText(0, 512),
      branch: arbitraryText(0, 256),
    },
  ],
  agent_broadcast: [
    {
      broadcast_text: arbitraryText(1, 2048),
      event_class: fc.constantFrom('merged', 'stale', 'released', 'other'),
    },
    { refs: list(arbitraryText(1, 512)) },
  ],
  agent_handover: [
    { previous_session_id: arbitraryText(1, 128), handover_body: arbitraryText(1, 8192) },
    { next_session_id: arbitraryText(0, 128), pointer_refs: list(arbitraryText(1, 1024)) },
  ],
  agent_lock_request: [
    { resource: arbitraryText(1, 512), lease_id: uuid, ttl_ms: lease },
    { intent: arbitraryText(0, 2048) },
  ],
  agent_lock_release: [{ lease_id: uuid }, { resource: arbitraryText(0, 512) }],
  agent_lease_extend: [{ lease_id: uuid, additional_ttl_ms: lease }, {}],
  agent_query: [
    {
      query_text: arbitraryText(1, 2048),
      query_id: uuid,
      response_scope: fc.constantFrom('~alice', '~alice/*', '~a/cc-*', '~a/cc@s.1', 'org:acme/members/*'),
      timeout_ms: milliseconds,
    },
    {},
  ],
  agent_response: [
    { query_id: uuid, responder_session_id: arbitraryText(1, 128), response_text: arbitraryText(1, 2048) },
    { responded_to_frame_id: uuid, answer_attempt_idx: milliseconds },
  ],
  agent_return_event: [
    { return_event_ref: arbitraryText(1, 256), summary: arbitraryText(1, 2048) },
    { query_id: uuid },
  ],
  agent_binding_moment: [
    {
      synopsis: arbitraryLine(1, 1024),
      findings: list(arbitraryText(1, 1024)),
      recommendations: list(arbitraryText(1, 1024)),
      offer: arbitraryLine(1, 512),
      question: arbitraryQuestion(),
    },
    {},
  ],
  peer_diagnostic_request: [
    {
      symptom: arbitraryText(1, 2048),
      diagnostic_id: uuid,
      severity: fc.constantFrom('info', 'degraded', 'blocked'),
    },
    { substrate_refs: list(arbitraryText(1, 512)) },
  ],
  peer_diagnostic_response: [
    { diagnostic_id: uuid, finding: arbitraryText(1, 2048) },
    { remediation: arbitraryText(0, 2048), substrate_refs: list(arbitraryText(1, 512)) },
  ],
  intent_declare: [
    {
      convergence_class: convergenceClass,
      payload_ref: arbitraryText(1, 512),
      declared_at: timestamp,
      ttl: milliseconds,
      withdrawable: fc.boolean(),
    },
    { urgency: fc.constantFrom('normal', 'urgent') },
  ],
  intent_withdraw: [
    { convergence_class: convergenceClass, intent_ref: arbitraryText(1, 512), withdrawn_at: timestamp },
    {},
  ],
  flush_executed: [
    { convergence_class: convergenceClass, result_ref: arbitraryText(1, 512), executed_at: timestamp },
    { batch_refs: list(arbitraryText(1, 512)) },
  ],
}

function arbitraryQuestion(): fc.Arbitrary<unknown> {
  const option = fc.record({ label: arbitraryText(1, 128), reasoning: arbitraryLine(1, 512) })
  const hatches = fc.constantFrom({}, { free_text: false }, { dialogue: false }, { free_text: true })
  return fc.array(option, { minLength: 2, maxLength: 4 }).chain((options) =>
    record(
      {
        stem: arbitraryLine(1, 1024),
        options: fc.constant(options),
        recommended_idx: fc.nat({ max: options.length - 1 }),
      },
      { hatches },
    ),
  )
}

function record(required: Model, optional: Model): fc.Arbitrary<JsonObject> {
  const requiredKeys = Object.keys(required)
  return fc.record<Record<string, unknown>, string>(
    { ...required, ...optional },
    { requiredKeys, noNullPrototype: true },
  )
}

/** Any valid frame, of any of the given kinds: every optional member there or not, text in any script. */
export function arbitraryFrame(kinds: readonly Kind[] = KIND_NAMES): fc.Arbitrary<Frame> {
  return fc.constantFrom(...kinds).chain(arbitraryFrameOf)
}

function arbitraryFrameOf(kind: Kind): fc.Arbitrary<Frame> {
  const [required, optional] = PAYLOAD_MODELS[kind]
  const pair = fc
    .record({ acted_by: sovereign, drafted_with: anyHandle }, { noNullPrototype: true })
    .filter(({ acted_by, drafted_with }) => acted_by !== drafted_with)
  const envelope = record(
    {
      envelope_version: fc.constant('1.0'),
      frame_id: uuid,
      kind: fc.constant(kind),
      sender_handle: anyHandle,
      recipient_handle: anyHandle,
      created_at: timestamp,
      provenance_compute_location: fc.constantFrom('server-active', 'server-aggregate', 'local-only'),
      provenance_method: fc.array(arbitraryText(1, 128), { minLength: 1, maxLength: 3 }),
      provenance_context_check: fc.constantFrom('passed', 'skipped'),
      provenance_basis: arbitraryText(1, 128),
    },
    { ttl_ms: fc.nat({ max: Number.MAX_SAFE_INTEGER }), provenance_return_ref: arbitraryText(1, 256) },
  )
  return fc.tuple(envelope, pair, record(required, optional)).map(([members, names, payload]) => {
    const whole = kind === 'intent_declare' ? { ...payload, ...names } : payload
    const frame: unknown = { ...members, ...names, payload: whole }
    // Built from the models above; `test/protocol/frame.test.ts` holds them against `parseFrame`.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    return frame as Frame
  })
}
