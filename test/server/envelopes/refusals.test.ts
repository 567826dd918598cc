/**
 * Every refusal of an envelope by status, code and field, as JSON and as a line, and that nothing of it is anywhere.
 */
import { randomUUID } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { startTestDaemon } from '../../support/daemon.ts'
import { listenFor, sendEnvelope, validEnvelope } from '../../support/envelopes.ts'
import { connectRaw, request, type Reply, type SseReader } from '../../support/http.ts'
import { createTempDir } from '../../support/temp-dir.ts'
import { SharedDaemon, type Registered } from '../shared-daemon.ts'
import { ACK } from '../../support/without-sqlite.ts'

const shared = new SharedDaemon()

type Expected = readonly [number, string, string?]

const LIMIT = 1_048_576
const HOUR_MS = 3_600_000

/** Whatever a refused envelope could have come through. */
interface Watch extends Disposable {
  readonly stream: SseReader
  readonly mailbox: Registered
  readonly channel: string
}

/** Somebody who listens to a channel of its own, and somebody whose mailbox it goes to. */
async function watchChannel(): Promise<Watch> {
  const channel = `bus.${randomUUID()}`
  const mailbox = await shared.register({ mailbox: true, entities: [channel] })
  const stream = await listenFor(shared.socket, channel)
  return { stream, mailbox, channel, [Symbol.dispose]: () => stream[Symbol.dispose]() }
}

