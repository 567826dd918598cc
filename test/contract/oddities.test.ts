/**
 * The published schemas before the daemon once more, with what stands in no vector: good values made bad in one place, and
 * texts of the pieces that scopes and filters are made of (PD-15).
 */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isJsonObject } from '../../src/core/text/json-object.ts'
import { RecordsHead } from '../../src/protocol/http/link-exchange.ts'
import * as requests from '../../src/protocol/http/requests.ts'
import { KIND_NAMES } from '../../src/protocol/frame/kinds.ts'
import { SAMPLES } from '../aee/samples.ts'
import { validFrame, validPayload } from '../support/frames.ts'
import { changed, oddities, placesIn } from '../support/oddities.ts'
import { satisfies } from '../support/published.ts'
import { BEYOND_SCHEMA, compare } from './beyond-schema.ts'
import { NOW_MS, body, envelope, filter, frame, scope, submission, verb, type Instance } from './instances.ts'

const CREATED = { created_at: new Date(NOW_MS).toISOString() }

const frames = fc.constantFrom(...KIND_NAMES).map((kind) => ({ ...validFrame(kind), ...CREATED }))

/** What the places of good values are changed into, besides what `oddities` has. */
const words = fc.constantFrom(
  '~alice',
  '~alice/cc@s1',
  '~alice/cc-*',
  '~org/*',
  'org:acme/members/*',
  'a.b',
  'a b.c',
  'waiting',
  'handed',
  '2026-02-29T00:00:00Z',
  '2028-02-29t00:00:60z',
  '2026-04-31T00:00:00Z',
  '1900-02-29T00:00:00Z',
  '2026-11-20T12:00:00',
  '00000000-0000-4000-8000-000000000000',
  '\u0085',
  'two\rlines',
  '€'.repeat(700),
  1,
  2,
  3,
  4,
  3_600_000,
  3_600_001,
  2 ** 31,
  false,
  [[]],
  { free_text: false, dialogue: false },
)

/** A good value, or one with a place changed, or gone, or with one member more. */
function oddOf(values: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const one = fc.tuple(
    values,
    fc.nat(),
    fc.option(fc.oneof(oddities, words), { nil: undefined }),
    fc.boolean(),
  )
  return one.map(([value, at, odd, isMore]) => {
    const places = placesIn(value)
    const put = (part: unknown): unknown =>
      isMore && isJsonObject(part) ? { ...part, stranger: odd ?? null } : odd
    return changed(value, places[at % places.length] ?? [], put)
  })
}

