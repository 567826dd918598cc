import { expect, test } from 'vitest'
import { KIND_NAMES } from '../../src/protocol/frame/kinds.ts'
import type { Route } from '../../src/protocol/routes/route.ts'
import { ROUTES } from '../../src/protocol/routes/routes.ts'
import { brokenFrame, textOfOctets, validFrame, validPayload } from '../support/frames.ts'
import { openStream, request, type Reply, type RequestOptions } from '../support/http.ts'
import { SharedDaemon } from './shared-daemon.ts'
import { WELL } from '../support/without-sqlite.ts'

const shared = new SharedDaemon()

const JSON_TYPE = { 'content-type': 'application/json' }

/** The one documented form (AC-159). */
function expectRefusal(answer: Reply, [status, code, field]: readonly [number, string, string?]): void {
  expect([answer.status, answer.body.code, answer.body.field]).toEqual([status, code, field])
  expect(answer.headers['content-type']).toBe('application/json')
  expect(answer.body.message).toMatch(/^["~A-Z].*\.$/s)
  const { code: _code, field: _field, message: _message, retry_after_ms: _retry, ...rest } = answer.body
  expect(rest).toEqual({})
}

/** Sends, and proves that nothing of it reached anybody and that the daemon is as it was. */
async function expectRefused(
  path: string,
  options: RequestOptions,
  expected: readonly [number, string, string?],
): Promise<void> {
  using stream = await shared.listen(await shared.register())

  const answer = await request(shared.socket, path, options)

  expectRefusal(answer, expected)
  await shared.expectSilence(stream)
}

const frame = (faults: object): unknown => ({ frame: brokenFrame('agent_advisory', { ...faults }) })
const query = (payload: object): unknown => ({
  frame: brokenFrame('agent_query', { payload: { ...validPayload('agent_query'), ...payload } }),
})
const HOUR_MS = 3_600_000

/** What is wrong → the whole body, and how it is refused. ACQ-08 gives the order. */
const BODIES: readonly [string, unknown, readonly [number, string, string?]][] = [
  ['not an object', [], [400, 'field-invalid', 'frame']],
  ['null', null, [400, 'field-invalid', 'frame']],
  ['a string', 'x', [400, 'field-invalid', 'frame']],
  ['empty', {}, [400, 'field-missing', 'frame']],
  [
    'a scope in a bare frame',
    { ...validFrame(), recipient_scope: '~alice' },
    [400, 'field-unknown', 'recipient_scope'],
  ],
  ['a stranger beside the frame', { frame: validFrame(), z: 1, y: 2 }, [400, 'field-unknown', 'y']],
  ['a null frame', { frame: null }, [400, 'field-invalid', 'frame']],
  ['a frame that is a list', { frame: [] }, [400, 'field-invalid', 'frame']],
  ['an empty frame', { frame: {} }, [400, 'field-missing', 'envelope_version']],
  ['no version', frame({ envelope_version: undefined }), [400, 'field-missing', 'envelope_version']],
  ['a version that is a number', frame({ envelope_version: 1 }), [400, 'field-invalid', 'envelope_version']],
  [
    'another version',
    frame({ envelope_version: '2.0' }),
    [400, 'envelope-version-unsupported', 'envelope_version'],
  ],
  [
    'another version with fields nobody knows',
    frame({ envelope_version: '1.1', novelty: 1, kind: 'agent_new' }),
    [400, 'envelope-version-unsupported', 'envelope_version'],
  ],
  ['no kind', frame({ kind: undefined, z: 1 }), [400, 'field-missing', 'kind']],
  ['a kind that is a number', frame({ kind: 5 }), [400, 'field-invalid', 'kind']],
  ['an unknown kind', frame({ kind: 'agent_gossip', z: 1 }), [400, 'kind-unknown', 'kind']],
  ['a kind named like a method', frame({ kind: 'constructor' }), [400, 'kind-unknown', 'kind']],
  ['unknown fields', frame({ zz: 1, aa: 2, ttl_ms: -1 }), [400, 'field-unknown', 'aa']],
  ['a field named constructor', frame({ constructor: 1 }), [400, 'field-unknown', 'constructor']],
  [
    'no sender',
    frame({ sender_handle: undefined, recipient_handle: 5 }),
    [400, 'field-missing', 'sender_handle'],
  ],
  [
    'no frame_id before no created_at',
    frame({ frame_id: undefined, created_at: undefined }),
    [400, 'field-missing', 'frame_id'],
  ],
  ['no payload', frame({ payload: undefined }), [400, 'field-missing', 'payload']],
  ['no acted_by', frame({ acted_by: undefined }), [400, 'field-missing', 'acted_by']],
  ['no drafted_with', frame({ drafted_with: undefined }), [400, 'field-missing', 'drafted_with']],
  ['no basis', frame({ provenance_basis: undefined }), [400, 'field-missing', 'provenance_basis']],
  ['a frame_id that is no UUID', frame({ frame_id: 'x' }), [400, 'field-invalid', 'frame_id']],
  [
    'a version-1 UUID',
    frame({ frame_id: '2f1c1c4e-7c1f-1b0a-9d5e-0c6a3b1d2e4f' }),
    [400, 'field-invalid', 'frame_id'],
  ],
  ['an upper-case handle', frame({ sender_handle: '~Alice' }), [400, 'field-invalid', 'sender_handle']],
  ['the pronoun', frame({ recipient_handle: '~org' }), [400, 'field-invalid', 'recipient_handle']],
  [
    'a scope for a handle',
    frame({ recipient_handle: '~alice/*' }),
    [400, 'field-invalid', 'recipient_handle'],
  ],
  [
    'somebody else for the principal, however that handle begins',
    frame({ acted_by: '~cc-opus' }),
    [403, 'sender-identity-mismatch', 'acted_by'],
  ],
  ['one handle for both', frame({ drafted_with: '~alice' }), [400, 'field-invalid', 'drafted_with']],
  [
    'a time without a zone',
    frame({ created_at: '2026-11-20T12:00:00' }),
    [400, 'field-invalid', 'created_at'],
  ],
  [
    'a date that does not exist',
    frame({ created_at: '2026-02-30T12:00:00Z' }),
    [400, 'field-invalid', 'created_at'],
  ],
  [
    'a time too far ahead',
    frame({ created_at: new Date(Date.now() + HOUR_MS).toISOString() }),
    [400, 'field-invalid', 'created_at'],
  ],
  [
    'a time too long ago',
    frame({ created_at: new Date(Date.now() - 25 * HOUR_MS).toISOString() }),
    [400, 'field-invalid', 'created_at'],
  ],
  ['a null ttl_ms', frame({ ttl_ms: null }), [400, 'field-invalid', 'ttl_ms']],
  ['a negative ttl_ms', frame({ ttl_ms: -1 }), [400, 'field-invalid', 'ttl_ms']],
  ['a ttl_ms beyond the integers', frame({ ttl_ms: 2 ** 53 }), [400, 'field-invalid', 'ttl_ms']],
  [
    'a place nobody computes at',
    frame({ provenance_compute_location: 'moon' }),
    [400, 'field-invalid', 'provenance_compute_location'],
  ],
  ['no method', frame({ provenance_method: [] }), [400, 'field-invalid', 'provenance_method']],
  [
    'methods that fill more than a frame',
    frame({ provenance_method: Array(20_000).fill('x') }),
    [413, 'frame-too-large', 'frame'],
  ],
  [
    'a method that is no text',
    frame({ provenance_method: ['a', 7] }),
    [400, 'field-invalid', 'provenance_method[1]'],
  ],
  [
    'a null return ref',
    frame({ provenance_return_ref: null }),
    [400, 'field-invalid', 'provenance_return_ref'],
  ],
  [
    'an unknown context check',
    frame({ provenance_context_check: 'maybe' }),
    [400, 'field-invalid', 'provenance_context_check'],
  ],
  ['a payload that is a list', frame({ payload: [] }), [400, 'field-invalid', 'payload']],
  ['a payload that is null', frame({ payload: null }), [400, 'field-invalid', 'payload']],
  ['an empty payload', frame({ payload: {} }), [400, 'field-missing', 'payload.advisory_text']],
  [
    'the payload of another kind',
    frame({ payload: validPayload('agent_query') }),
    [400, 'payload-kind-mismatch', 'payload'],
  ],
  [
    'an unknown payload field',
    frame({ payload: { advisory_text: 'x', zz: 1 } }),
    [400, 'field-unknown', 'payload.zz'],
  ],
  [
    'an empty text',
    frame({ payload: { advisory_text: '' } }),
    [400, 'field-invalid', 'payload.advisory_text'],
  ],
  [
    'a text one octet too long',
    frame({ payload: { advisory_text: textOfOctets(2_049) } }),
    [400, 'field-invalid', 'payload.advisory_text'],
  ],
  [
    'a list with a number in it',
    frame({ payload: { advisory_text: 'x', file_refs: ['a', 5] } }),
    [400, 'field-invalid', 'payload.file_refs[1]'],
  ],
  [
    'half a surrogate pair',
    frame({ payload: { advisory_text: '\uD800' } }),
    [400, 'field-invalid', 'payload.advisory_text'],
  ],
  [
    'a response scope that is none',
    query({ response_scope: 'nowhere' }),
    [400, 'field-invalid', 'payload.response_scope'],
  ],
  ['a timeout of 0', query({ timeout_ms: 0 }), [400, 'field-invalid', 'payload.timeout_ms']],
  [
    'an option without its reasoning',
    {
      frame: brokenFrame('agent_binding_moment', {
        payload: {
          ...validPayload('agent_binding_moment'),
          question: {
            stem: 'q',
            options: [{ label: 'a', reasoning: 'b' }, { label: 'c' }],
            recommended_idx: 0,
          },
        },
      }),
    },
    [400, 'field-missing', 'payload.question.options[1].reasoning'],
  ],
  [
    'a recommendation of an option that is not there',
    {
      frame: brokenFrame('agent_binding_moment', {
        payload: {
          ...validPayload('agent_binding_moment'),
          question: { ...validPayload('agent_binding_moment').question, recommended_idx: 2 },
        },
      }),
    },
    [400, 'field-invalid', 'payload.question.recommended_idx'],
  ],
  [
    'both hatches shut',
    {
      frame: brokenFrame('agent_binding_moment', {
        payload: {
          ...validPayload('agent_binding_moment'),
          question: {
            ...validPayload('agent_binding_moment').question,
            hatches: { free_text: false, dialogue: false },
          },
        },
      }),
    },
    [400, 'field-invalid', 'payload.question.hatches'],
  ],
  [
    'an intent of another author than its frame',
    {
      frame: brokenFrame('intent_declare', {
        payload: { ...validPayload('intent_declare'), acted_by: '~bob' },
      }),
    },
    [400, 'field-invalid', 'payload.acted_by'],
  ],
  [
    'a sender that is not the caller',
    frame({ sender_handle: '~bob' }),
    [403, 'sender-identity-mismatch', 'sender_handle'],
  ],
  [
    "a principal that is not the caller's",
    frame({ acted_by: '~bob' }),
    [403, 'sender-identity-mismatch', 'acted_by'],
  ],
  [
    'a foreign sender before a malformed scope',
    { recipient_scope: 'x', frame: brokenFrame('agent_advisory', { sender_handle: '~bob' }) },
    [403, 'sender-identity-mismatch', 'sender_handle'],
  ],
  [
    'a recipient that is not ours',
    frame({ recipient_handle: '~bob' }),
    [403, 'scope-unauthorised', 'recipient_scope'],
  ],
]

test.each(BODIES)(
  'a submission with %s is refused, and nobody gets anything (AC-002…AC-113, AC-171, ACQ-08)',
  async (_says, body, expected) => {
    await expectRefused('/v1/frames', { json: body }, expected)
  },
)

test.each(KIND_NAMES)('%s with an empty payload names its first required field (ACQ-07)', async (kind) => {
  const [first] = Object.keys(validPayload(kind))

  await expectRefused('/v1/frames', { json: { frame: brokenFrame(kind, { payload: {} }) } }, [
    400,
    'field-missing',
    `payload.${first}`,
  ])
})

/** What is wrong → the bytes, which no value could say, and how they are refused. */
const text = JSON.stringify({ frame: validFrame() })
const BYTES: readonly [string, string | Buffer, readonly [number, string, string?]][] = [
  ['no bytes', '', [400, 'field-invalid', 'frame']],
  ['half an object', text.slice(0, -1), [400, 'field-invalid', 'frame']],
  ['something behind the object', `${text}x`, [400, 'field-invalid', 'frame']],
  ['a byte order mark', `\uFEFF${text}`, [400, 'field-invalid', 'frame']],
  [
    'bytes that are no UTF-8',
    Buffer.from(text.replace('editing', '\xFF\xFE'), 'latin1'),
    [400, 'field-invalid', 'frame'],
  ],
  [
    'a name twice',
    text.replace('"acted_by"', '"kind":"agent_query","acted_by"'),
    [400, 'field-invalid', 'frame'],
  ],
  [
    'a name twice, once with an escape',
    text.replace('"acted_by"', String.raw`"k\u0069nd":"agent_query","acted_by"`),
    [400, 'field-invalid', 'frame'],
  ],
  ['a wrapper member twice', text.replace('{"frame"', '{"frame":1,"frame"'), [400, 'field-invalid', 'frame']],
  [
    'a member named __proto__',
    text.replace('"acted_by"', '"__proto__":{},"acted_by"'),
    [400, 'field-unknown', '__proto__'],
  ],
  [
    'a wrapper member named __proto__',
    text.replace('{"frame"', '{"__proto__":{},"frame"'),
    [400, 'field-unknown', '__proto__'],
  ],
  [
    'a payload member named __proto__',
    text.replace('"advisory_text"', '"__proto__":{},"advisory_text"'),
    [400, 'field-unknown', 'payload.__proto__'],
  ],
  ['65 levels', `{"frame":${'['.repeat(64)}${']'.repeat(64)}}`, [400, 'field-invalid', 'frame']],
  ['thirty thousand levels', '['.repeat(30_000), [400, 'field-invalid', 'frame']],
  [
    'a number that is none',
    text.replace(/"created_at":"[^"]*"/, '"created_at":NaN'),
    [400, 'field-invalid', 'frame'],
  ],
  [
    'a number beyond all bounds',
    text.replace('"acted_by"', '"ttl_ms":1e400,"acted_by"'),
    [400, 'field-invalid', 'ttl_ms'],
  ],
  [
    'a fraction of a millisecond',
    text.replace('"acted_by"', '"ttl_ms":1.5,"acted_by"'),
    [400, 'field-invalid', 'ttl_ms'],
  ],
  [
    'a frame over 64 KiB',
    JSON.stringify({ frame: { ...validFrame(), x: 'y'.repeat(65_536) } }),
    [413, 'frame-too-large', 'frame'],
  ],
  ['a body over its bound', 'x'.repeat(70_000), [413, 'frame-too-large', 'frame']],
]

test.each(BYTES)(
  'a submission of %s is refused, and nobody gets anything (ACQ-06, ACQ-40, R-36)',
  async (_says, body, expected) => {
    await expectRefused('/v1/frames', { body, headers: JSON_TYPE }, expected)
  },
)

test('a frame of exactly 65 536 octets is too large only for its fields, one more for its size (ACQ-14)', async () => {
  const base = { ...validFrame(), x: '' }
  const room = 65_536 - Buffer.byteLength(JSON.stringify(base))
  const exact = JSON.stringify({
    recipient_scope: `~alice/${'a'.repeat(32)}@${'b'.repeat(128)}`,
    frame: { ...base, x: 'y'.repeat(room) },
  })
  const over = JSON.stringify({ frame: { ...base, x: 'y'.repeat(room + 1) } })

  expectRefusal(await request(shared.socket, '/v1/frames', { body: exact, headers: JSON_TYPE }), [
    400,
    'field-unknown',
    'x',
  ])
  expectRefusal(await request(shared.socket, '/v1/frames', { body: over, headers: JSON_TYPE }), [
    413,
    'frame-too-large',
    'frame',
  ])
})

test('1e3 and 1000.0 are integers in JSON, and 0 is a lifetime (ACQ-15)', async () => {
  for (const ttl of ['1e3', '1000.0', '0']) {
    const body = JSON.stringify({ frame: validFrame() }).replace('"acted_by"', `"ttl_ms":${ttl},"acted_by"`)
    expect((await request(shared.socket, '/v1/frames', { body, headers: JSON_TYPE })).status).toBe(200)
  }
})

const MALFORMED_SCOPES = [
  '',
  'alice',
  '~',
  '~Alice/*',
  '~alice/',
  '~alice/cc',
  '~alice/cc*x',
  '~alice/*/*',
  '~alice/CC*',
  '~alice/cc@',
  '~alice/@s1',
  '~alice/cc@s 1',
  '~alice/cc@s/1',
  '~alice /*',
  ' ~alice/*',
  '~org/*',
  `~alice/cc@${'x'.repeat(129)}`,
  `~alice/${'x'.repeat(33)}*`,
  `~alice/cc@${'x'.repeat(600)}`,
  'org:',
  'org:acme',
  'org:acme/members',
  'org:acme/members/admin',
  'org:Acme/members/*',
  'accord:acme',
  'accord:acme/grant:',
  'accord:acme/grant:a b',
  'ORG:acme/members/*',
]

test.each(MALFORMED_SCOPES)('the scope "%s" is malformed (ACQ-05, ACQ-30…ACQ-32)', async (scope) => {
  const json = { recipient_scope: scope, frame: validFrame() }

  expectRefusal(await request(shared.socket, '/v1/frames', { json }), [
    400,
    'field-invalid',
    'recipient_scope',
  ])
})

test.each([[null], [5], [['~alice/*']], [{}]])('a scope that is %j is malformed (ACQ-05)', async (scope) => {
  const json = { recipient_scope: scope, frame: validFrame() }

  expectRefusal(await request(shared.socket, '/v1/frames', { json }), [
    400,
    'field-invalid',
    'recipient_scope',
  ])
})

test.each([
  ['org:acme/members/*', 422, 'scope-unimplemented'],
  ['org:~acme/members/admin/*', 422, 'scope-unimplemented'],
  ['accord:acme/grant:read', 422, 'scope-unimplemented'],
  ['~bob', 403, 'scope-unauthorised'],
  ['~bob/*', 403, 'scope-unauthorised'],
  ['~bob/cc@s1', 403, 'scope-unauthorised'],
])('the scope %s is answered with %i %s (AC-123…AC-129, ACQ-41)', async (scope, status, code) => {
  await expectRefused('/v1/frames', { json: { recipient_scope: scope, frame: validFrame() } }, [
    status,
    code,
    'recipient_scope',
  ])
})

const FILTERS: readonly [string, string][] = [
  ['kind', 'filter-value-invalid'],
  ['kind:', 'filter-value-invalid'],
  ['kind:agent_gossip', 'filter-value-invalid'],
  ['kind: agent_query', 'filter-value-invalid'],
  ['kind:agent_query:x', 'filter-value-invalid'],
  ['kind:agent_query,', 'filter-axis-unknown'],
  [',', 'filter-axis-unknown'],
  [' kind:agent_query', 'filter-axis-unknown'],
  ['Kind:agent_query', 'filter-axis-unknown'],
  ['subject:x', 'filter-axis-unknown'],
  ['__proto__:x', 'filter-axis-unknown'],
  ['sender:alice', 'filter-value-invalid'],
  ['sender:~org', 'filter-value-invalid'],
  ['tool:', 'filter-value-invalid'],
  ['tool:CC', 'filter-value-invalid'],
  ['content_type:', 'filter-value-invalid'],
  ['org:', 'filter-value-invalid'],
  ['org:Acme', 'filter-value-invalid'],
]

test.each(FILTERS)(
  'the filter "%s" is refused before any byte of a stream: %s (AC-151…AC-157, ACQ-27, ACQ-36)',
  async (filter, code) => {
    const encoded = encodeURIComponent(filter)

    for (const path of [`/v1/handles/~alice/stream?filter=${encoded}`, `/v1/frames?filter=${encoded}`]) {
      expectRefusal(await shared.get(path), [400, code, 'filter'])
    }
    expectRefusal(await shared.post('/v1/verbs/agent_subscribe', { filter }), [400, code, 'filter'])
  },
)

test('a filter is as long as the head of its request may be, and no longer (AC-148, R-34)', async () => {
  const [fits, over] = [900, 1_024].map((clauses) => `/v1/frames?filter=${'tool:cc,'.repeat(clauses)}tool:cc`)

  expect((await shared.get(fits ?? '')).status).toBe(200)
  expectRefusal(await shared.get(over ?? ''), [400, 'field-invalid', 'headers'])
})

test('a filter given twice is refused (ACQ-27)', async () => {
  const answer = await shared.get('/v1/handles/~alice/stream?filter=kind:agent_query&filter=tool:cc')

  expectRefusal(answer, [400, 'filter-value-invalid', 'filter'])
})

const QUERIES: readonly [string, readonly [number, string, string?]][] = [
  ['/v1/handles/~alice/stream?fliter=kind:agent_query', [400, 'field-unknown', 'fliter']],
  ['/v1/handles/~alice/stream?__proto__=x', [400, 'field-unknown', '__proto__']],
  ['/v1/handles/~alice/stream?replay=x', [400, 'field-invalid', 'replay']],
  ['/v1/handles/~alice/stream?replay=-1', [400, 'field-invalid', 'replay']],
  ['/v1/handles/~alice/stream?replay=1001', [400, 'field-invalid', 'replay']],
  ['/v1/handles/~alice/stream?replay=1&replay=2', [400, 'field-invalid', 'replay']],
  ['/v1/handles/~alice/stream?instrument=CC', [400, 'field-invalid', 'instrument']],
  ['/v1/handles/~alice/stream?session_id=a%20b', [400, 'field-invalid', 'session_id']],
  ['/v1/handles/~alice/stream?tool=CC', [400, 'field-invalid', 'tool']],
  ['/v1/frames?limit=0', [400, 'field-invalid', 'limit']],
  ['/v1/frames?limit=1001', [400, 'field-invalid', 'limit']],
  ['/v1/frames?limit=1.5', [400, 'field-invalid', 'limit']],
  ['/v1/frames?after=nonsense', [400, 'field-invalid', 'after']],
  ['/v1/frames?after=zz-1', [400, 'field-invalid', 'after']],
  ['/v1/frames?handle=alice', [400, 'field-invalid', 'handle']],
  ['/v1/frames?handle=~bob', [403, 'scope-unauthorised', 'handle']],
  ['/v1/frames?page=2', [400, 'field-unknown', 'page']],
  ['/v1/frames/2f1c1c4e-7c1f-4b0a-9d5e-0c6a3b1d2e4f', [404, 'not-found', 'frame_id']],
  ['/v1/frames/nonsense', [404, 'not-found', 'frame_id']],
  ['/v1/frames/x?wait=some', [400, 'field-invalid', 'wait']],
  ['/v1/frames/x?timeout_ms=600001', [400, 'field-invalid', 'timeout_ms']],
  ['/v1/health?verbose=1', [400, 'field-unknown', 'verbose']],
  ['/v1/handles/~alice/roster?x=1', [400, 'field-unknown', 'x']],
  ['/v1/handles/~bob/roster', [403, 'scope-unauthorised', 'handle']],
  ['/v1/handles/~bob/stream', [403, 'scope-unauthorised', 'handle']],
  ['/v1/handles/alice/stream', [400, 'field-invalid', 'handle']],
  ['/v1/handles/~org/stream', [400, 'field-invalid', 'handle']],
  ['/v1/handles/~alice%2Fx/stream', [400, 'field-invalid', 'handle']],
  ['/v1/handles/%zz/stream', [400, 'field-invalid', 'handle']],
  ['/v1/handles/%FF/roster', [400, 'field-invalid', 'handle']],
  ['/v1/schemas/nonsense', [404, 'not-found', 'name']],
  ['/v1/schemas/__proto__', [404, 'not-found', 'name']],
]

test.each(QUERIES)('GET %s is refused as documented (docs/http.md §3)', async (path, expected) => {
  expectRefusal(await shared.get(path), expected)
})

test.each([
  '/',
  '/v1',
  '/v1/',
  '/v2/health',
  '/v1/health/',
  '//v1/health',
  '/v1/Health',
  '/v1/handles//stream',
  '/v1/frames/a/b',
  '/v1/%68ealth',
  '/v1/../v1/health',
])('there is nothing at %s (docs/http.md §3)', async (path) => {
  expectRefusal(await shared.get(path), [404, 'not-found'])
})

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND']

/** Those that are there without a link. */
const THERE = Object.values<Route>(ROUTES).filter(({ onlyLinked }) => onlyLinked !== true)

const PATHS = [...new Set(THERE.map(({ path }) => path))]

test.each(PATHS)('%s says of every other method which ones it takes (docs/http.md §3)', async (path) => {
  const takes = Object.values<Route>(ROUTES)
    .filter((route) => route.path === path)
    .map(({ method }) => method)
  const concrete = path.replace('{handle}', '~alice').replace(/\{\w+\}/, 'x')

  for (const method of METHODS.filter((one) => !takes.some((taken) => taken === one))) {
    const answer = await request(shared.socket, concrete, { method })
    const allowed = answer.headers['allow']?.split(', ') ?? []
    expect([method, answer.status, allowed.toSorted()]).toEqual([method, 405, takes.toSorted()])
    if (method !== 'HEAD') expectRefusal(answer, [405, 'method-not-allowed'])
  }
})

const POSTS = THERE.filter(({ takes }) => takes.length > 0)

test.each(POSTS.map((route) => [route.path, route] as const))(
  '%s refuses bodies of other media types (docs/http.md §3)',
  async (path, route) => {
    const session = await shared.register({ mailbox: true })
    const send = (headers: Record<string, string>): Promise<Reply> =>
      request(shared.socket, path.replace('{verb}', 'agent_advise'), {
        method: 'POST',
        body: '{}',
        token: session.token,
        headers,
      })

    for (const type of [
      'text/html',
      'application/xml',
      'application/jsonx',
      '',
      'json',
      'application/json; charset=latin1',
    ]) {
      expectRefusal(await send({ 'content-type': type }), [415, 'media-type-unsupported', 'content-type'])
    }
    expectRefusal(await send({}), [415, 'media-type-unsupported', 'content-type'])
    expectRefusal(await send({ 'content-type': route.takes[0] ?? '', 'content-encoding': 'gzip' }), [
      415,
      'media-type-unsupported',
      'content-encoding',
    ])
  },
)

test.each([
  'application/json',
  'Application/JSON',
  'application/json; charset=utf-8',
  'application/json;charset="UTF-8"',
  'application/json; profile=x',
])('the media type "%s" is JSON (docs/http.md §3)', async (type) => {
  const answer = await request(shared.socket, '/v1/frames', {
    body: JSON.stringify({ frame: validFrame() }),
    headers: { 'content-type': type },
  })

  expect(answer.status).toBe(200)
})

const SESSIONS: readonly [string, unknown, readonly [number, string, string?]][] = [
  ['no instrument', {}, [400, 'field-missing', 'instrument']],
  ['a list', [], [400, 'field-invalid', 'body']],
  ['an unknown field', { instrument: 'cc', model: 'x' }, [400, 'field-unknown', 'model']],
  ['an instrument with a tilde', { instrument: '~cc' }, [400, 'field-invalid', 'instrument']],
  ['an instrument in capitals', { instrument: 'CC' }, [400, 'field-invalid', 'instrument']],
  ['an instrument too long', { instrument: 'x'.repeat(33) }, [400, 'field-invalid', 'instrument']],
  [
    'a session id with a slash',
    { instrument: 'cc', session_id: 'a/b' },
    [400, 'field-invalid', 'session_id'],
  ],
  ['an empty session id', { instrument: 'cc', session_id: '' }, [400, 'field-invalid', 'session_id']],
  ['a tool class in capitals', { instrument: 'cc', tool: 'CC' }, [400, 'field-invalid', 'tool']],
  ['a pid of 0', { instrument: 'cc', pid: 0 }, [400, 'field-invalid', 'pid']],
  ['a pid too large', { instrument: 'cc', pid: 2 ** 31 }, [400, 'field-invalid', 'pid']],
  ['a mailbox that is a word', { instrument: 'cc', mailbox: 'yes' }, [400, 'field-invalid', 'mailbox']],
  ['a title too long', { instrument: 'cc', title: 'x'.repeat(257) }, [400, 'field-invalid', 'title']],
  [
    'too many entities',
    { instrument: 'cc', entities: Array(65).fill('a.b') },
    [400, 'field-invalid', 'entities'],
  ],
  [
    'a predecessor that is none',
    { instrument: 'cc', successor_of: 'nobody' },
    [400, 'field-invalid', 'successor_of'],
  ],
  [
    'a handle of somebody else',
    { instrument: 'cc', handle: '~bob' },
    [403, 'sender-identity-mismatch', 'handle'],
  ],
  [
    'a principal for an instrument',
    { instrument: 'cc', drafted_with: '~alice' },
    [403, 'sender-identity-mismatch', 'drafted_with'],
  ],
]

test.each(SESSIONS)('a registration with %s is refused (docs/http.md §4)', async (_says, json, expected) => {
  expectRefusal(await request(shared.socket, '/v1/sessions', { json }), expected)
})

const INBOX: readonly [string, unknown, readonly [number, string, string?]][] = [
  ['/v1/inbox/drain', { max_items: 0 }, [400, 'field-invalid', 'max_items']],
  ['/v1/inbox/drain', { max_items: 1_001 }, [400, 'field-invalid', 'max_items']],
  ['/v1/inbox/drain', { max_bytes: 0 }, [400, 'field-invalid', 'max_bytes']],
  ['/v1/inbox/drain', { max_bytes: 1_048_577 }, [400, 'field-invalid', 'max_bytes']],
  ['/v1/inbox/drain', { format: 'html' }, [400, 'field-invalid', 'format']],
  ['/v1/inbox/drain', { peek: 1 }, [400, 'field-invalid', 'peek']],
  ['/v1/inbox/drain', { via: 'pigeon' }, [400, 'field-invalid', 'via']],
  ['/v1/inbox/drain', { limit: 5 }, [400, 'field-unknown', 'limit']],
  ['/v1/inbox/drain', [], [400, 'field-invalid', 'body']],
  ['/v1/seen', {}, [400, 'field-missing', 'up_to']],
  ['/v1/seen', { up_to: 'a-1', event_ids: [] }, [400, 'field-invalid', 'up_to']],
  ['/v1/seen', { up_to: 'a-1' }, [400, 'field-invalid', 'up_to']],
  ['/v1/seen', { event_ids: ['x'] }, [400, 'field-invalid', 'event_ids[0]']],
  ['/v1/seen', { event_ids: Array(1_001).fill('a-1') }, [400, 'field-invalid', 'event_ids']],
  ['/v1/seen', { ids: [] }, [400, 'field-unknown', 'ids']],
]

test.each(INBOX)('POST %s of %j is refused (docs/http.md §7)', async (path, json, expected) => {
  const session = await shared.register({ mailbox: true })

  expectRefusal(await request(shared.socket, path, { json, token: session.token }), expected)
})

test('an inbox of a session without a mailbox is not there (docs/http.md §7)', async () => {
  const session = await shared.register()

  expectRefusal(await shared.post('/v1/inbox/drain', {}, session.token), [404, 'not-found', 'mailbox'])
  expectRefusal(await shared.get('/v1/inbox/wait?timeout_ms=1', session.token), [404, 'not-found', 'mailbox'])
})

const VERBS: readonly [string, unknown, readonly [number, string, string?]][] = [
  ['agent_gossip', {}, [404, 'not-found', 'verb']],
  ['__proto__', {}, [404, 'not-found', 'verb']],
  ['agent_advise', {}, [400, 'field-missing', 'text']],
  ['agent_advise', [], [400, 'field-invalid', 'body']],
  ['agent_advise', { text: 'x', words: 'y' }, [400, 'field-unknown', 'words']],
  ['agent_advise', { text: '' }, [400, 'field-invalid', 'text']],
  ['agent_advise', { text: textOfOctets(2_049) }, [400, 'field-invalid', 'text']],
  ['agent_advise', { text: 'x', ttl_ms: -1 }, [400, 'field-invalid', 'ttl_ms']],
  ['agent_advise', { text: 'x', recipient_scope: 'x' }, [400, 'field-invalid', 'recipient_scope']],
  ['agent_advise', { text: 'x', recipient_scope: 5 }, [400, 'field-invalid', 'recipient_scope']],
  [
    'agent_advise',
    { text: 'x', recipient_scope: 'org:acme/members/*' },
    [422, 'scope-unimplemented', 'recipient_scope'],
  ],
  ['agent_advise', { text: 'x', recipient_scope: '~bob/*' }, [403, 'scope-unauthorised', 'recipient_scope']],
  ['agent_advise', { text: 'x', recipient_handle: '~bob' }, [403, 'scope-unauthorised', 'recipient_scope']],
  ['agent_advise', { text: 'x', drafted_with: '~alice' }, [400, 'field-invalid', 'drafted_with']],
  ['agent_advise', { text: 'x', provenance: { mood: 'good' } }, [400, 'field-unknown', 'provenance.mood']],
  ['agent_send', { kind: 'agent_gossip', payload: {} }, [400, 'kind-unknown', 'kind']],
  [
    'agent_send',
    { kind: 'agent_query', payload: { advisory_text: 'x' } },
    [400, 'payload-kind-mismatch', 'payload'],
  ],
  ['agent_send', { kind: 'agent_query', payload: {} }, [400, 'field-missing', 'payload.query_text']],
  ['agent_lock_acquire', { resource: 'x', ttl_ms: 3_600_001 }, [400, 'field-invalid', 'ttl_ms']],
  ['agent_lock_release', { lease_id: 'x' }, [400, 'field-invalid', 'lease_id']],
  ['agent_query', { text: 'x', response_scope: 'y' }, [400, 'field-invalid', 'response_scope']],
  ['agent_diagnose', { symptom: 'x', severity: 'terrible' }, [400, 'field-invalid', 'severity']],
  ['agent_roster', { x: 1 }, [400, 'field-unknown', 'x']],
  ['agent_subscribe', { filter: 5 }, [400, 'field-invalid', 'filter']],
]

test.each(VERBS)(
  'the verb %s with %j is refused, and nobody gets anything (docs/http.md §8)',
  async (verb, json, expected) => {
    await expectRefused(`/v1/verbs/${verb}`, { json }, expected)
  },
)

test.each(['agent_send', 'agent_respond', 'agent_decide', 'agent_roster', 'agent_subscribe'])(
  '%s takes no text/plain, having no single text (docs/http.md §8)',
  async (verb) => {
    const headers = { 'content-type': 'text/plain' }
    const answer = await request(shared.socket, `/v1/verbs/${verb}`, { headers, body: 'x' })

    expectRefusal(answer, [415, 'media-type-unsupported', 'content-type'])
  },
)

test('a text that is no UTF-8 is refused, not repaired (R-36)', async () => {
  await expectRefused(
    '/v1/verbs/agent_advise',
    { headers: { 'content-type': 'text/plain' }, body: Buffer.from([0x61, 0xff]) },
    [400, 'field-invalid', 'text'],
  )
})

function forget(search: string): Promise<Reply> {
  return request(shared.socket, `/v1/frames${search}`, { method: 'DELETE' })
}

test('forgetting takes at least one criterion, each of them well-formed (AC-192)', async () => {
  for (const search of ['', '?']) expect((await forget(search)).status).toBe(400)
  expectRefusal(await forget('?kind=gossip'), [400, 'field-invalid', 'kind'])
  expectRefusal(await forget('?frame_id=x'), [400, 'field-invalid', 'frame_id'])
  expectRefusal(await forget('?before=yesterday'), [400, 'field-invalid', 'before'])
  expectRefusal(await forget('?sender=alice'), [400, 'field-invalid', 'sender'])
  expectRefusal(await forget('?all=1'), [400, 'field-unknown', 'all'])
  expectRefusal(await forget('?up_to=yesterday'), [400, 'field-invalid', 'up_to'])
  expectRefusal(await forget('?dry_run=true'), [400, 'field-missing', 'frame_id'])
  expectRefusal(await forget('?dry_run=1&kind=agent_query'), [400, 'field-invalid', 'dry_run'])
})

test('a stream that is refused is refused as JSON, not as a stream (ACQ-36)', async () => {
  using refused = await openStream(shared.socket, '/v1/handles/~bob/stream')

  expect(refused.status).toBe(403)
  expect(refused.head.toLowerCase()).toContain('content-type: application/json')
  expect(refused.body()).not.toContain('retry:')
})

test('after all of that the daemon is the one that was started, and well (R-36)', async () => {
  const { body } = await shared.get('/v1/health')

  expect(body).toMatchObject({ status: WELL, pid: shared.daemon.pid })
  expect(shared.daemon.stderr()).not.toMatch(/"level":"error"/)
})