function expectRefusal(answer: Reply, [status, code, field]: Expected): void {
  expect([answer.status, answer.body.code, answer.body.field]).toEqual([status, code, field])
  expect(answer.headers['content-type']).toBe('application/json')
  expect(answer.body.message).toMatch(/^["A-Z].*\.$/s)
  expect(Object.keys(answer.body).filter((name) => !['code', 'field', 'message'].includes(name))).toEqual([])
}

/** One line, behind a blank one, so that its number says that blank lines count. */
function sendLine(body: string | Buffer, token?: string): Promise<Reply> {
  return request(shared.socket, '/v1/envelopes', {
    body: Buffer.concat([Buffer.from('\n'), Buffer.from(body), Buffer.from('\n')]),
    headers: { 'content-type': 'application/x-ndjson' },
    ...(token !== undefined && { token }),
  })
}

/** Proof that of what came before nothing was delivered: a probe is the first thing there is. */
async function expectUntouched({ stream, mailbox, channel }: Watch): Promise<void> {
  const probe = validEnvelope({ to: channel })
  await sendEnvelope(shared.socket, probe)
  expect(JSON.parse((await stream.next()).data).id).toBe(probe.id)
  const { body } = await shared.post('/v1/inbox/drain', {}, mailbox.token)
  expect(body.items.map((item: { envelope: { id: string } }) => item.envelope.id)).toEqual([probe.id])
}

interface Attempt {
  readonly token?: string | undefined
  /** Where a reader would look for what was refused. */
  readonly id?: unknown
  readonly corr?: unknown
}

/** Sends both ways; nothing of it may be found anywhere afterwards. */
async function expectRefused(
  body: string | Buffer,
  expected: Expected,
  { watch, token, id, corr }: Attempt & { watch: Watch },
): Promise<void> {
  const isLine = !body.includes('\n')
  expectRefusal(await sendEnvelope(shared.socket, body, token), expected)
  if (isLine && body.length > 0) {
    const [, code, field] = expected
    const { status, text } = await sendLine(body, token)
    const answer = JSON.parse(text)
    expect([status, answer.code, answer.field, answer.line]).toEqual([200, code, field, 2])
  }
  if (canBePath(id)) {
    const found = await shared.get(`/v1/envelopes/${encodeURIComponent(id)}`)
    expect([found.status, found.body.code, found.body.field]).toEqual([404, 'not-found', 'id'])
  }
  if (canBePath(corr)) {
    const thread = await shared.get(`/v1/threads/${encodeURIComponent(corr)}`)
    expect(thread.body.items ?? []).toEqual([])
  }
  await expectUntouched(watch)
}

/** Whether a value can stand in a path: no half of a surrogate pair can. */
function canBePath(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && !/\p{Surrogate}/u.test(value)
}

const SEVEN = '🎉'.repeat(7)

/** What is wrong → the members that are changed, and how it is refused. */
const MEMBERS: readonly [string, Readonly<Record<string, unknown>>, Expected][] = [
  // v (AEE-003, AEQ-08)
  ['another version', { v: '2' }, [400, 'version-unsupported', 'v']],
  ['an empty version', { v: '' }, [400, 'version-unsupported', 'v']],
  ['version "1.0"', { v: '1.0' }, [400, 'version-unsupported', 'v']],
  ['a version that is a number', { v: 1 }, [400, 'field-invalid', 'v']],
  ['a null version', { v: null }, [400, 'field-invalid', 'v']],
  ['no version and nothing else right', { v: undefined, id: 1, ts: 2 }, [400, 'field-missing', 'v']],
  [
    'another version and nothing else right',
    { v: '2', id: undefined, type: 'gossip' },
    [400, 'version-unsupported', 'v'],
  ],
  // what is missing, in the order of AEE-036
  ['no id', { id: undefined, ts: undefined }, [400, 'field-missing', 'id']],
  ['no ts', { ts: undefined, type: undefined }, [400, 'field-missing', 'ts']],
  ['no type', { type: undefined, from: undefined, reply_to: undefined }, [400, 'field-missing', 'type']],
  ['no from', { from: undefined, to: undefined }, [400, 'field-missing', 'from']],
  ['no to', { to: undefined, intent: undefined }, [400, 'field-missing', 'to']],
  ['no intent', { intent: undefined, corr: undefined }, [400, 'field-missing', 'intent']],
  ['no corr', { corr: undefined, priority: undefined }, [400, 'field-missing', 'corr']],
  ['no priority', { priority: undefined, payload: undefined }, [400, 'field-missing', 'priority']],
  ['no payload', { payload: undefined, id: 'short' }, [400, 'field-missing', 'payload']],
  [
    'a result without reply_to',
    { type: 'result', reply_to: undefined, id: 'x' },
    [400, 'field-missing', 'reply_to'],
  ],
  ['an error without reply_to', { type: 'error', reply_to: undefined }, [400, 'field-missing', 'reply_to']],
  [
    'a result without reply_to and payload',
    { type: 'result', reply_to: undefined, payload: undefined },
    [400, 'field-missing', 'payload'],
  ],
  // what is invalid, in the order of AEE-002
  ['an id of 7 characters', { id: '1234567', ts: 'x' }, [400, 'field-invalid', 'id']],
  ['an id of 7 characters in 14 units (AEQ-07)', { id: SEVEN }, [400, 'field-invalid', 'id']],
  ['a null id', { id: null }, [400, 'field-invalid', 'id']],
  ['an id that is a number', { id: 12_345_678 }, [400, 'field-invalid', 'id']],
  ['half a surrogate pair in the id', { id: 'abcdefgh\uD800' }, [400, 'field-invalid', 'id']],
  ['a ts of 9 characters', { ts: '2025-12-1', type: 'x' }, [400, 'field-invalid', 'ts']],
  ['a ts that is a number', { ts: 1_700_000_000_000 }, [400, 'field-invalid', 'ts']],
  ['an unknown type', { type: 'gossip', from: '' }, [400, 'field-invalid', 'type']],
  ['a type in capitals', { type: 'Task' }, [400, 'field-invalid', 'type']],
  ['a type named like a method', { type: 'constructor' }, [400, 'field-invalid', 'type']],
  ['an empty from', { from: '', to: '' }, [400, 'field-invalid', 'from']],
  ['half a surrogate pair in from', { from: 'agent.\uDC00' }, [400, 'field-invalid', 'from']],
  ['an empty to', { to: '', intent: '' }, [400, 'field-invalid', 'to']],
  ['a list of recipients', { to: ['bus.ops'] }, [400, 'field-invalid', 'to']],
  ['half a surrogate pair in to', { to: 'bus.\uD800' }, [400, 'field-invalid', 'to']],
  ['an intent of 2 characters', { intent: 'ab', corr: '' }, [400, 'field-invalid', 'intent']],
  ['half a surrogate pair in the intent', { intent: 'abc\uD800' }, [400, 'field-invalid', 'intent']],
  ['a corr of 7 characters', { corr: 'xyz-789', reply_to: 5 }, [400, 'field-invalid', 'corr']],
  ['half a surrogate pair in corr', { corr: 'abcdefgh\uD800' }, [400, 'field-invalid', 'corr']],
  ['a reply_to that is a number', { reply_to: 5, trace: 5 }, [400, 'field-invalid', 'reply_to']],
  ['half a surrogate pair in reply_to', { reply_to: 'abcdefgh\uD800' }, [400, 'field-invalid', 'reply_to']],
  ['a result that answers null', { type: 'result', reply_to: null }, [400, 'field-invalid', 'reply_to']],
  [
    'a result that answers 7 characters',
    { type: 'result', reply_to: '1234567' },
    [400, 'field-invalid', 'reply_to'],
  ],
  ['an error that answers null', { type: 'error', reply_to: null }, [400, 'field-invalid', 'reply_to']],
  [
    'an error that answers an empty string',
    { type: 'error', reply_to: '' },
    [400, 'field-invalid', 'reply_to'],
  ],
  ['a trace that is a list', { trace: [], priority: 'x' }, [400, 'field-invalid', 'trace']],
  [
    'a trace_id that is a number',
    { trace: { trace_id: 1, span_id: 2 } },
    [400, 'field-invalid', 'trace.trace_id'],
  ],
  [
    'a span_id that is null',
    { trace: { trace_id: 'a', span_id: null } },
    [400, 'field-invalid', 'trace.span_id'],
  ],
  ['an unknown priority', { priority: 'asap', requires: 5 }, [400, 'field-invalid', 'priority']],
  ['a priority in capitals', { priority: 'High' }, [400, 'field-invalid', 'priority']],
  ['requires that is a string', { requires: 'speed', payload: 5 }, [400, 'field-invalid', 'requires']],
  ['requires that is a list', { requires: [] }, [400, 'field-invalid', 'requires']],
  ['a payload that is a list', { payload: [], sig: 5 }, [400, 'field-invalid', 'payload']],
  ['a null payload', { payload: null }, [400, 'field-invalid', 'payload']],
  ['a payload that is a string', { payload: '{}' }, [400, 'field-invalid', 'payload']],
  ['a sig that is a number', { sig: 5, from: 'service.agentd' }, [400, 'field-invalid', 'sig']],
  ['a sig that is a list', { sig: [] }, [400, 'field-invalid', 'sig']],
  ['a sig that is false', { sig: false }, [400, 'field-invalid', 'sig']],
  // who sends (AEQ-21)
  [
    'the daemon as its sender',
    { from: 'service.agentd', sig: 'nonsense', ts: '2020-01-01T00:00:00Z' },
    [403, 'sender-identity-mismatch', 'from'],
  ],
  ['a person without a session', { from: 'human.adam' }, [403, 'sender-identity-mismatch', 'from']],
  // signatures (AEQ-13, AEQ-15)
  ['an empty sig', { sig: '', ts: '2020-01-01T00:00:00Z' }, [403, 'signature-unverifiable', 'sig']],
  ['a sig that is any string', { sig: 'signed, me' }, [403, 'signature-unverifiable', 'sig']],
  ['an empty object for a sig', { sig: {} }, [403, 'signature-unverifiable', 'sig.value']],
  [
    'a sig of an unknown algorithm',
    { sig: { alg: 'none', kid: 'k', value: 'AAAA' } },
    [403, 'signature-unverifiable', 'sig.alg'],
  ],
  [
    'a sig of an unknown canon',
    { sig: { alg: 'ed25519', kid: 'k', value: 'AAAA', canon: 'mine' } },
    [403, 'signature-unverifiable', 'sig.canon'],
  ],
  [
    'a sig that leaves requires unbound',
    { sig: { alg: 'ed25519', kid: 'k', value: 'AAAA', canon: 'aee-jcs-10' } },
    [403, 'signature-unverifiable', 'sig.canon'],
  ],
  [
    'a sig by a key nobody knows',
    { sig: { alg: 'ed25519', kid: 'k', value: 'A'.repeat(86) } },
    [403, 'signature-unverifiable', 'sig'],
  ],
  [
    'a sig by a key that is a path',
    { sig: { alg: 'ed25519', kid: '../../etc/passwd', value: 'AAAA' } },
    [403, 'signature-unverifiable', 'sig.kid'],
  ],
  // time (AEQ-06)
  [
    'a ts six minutes ahead',
    { ts: new Date(Date.now() + HOUR_MS / 10).toISOString(), to: 'agent.nobody-at-all' },
    [422, 'timestamp-stale', 'ts'],
  ],
  [
    'a ts of 25 hours ago',
    { ts: new Date(Date.now() - 25 * HOUR_MS).toISOString() },
    [422, 'timestamp-stale', 'ts'],
  ],
  ['a date of long ago', { ts: '2020-01-01' }, [422, 'timestamp-stale', 'ts']],
  // to whom (AEQ-20, docs/http.md §9)
  ['a recipient nobody ever was', { to: 'agent.nobody-at-all' }, [404, 'recipient-unknown', 'to']],
  ['a pattern of recipients', { to: 'agent.*' }, [404, 'recipient-unknown', 'to']],
  ['a channel without a name', { to: 'bus.' }, [404, 'recipient-unknown', 'to']],
  ['a recipient named like a method', { to: '__proto__' }, [404, 'recipient-unknown', 'to']],
]

test.each(MEMBERS)(
  'an envelope with %s is refused, and is nowhere (AEE-001…AEE-021, AEE-035…AEE-037, AEQ-01…AEQ-21)',
  async (_says, changes, expected) => {
    using watch = await watchChannel()
    const envelope = validEnvelope({ to: watch.channel, ...changes })

    await expectRefused(JSON.stringify(envelope), expected, { watch, ...envelope })
  },
)

const TEXT = JSON.stringify(
  validEnvelope({ trace: { trace_id: 'a', span_id: 'b' }, payload: { list: [{ a: 1 }] } }),
)
const MALFORMED: Expected = [400, 'envelope-malformed', 'envelope']

/** Levels of a payload around which the envelope is one more. */
function nested(levels: number): string {
  return TEXT.replace('"list"', `"deep":${'['.repeat(levels)}${']'.repeat(levels)},"list"`)
}

/** What is wrong → the bytes, which no value could say. */
const BYTES: readonly [string, string | Buffer, Expected][] = [
  ['no bytes', '', MALFORMED],
  ['only spaces', '   ', MALFORMED],
  ['half an envelope', TEXT.slice(0, -1), MALFORMED],
  ['something behind the envelope', `${TEXT}x`, MALFORMED],
  ['two envelopes', `${TEXT} ${TEXT}`, MALFORMED],
  ['a list', `[${TEXT}]`, MALFORMED],
  ['null', 'null', MALFORMED],
  ['a string', '"envelope"', MALFORMED],
  ['a number', '1e400', MALFORMED],
  ['a byte order mark', `\uFEFF${TEXT}`, MALFORMED],
  ['bytes that are no UTF-8', Buffer.from(TEXT.replace('ops.', '\xFF\xFE'), 'latin1'), MALFORMED],
  ['an overlong NUL', Buffer.from(TEXT.replace('ops.', '\xC0\x80'), 'latin1'), MALFORMED],
  ['half a pair as bytes', Buffer.from(TEXT.replace('ops.', '\xED\xA0\x80'), 'latin1'), MALFORMED],
  ['a raw line break in a string', TEXT.replace('ops.', 'ops\n'), MALFORMED],
  ['a number that is none', TEXT.replace('"list"', '"n":NaN,"list"'), MALFORMED],
  ['a name twice', TEXT.replace('"type"', '"from":"agent.other","type"'), MALFORMED],
  [
    'a name twice, once with an escape',
    TEXT.replace('"type"', String.raw`"fr\u006fm":"x","type"`),
    MALFORMED,
  ],
  ['an unknown name twice', TEXT.replace('"type"', '"x":1,"x":1,"type"'), MALFORMED],
  ['a name twice in the payload', TEXT.replace('"list"', '"b":1,"b":2,"list"'), MALFORMED],
  ['a name twice in a list of the payload', TEXT.replace('"a":1', '"a":1,"a":1'), MALFORMED],
  ['a name twice in the trace', TEXT.replace('"span_id"', '"trace_id":"b","span_id"'), MALFORMED],
  ['an empty name twice', TEXT.replace('"list"', '"":1,"":2,"list"'), MALFORMED],
  ['__proto__ twice', TEXT.replace('"list"', '"__proto__":1,"__proto__":2,"list"'), MALFORMED],
  [
    'a name twice, below 63 levels',
    TEXT.replace('"list"', `"d":${'['.repeat(61)}{"a":1,"a":2}${']'.repeat(61)},"list"`),
    MALFORMED,
  ],
  ['65 levels', nested(63), MALFORMED],
  ['half a million levels', '['.repeat(500_000), MALFORMED],
  ['half a million open objects', '{"a":'.repeat(200_000), MALFORMED],
  ['everything in __proto__', `{"__proto__":${TEXT}}`, [400, 'field-missing', 'v']],
  [
    'a prototype that has the id',
    TEXT.replace(/"id":"[^"]+"/, '"__proto__":{"id":"abcdefgh"}'),
    [400, 'field-missing', 'id'],
  ],
]

test.each(BYTES)(
  'a submission of %s is refused, and nobody gets anything (AEQ-24, R-36)',
  async (_says, body, expected) => {
    using watch = await watchChannel()

    await expectRefused(body, expected, { watch })
  },
)

/** Announces a body and waits for the answer before any of it is sent. */
async function announce(body: string): Promise<{ status: number; code: unknown; field: unknown }> {
  using raw = await connectRaw(shared.socket)
  raw.write(
    `POST /v1/envelopes HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n`,
  )
  const [, status, text = ''] = await raw.until(/^HTTP\/1\.1 (\d+)[\s\S]*?\r\n\r\n(\{.*\})$/)
  const { code, field } = JSON.parse(text)
  return { status: Number(status), code, field }
}

test('an envelope over 1 MiB is refused, and nobody gets anything (AEQ-24)', async () => {
  using watch = await watchChannel()
  const tooLarge = { status: 413, code: 'envelope-too-large', field: 'envelope' }
  const text = JSON.stringify(validEnvelope({ to: watch.channel, payload: { x: 'y' } }))

  for (const length of [LIMIT + 1, 3 * LIMIT]) {
    const body = text.replace('"y"', `"${'y'.repeat(length - text.length + 1)}"`)
    expect([body.length, await announce(body)]).toEqual([length, tooLarge])
    const { text: line } = await sendLine(body)
    expect(JSON.parse(line)).toMatchObject({ code: 'envelope-too-large', field: 'envelope', line: 2 })
  }
  await expectUntouched(watch)
})

test('a client that is still sending what is too large reads why it is refused (AEQ-24, R-35)', async () => {
  const answer = await sendEnvelope(shared.socket, 'x'.repeat(3 * LIMIT))

  expectRefusal(answer, [413, 'envelope-too-large', 'envelope'])
})

test('64 levels and exactly 1 MiB are taken, one more of either is not (AEQ-24)', async () => {
  const room = (extra: number): string => {
    const text = JSON.stringify(validEnvelope({ payload: { x: 'y' } }))
    return text.replace('"y"', `"${'y'.repeat(LIMIT - Buffer.byteLength(text) + 1 + extra)}"`)
  }
  const spaced = (extra: number): string => {
    const text = JSON.stringify(validEnvelope({ payload: { x: 'y' } })).replaceAll(',', ' , ')
    return text.replace(
      '"y"',
      `"${'é'.repeat(100)}${'y'.repeat(LIMIT - Buffer.byteLength(text) + 1 - 200 + extra)}"`,
    )
  }
  const send = async (text: string): Promise<unknown> => {
    const answer = await request(shared.socket, '/v1/envelopes', {
      body: text,
      headers: { 'content-type': 'application/x-ndjson' },
    })
    return answer.body.code ?? answer.body.ack
  }

  expect([Buffer.byteLength(room(0)), Buffer.byteLength(spaced(0))]).toEqual([LIMIT, LIMIT])
  expect([await send(room(0)), await send(room(1))]).toEqual([ACK, 'envelope-too-large'])
  expect([await send(spaced(0)), await send(spaced(1))]).toEqual([ACK, 'envelope-too-large'])
  expect((await sendEnvelope(shared.socket, room(0))).status).toBe(200)
  expect((await sendEnvelope(shared.socket, nested(62))).status).toBe(200)
})

test('a line of exactly 1 MiB is taken, whichever line break ends it (AEQ-24, docs/http.md §5)', async () => {
  for (const end of ['\n', '\r\n', '']) {
    const text = JSON.stringify(validEnvelope({ payload: { x: 'y' } }))
    const line = text.replace('"y"', `"${'y'.repeat(LIMIT - text.length + 1)}"`)
    const answer = await request(shared.socket, '/v1/envelopes', {
      body: `${line}${end}`,
      headers: { 'content-type': 'application/x-ndjson' },
    })
    expect([end, answer.body.code, answer.body.ack]).toEqual([end, undefined, ACK])
  }
})

test('a session speaks for what it registered and for nobody else (AEQ-21, AEE-092)', async () => {
  using watch = await watchChannel()
  const holder = await shared.register({ entities: ['agent.held'] })
  const other = await shared.register({ entities: ['agent.held-not'] })
  const from = (name: string) => validEnvelope({ to: watch.channel, from: name })
  const mismatch: Expected = [403, 'sender-identity-mismatch', 'from']

  for (const [name, token] of [
    ['agent.held', other.token],
    ['agent.free', holder.token],
    ['human.adam', holder.token],
    ['service.agentd', holder.token],
    // Held by a session that lives: nobody without its token speaks for it.
    ['agent.held', undefined],
  ] as const) {
    const envelope = from(name)
    await expectRefused(JSON.stringify(envelope), mismatch, { watch, token, ...envelope })
  }
  expect((await sendEnvelope(shared.socket, from('agent.held'), holder.token)).status).toBe(200)
  expect((await sendEnvelope(shared.socket, from('agent.free'))).status).toBe(200)
})

test('an entity is free again when the session that held it is over (AEQ-21, docs/http.md §9)', async () => {
  const holder = await shared.register({ entities: ['agent.lives-shortly'] })
  const send = async () =>
    (await sendEnvelope(shared.socket, validEnvelope({ from: 'agent.lives-shortly' }))).status
  const held = await send()
  await request(shared.socket, '/v1/sessions/self', { method: 'DELETE', token: holder.token })

  expect([held, await send()]).toEqual([403, 200])
  expect(
    (await sendEnvelope(shared.socket, validEnvelope({ from: 'agent.lives-shortly' }), holder.token)).body
      .code,
  ).toBe('unauthenticated')
})

test.each([
  [['human.adam'], 'cc', 'entities[0]'],
  [['agent.a', 'human.adam'], 'other', 'entities[1]'],
  [['service.agentd'], 'human', 'entities[0]'],
  [['service.agentd'], 'cc', 'entities[0]'],
])('a session cannot register %j as "%s" (AEQ-21, docs/http.md §9)', async (entities, tool, field) => {
  const answer = await shared.post('/v1/sessions', { instrument: 'cc', tool, entities })

  expectRefusal(answer, [403, 'sender-identity-mismatch', field])
})

test.each([
  ['service.agentd', 403, 'sender-identity-mismatch'],
  ['agent.a,service.agentd', 403, 'sender-identity-mismatch'],
  ['agent.a,,agent.b', 400, 'field-invalid'],
  ['agent.a\u0007', 400, 'field-invalid'],
  ['x'.repeat(257), 400, 'field-invalid'],
  [Array.from({ length: 65 }, (_, i) => `a${i}`).join(','), 400, 'field-invalid'],
])('a stream cannot name the entities "%s" (docs/http.md §§6, 9)', async (entities, status, code) => {
  const answer = await shared.get(`/v1/handles/~alice/stream?entities=${encodeURIComponent(entities)}`)

  expectRefusal(answer, [status, code, 'entities'])
})

test('only who may speak for a person hears for one (AEQ-21, docs/http.md §9)', async () => {
  const agent = await shared.register({ tool: 'cc' })
  for (const token of [undefined, agent.token]) {
    using stream = await listenFor(shared.socket, 'human.eve', token === undefined ? {} : { token })
    expect(stream.status).toBe(403)
  }
})

test('the message of recipient-unknown names near ones, at most three, and never repeats a whole megabyte (docs/http.md §9, R-36)', async () => {
  await shared.register({
    entities: ['agent.reviewer-one', 'agent.reviewer-two', 'agent.reviewer-six', 'agent.reviewer-ten'],
  })
  const send = (to: string) => sendEnvelope(shared.socket, validEnvelope({ to }))

  const near = await send('agent.reviewer-on')
  const far = await send('agent.zzzzzzzzzzzzzzzz')
  const long = await send(`agent.${'x'.repeat(900_000)}`)
  const hostile = await send('agent.reviewer-one\u001b[31m"')

  expect(near.body.message).toContain('"agent.reviewer-one"')
  expect(near.body.message.match(/"agent\.reviewer-[a-z]{3}"/g).length).toBeLessThanOrEqual(3)
  expect(far.body.message).not.toContain('reviewer')
  expect(hostile.body.message).not.toContain('\u001b')
  expect(Buffer.byteLength(long.text)).toBeLessThan(4_096)
})

test('an entity that was there before is known: 200 and nobody (docs/http.md §9)', async () => {
  const gone = await shared.register({ entities: ['agent.was-here'] })
  await request(shared.socket, '/v1/sessions/self', { method: 'DELETE', token: gone.token })

  const { status, body } = await sendEnvelope(shared.socket, validEnvelope({ to: 'agent.was-here' }))

  expect([status, body.recipient_count, body.queued_count]).toEqual([200, 0, 0])
})

test('an id that was used for another envelope is refused, and the first one stays (AEE-080, AEQ-16)', async () => {
  using watch = await watchChannel()
  const first = validEnvelope({ to: watch.channel })
  await sendEnvelope(shared.socket, first)
  await watch.stream.next('aee_envelope')
  await shared.post('/v1/inbox/drain', {}, watch.mailbox.token)

  for (const changes of [{ payload: { other: 1 } }, { to: 'bus.other' }, { priority: 'high' }, { x: 1 }]) {
    const again = JSON.stringify({ ...first, ...changes })
    expectRefusal(await sendEnvelope(shared.socket, again), [409, 'duplicate-id', 'id'])
    expect(JSON.parse((await sendLine(again)).text)).toMatchObject({
      code: 'duplicate-id',
      field: 'id',
      line: 2,
    })
  }
  expectRefusal(await sendEnvelope(shared.socket, `${JSON.stringify(first).slice(0, -1)} }`), [
    409,
    'duplicate-id',
    'id',
  ])

  expect((await shared.get(`/v1/envelopes/${first.id}`)).body).toEqual(first)
  await expectUntouched(watch)
})

test('signature and age are looked at before a repeat is (docs/requirements.md §8)', async () => {
  const first = validEnvelope()
  await sendEnvelope(shared.socket, first)

  for (const [changes, expected] of [
    [{ sig: 'x' }, [403, 'signature-unverifiable', 'sig']],
    [{ ts: '2020-01-01T00:00:00Z' }, [422, 'timestamp-stale', 'ts']],
    [{ to: 'agent.nobody-at-all' }, [409, 'duplicate-id', 'id']],
  ] as const) {
    expectRefusal(await sendEnvelope(shared.socket, { ...first, ...changes }), expected)
  }
})

test('of many faults the first of the order of docs/requirements.md §8 is told, mended one after the other (AEE-035, AEE-036)', async () => {
  await using dir = await createTempDir()
  const folder = dir.file('schemas')
  mkdirSync(folder, { mode: 0o700 })
  writeFileSync(
    dir.file('schemas', 'ops.backup.check.task.schema.json'),
    JSON.stringify({ type: 'object', required: ['window'] }),
    { mode: 0o600 },
  )
  await using daemon = await startTestDaemon({
    config: {
      aee: { profile: 'strict', schemas: [folder], payloads: { '*': 'enforce' }, signatures: 'require' },
    },
  })
  const used = validEnvelope()
  const worst: Record<string, unknown> = {
    ...used,
    v: '2',
    id: undefined,
    type: 'gossip',
    from: 'human.adam',
    ts: '2020-01-01T00:00:00Z',
    to: 'agent.nobody-at-all',
    sig: 'x',
  }
  const steps: readonly [Readonly<Record<string, unknown>>, string, string][] = [
    [{}, 'version-unsupported', 'v'],
    [{ v: '1' }, 'field-missing', 'id'],
    [{ id: used.id }, 'field-invalid', 'type'],
    [{ type: 'task' }, 'sender-identity-mismatch', 'from'],
    [{ from: 'agent.sender' }, 'signature-unverifiable', 'sig'],
    [{ sig: null }, 'signature-required', 'sig'],
  ]
  const now = { ...worst }
  for (const [mended, code, field] of steps) {
    Object.assign(now, mended)
    const { body } = await sendEnvelope(daemon.socket, now)
    expect([body.code, body.field]).toEqual([code, field])
  }

  await using lax = await startTestDaemon({
    config: { aee: { profile: 'strict', schemas: [folder], payloads: { '*': 'enforce' } } },
  })
  await sendEnvelope(lax.socket, { ...used, payload: { window: '24h' } })
  Object.assign(now, { intent: 'aee.made.up' })
  for (const [mended, code, field] of [
    [{}, 'timestamp-stale', 'ts'],
    [{ ts: used['ts'] }, 'duplicate-id', 'id'],
    [{ id: randomUUID() }, 'intent-reserved', 'intent'],
    [{ intent: 'ops.backup.check' }, 'payload-invalid', 'payload'],
    [{ payload: { window: '24h' } }, 'recipient-unknown', 'to'],
  ] as const) {
    Object.assign(now, mended)
    const { body } = await sendEnvelope(lax.socket, now)
    expect([body.code, body.field]).toEqual([code, field])
  }
  expect((await sendEnvelope(lax.socket, { ...now, to: 'bus.ops' })).status).toBe(200)
})

const PATHS: readonly [string, string, Expected][] = [
  ['GET', '/v1/envelopes', [405, 'method-not-allowed']],
  ['POST', '/v1/threads/abcdefgh', [405, 'method-not-allowed']],
  ['GET', '/v1/log', [405, 'method-not-allowed']],
  ['GET', '/v1/envelopes/abcdefgh', [404, 'not-found', 'id']],
  ['GET', '/v1/envelopes/abcdefgh/receipts', [404, 'not-found', 'id']],
  ['GET', '/v1/envelopes/abcdefgh?x=1', [400, 'field-unknown', 'x']],
  ['GET', '/v1/envelopes/%zz', [400, 'field-invalid', 'id']],
  ['GET', '/v1/envelopes/%FF', [400, 'field-invalid', 'id']],
  ['GET', '/v1/envelopes/', [404, 'not-found']],
  ['GET', '/v1/envelopes/__proto__', [404, 'not-found', 'id']],
  ['GET', '/v1/envelopes/a/b', [404, 'not-found']],
  ['GET', '/v1/envelopes/abcdefgh/receipts?wait=none', [400, 'field-invalid', 'wait']],
  ['POST', '/v1/threads', [405, 'method-not-allowed']],
  ['GET', '/v1/threads?limit=501', [400, 'field-invalid', 'limit']],
  ['GET', '/v1/threads?before=nonsense', [400, 'field-invalid', 'before']],
  ['GET', '/v1/threads?page=2', [400, 'field-unknown', 'page']],
  ['GET', '/v1/threads/', [404, 'not-found']],
  ['GET', '/v1/threads/abcdefgh?limit=0', [400, 'field-invalid', 'limit']],
  ['GET', '/v1/threads/abcdefgh?limit=10001', [400, 'field-invalid', 'limit']],
  ['GET', '/v1/threads/abcdefgh?after=nonsense', [400, 'field-invalid', 'after']],
  ['GET', '/v1/threads/abcdefgh?page=2', [400, 'field-unknown', 'page']],
  ['GET', '/v1/threads/%zz', [400, 'field-invalid', 'corr']],
  ['GET', '/v1/schemas/aee-v2', [404, 'not-found', 'name']],
  ['GET', '/v1/schemas/aee.status.ping', [404, 'not-found', 'name']],
]

test.each(PATHS)('%s %s is refused as documented (docs/http.md §3)', async (method, path, expected) => {
  expectRefusal(await request(shared.socket, path, { method }), expected)
})

test('one that sends more than its share is told when to come back (docs/http.md §3, R-32)', async () => {
  await using daemon = await startTestDaemon({
    config: { limits: { submissions_per_second: 1, submission_burst: 2 } },
  })
  for (let i = 0; i < 2; i += 1) await sendEnvelope(daemon.socket, validEnvelope())

  const { status, headers, body } = await sendEnvelope(daemon.socket, validEnvelope())

  expect([status, body.code]).toEqual([429, 'rate-limited'])
  expect(Number(headers['retry-after'])).toBeGreaterThan(0)
  expect(body.retry_after_ms).toBeGreaterThan(0)
})

test('an envelope that reaches more than one may is refused, and nobody gets it (docs/http.md §3, R-33)', async () => {
  await using daemon = await startTestDaemon({ config: { limits: { fan_out: 1 } } })
  using one = await listenFor(daemon.socket, 'bus.many,bus.few')
  using _two = await listenFor(daemon.socket, 'bus.many')
  const refused = validEnvelope({ to: 'bus.many' })

  const answer = await sendEnvelope(daemon.socket, refused)
  const taken = validEnvelope({ to: 'bus.few' })
  await sendEnvelope(daemon.socket, taken)

  expectRefusal(answer, [422, 'fanout-too-large', 'to'])
  expect(JSON.parse((await one.next()).data).id).toBe(taken.id)
  expect((await request(daemon.socket, `/v1/envelopes/${refused.id}`)).status).toBe(404)
})

test('with auth "session" envelopes, threads and log lines need a token (docs/http.md §2)', async () => {
  await using daemon = await startTestDaemon({ config: { auth: 'session' } })
  for (const [path, options] of [
    ['/v1/envelopes', { json: validEnvelope() }],
    ['/v1/log', { json: { v: '1', id: 'abcdefgh', type: 'event', from: 'a', intent: 'abc' } }],
    ['/v1/envelopes/abcdefgh', {}],
    ['/v1/threads', {}],
    ['/v1/threads/abcdefgh', {}],
  ] as const) {
    const { status, body } = await request(daemon.socket, path, options)
    expect([path, status, body.code]).toEqual([path, 401, 'unauthenticated'])
  }
})