/** Two places of one value, for what is wrong together alone. */
const twiceOdd = (values: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  oddOf(fc.oneof(values, oddOf(values)))

const SESSION = {
  instrument: 'cc-opus-4-6',
  session_id: 's1',
  tool: 'cc',
  handle: '~alice',
  drafted_with: null,
  title: 'login',
  cwd: '/home/alice/api',
  pid: 4_711,
  mailbox: true,
  entities: ['agent.reviewer'],
  delivery: { busy: 'hook', idle: 'none' },
  successor_of: 'cc@s0',
}

/** Arguments of verbs that are no payload's members by another name. */
const ARGUMENTS: Readonly<Record<string, object>> = {
  agent_send: { kind: 'agent_lock_release', payload: validPayload('agent_lock_release'), ttl_ms: 5 },
  agent_advise: { text: 'editing', recipient_scope: '~alice/*', provenance: { method: ['direct'] } },
  agent_handover: { body: 'go on', keep: true, next_session_id: 's2' },
  agent_query: { text: 'who?', response_scope: '~alice/cc@s1', timeout_ms: 5, drafted_with: '~cc-1' },
  agent_decide: validPayload('agent_binding_moment'),
  intent_declare: { ...validPayload('intent_declare'), drafted_with: '~cc-1' },
  flush_execute: validPayload('flush_executed'),
}

const SCOPES = [
  '~alice',
  '~alice/*',
  '~alice/cc-*',
  '~alice/cc-1@s.1',
  'org:~acme/members/r_1/*',
  'accord:acme/grant:a.B',
]
const FILTERS = ['kind:agent_query,sender:~alice', 'tool:cc,org:~acme', 'content_type:text/plain', 'org:acme']

const JUDGED: Readonly<Record<string, fc.Arbitrary<Instance>>> = {
  frame: twiceOdd(frames).map((value) => frame(JSON.stringify(value) ?? 'null')),
  submission: twiceOdd(frames.map((sent) => ({ recipient_scope: '~alice/*', frame: sent }))).map((value) =>
    submission(asJson(value)),
  ),
  'aee-v1': twiceOdd(fc.constantFrom(...SAMPLES.map(([, sample]) => sample))).map((value) =>
    envelope(JSON.stringify(value) ?? 'null'),
  ),
  session: bodies('session', requests.SessionRequest, [SESSION, { instrument: 'cc' }]),
  activity: bodies('activity', requests.ActivityRequest, [
    { state: 'waiting', reason: 'question', text: 'which?' },
    { state: 'idle', reason: null },
  ]),
  drain: bodies('drain', requests.DrainRequest, [{ max_items: 5, format: 'text', peek: true, via: 'hook' }]),
  seen: bodies('seen', requests.SeenRequest, [
    { up_to: 'e-1', state: 'seen', via: 'inbox' },
    { event_ids: ['e-1'], state: 'handed' },
    { event_ids: [], up_to: 'e-1' },
  ]),
  'link-records': bodies('link-records', RecordsHead, [
    { subject: 'agentd.v1.p.alice.f.devbox', stream_seq: 7, engine_at_ms: 1, signature: 'k s' },
    { subject: '', stream_seq: 0, engine_at_ms: 1, signature: '', joins: true, holds_cursor: true },
  ]),
  ...Object.fromEntries(
    Object.entries(ARGUMENTS).map(([name, args]) => [
      name,
      twiceOdd(fc.constant(args)).map((value) => verb(name, asJson(value))),
    ]),
  ),
  scope: textsOf('~ ~alice ~org org: accord: org / * @ /members/ /grant: cc-1 s.1 A _ -', SCOPES).map(scope),
  filter: textsOf(
    'kind: agent_query , sender: ~alice ~org tool: cc org: acme content_type: é : A',
    FILTERS,
  ).map(filter),
}

function bodies(
  name: string,
  shape: Parameters<typeof body>[1],
  values: readonly object[],
): fc.Arbitrary<Instance> {
  return twiceOdd(fc.constantFrom(...values)).map((value) => body(name, shape, asJson(value)))
}

/** A value as it comes over the wire; what JSON has no text for is null. */
function asJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value) ?? 'null')
}

/** Texts of pieces, and good ones with a piece put in somewhere. */
function textsOf(pieces: string, good: readonly string[]): fc.Arbitrary<string> {
  const piece = fc.constantFrom(...pieces.split(' '))
  const changedText = fc
    .tuple(fc.constantFrom(...good), fc.nat(), fc.nat({ max: 3 }), fc.oneof(piece, fc.constant('')))
    .map(([text, at, gone, put]) => {
      const place = at % (text.length + 1)
      return text.slice(0, place) + put + text.slice(place + gone)
    })
  return fc.oneof(
    fc.array(piece, { maxLength: 6 }).map((chosen) => chosen.join('')),
    changedText,
  )
}

describe.each(Object.entries(JUDGED))('the schema of %s', (_name, instances) => {
  test('and the daemon judge odd values alike, save by the rules no schema can say (PD-15, ACQ-37)', () => {
    const seen = { admitted: 0, refused: 0 }

    fc.assert(
      fc.property(instances, (instance) => {
        seen[satisfies(instance.schema, instance.value) ? 'admitted' : 'refused'] += 1
        const difference = compare(instance)
        expect(difference === undefined || Object.hasOwn(BEYOND_SCHEMA, difference), difference).toBe(true)
      }),
      { numRuns: 1_000 },
    )
    // Neither side is idle.
    expect(Math.min(seen.admitted, seen.refused)).toBeGreaterThan(20)
  })
})
