/**
 * Envelopes through the real daemon: what is answered, and that every byte of them survives wherever they go.
 */
import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { startTestDaemon } from '../../support/daemon.ts'
import {
  listenFor,
  nextEnvelope,
  sendEnvelope,
  validEnvelope,
  type AnyEnvelope,
} from '../../support/envelopes.ts'
import { openLines, request } from '../../support/http.ts'
import { createTempDir } from '../../support/temp-dir.ts'
import { EVENT_ID, ISO_TIME, SharedDaemon } from '../shared-daemon.ts'
import { HAS_SQLITE, keepsFrames } from '../../support/without-sqlite.ts'

const shared = new SharedDaemon()

/** Escapes, numbers and spaces that a parser and a printer between would change, and members nobody knows. */
function strangeText({ id, corr, to }: { id: string; corr: string; to: string }): string {
  const head = `{ "x_first":[ ] ,"v":"1", "id" :${JSON.stringify(id)},"ts":"${new Date().toISOString()}"`
  const names = `"type":"event","from":"agent.sender","to":${JSON.stringify(to)},"intent":"ops.x.y","corr":${JSON.stringify(corr)}`
  const strange = String.raw`"__proto__":{"admin":true},"constructor":1,"":null,"n":[1.0,1E+2,-0,12345678901234567890,0.1e-7,1e999]`
  const escapes = String.raw`"esc":"\u0041\/\u2028\ud83d\ude00 \ud800 \u0000 é","raw":"  😀"`
  return `${head},${names},"priority":"low","payload":{${strange},${escapes}},"x_vendor":{"kept":[null]} }`
}

test('an envelope is answered with its place, its counts, what the answer stands for, and what to know (docs/http.md §9)', async () => {
  const channel = `bus.${randomUUID()}`
  using _stream = await listenFor(shared.socket, channel)
  await shared.register({ mailbox: true, entities: [channel] })
  const envelope = validEnvelope({ to: channel })

  const { status, headers, body } = await sendEnvelope(shared.socket, envelope)

  expect([status, headers['content-type']]).toEqual([200, 'application/json'])
  expect(body).toEqual({
    id: envelope.id,
    event_id: expect.stringMatching(EVENT_ID),
    recipient_count: 1,
    queued_count: 1,
    ack: HAS_SQLITE ? 'process' : 'memory',
    effective_priority: 'normal',
    warnings: [],
  })
})

test('ten members are enough, and none that is missing is made up (AEE-036, AEQ-01)', async () => {
  await shared.register({ entities: ['bus.ops'], mailbox: true })
  const bare = validEnvelope({ reply_to: undefined, trace: undefined, requires: undefined, sig: undefined })
  const { body } = await sendEnvelope(shared.socket, bare)
  const found = await shared.get(`/v1/envelopes/${bare.id}`)

  expect(body.warnings).toEqual([])
  expect(found.text).toBe(JSON.stringify(bare))
})

test('every byte comes through stream, mailbox, GET and thread (AEE-038, AEE-C02, AEQ-24)', async () => {
  const channel = `bus.${randomUUID()}`
  const mailbox = await shared.register({ mailbox: true, entities: [channel] })
  using stream = await listenFor(shared.socket, channel)
  const [id, corr] = [randomUUID(), randomUUID()]
  const text = strangeText({ id, corr, to: channel })

  const { status, body } = await sendEnvelope(shared.socket, text)
  const trimmed = text.trim()
  const [event, drained, found, thread] = [
    await stream.next(),
    await shared.post('/v1/inbox/drain', { max_bytes: 10_000 }, mailbox.token),
    await shared.get(`/v1/envelopes/${id}`),
    await shared.get(`/v1/threads/${corr}`),
  ]

  expect([status, body.warnings]).toEqual([200, []])
  expect(event).toMatchObject({ event: 'aee_envelope', id: body.event_id, data: trimmed })
  expect([found.headers['content-type'], found.text]).toEqual(['application/json', trimmed])
  expect(drained.text).toContain(`"envelope":${trimmed},`)
  expect(thread.text).toContain(`"envelope":${trimmed}}`)
  expect(drained.body.items[0]).toMatchObject({
    event_id: body.event_id,
    age_ms: expect.any(Number),
    effective_priority: 'low',
    late: false,
  })
})

test('line breaks between tokens become spaces, and nothing else changes (SSE-12, AEE-C02)', async () => {
  using stream = await listenFor(shared.socket, 'bus.pretty')
  const pretty = JSON.stringify(validEnvelope({ to: 'bus.pretty', payload: { s: 'a\nb' } }), undefined, 2)

  await sendEnvelope(shared.socket, `\r\n\t${pretty.replaceAll('\n', '\r\n')}\n\n`)
  const { data } = await stream.next()

  expect(data).toBe(pretty.replaceAll('\n', '  '))
  expect(JSON.parse(data)).toEqual(JSON.parse(pretty))
})

test.runIf(keepsFrames())(
  'every byte is there again after a restart, on streams that resume and in mailboxes that waited (R-15, R-18, AEE-C02)',
  async () => {
    await using dir = await createTempDir()
    const [id, corr] = [randomUUID(), randomUUID()]
    const text = strangeText({ id, corr, to: 'bus.kept' })
    const start = () => startTestDaemon({ dir })
    let token = ''
    let place = ''
    {
      await using first = await start()
      const { body } = await request(first.socket, '/v1/sessions', {
        json: { instrument: 'cc', session_id: 's1', mailbox: true, entities: ['bus.kept'] },
      })
      token = body.token
      place = body.event_id
      expect((await sendEnvelope(first.socket, text)).body.queued_count).toBe(1)
      await first.stop('SIGKILL')
    }
    await using second = await start()

    const found = await request(second.socket, `/v1/envelopes/${id}`)
    const thread = await request(second.socket, `/v1/threads/${corr}`)
    using resumed = await listenFor(second.socket, 'bus.kept', { headers: { 'last-event-id': place } })
    using replayed = await listenFor(second.socket, 'bus.kept', { query: '&replay=1' })
    const drained = await request(second.socket, '/v1/inbox/drain', { json: { max_bytes: 9_000 }, token })
    const again = await sendEnvelope(second.socket, text)
    const other = await sendEnvelope(second.socket, text.replace('"low"', '"high"'))

    expect(found.text).toBe(text)
    expect(thread.text).toContain(`"envelope":${text}}`)
    expect([await nextEnvelope(resumed), await nextEnvelope(replayed)]).toEqual([text, text])
    expect(drained.text).toContain(`"envelope":${text},`)
    expect(again.body).toMatchObject({ id, duplicate: true, queued_count: 1 })
    expect([other.status, other.body.code]).toEqual([409, 'duplicate-id'])
  },
)

test.runIf(keepsFrames())(
  'an entity is known after a restart, and a name near it is still suggested (docs/http.md §9)',
  async () => {
    await using dir = await createTempDir()
    {
      await using first = await startTestDaemon({ dir })
      await sendEnvelope(first.socket, validEnvelope({ from: 'agent.remembered' }))
      await first.stop()
    }
    await using second = await startTestDaemon({ dir })

    expect((await sendEnvelope(second.socket, validEnvelope({ to: 'agent.remembered' }))).status).toBe(200)
    const near = await sendEnvelope(second.socket, validEnvelope({ to: 'agent.rememberd' }))
    expect([near.status, near.body.message.includes('"agent.remembered"')]).toEqual([404, true])
  },
)

test.each([
  'with/slash/es',
  '../../etc/passwd',
  '. . . . .',
  'per%cent%2Fes',
  'space and\ttab\u0000nul',
  'ümläut-日本語-😀',
  'question?and#hash',
  '__proto__',
  'constructor',
  'quote\'"\\`',
  'long'.repeat(500),
])('an id and a corr "%s" are found at their paths, encoded (AEE-004, AEE-032)', async (name) => {
  const [id, corr] = [`${name}-${randomUUID()}`, `${name}-corr-${randomUUID()}`]
  const envelope = validEnvelope({ id, corr })
  const { body } = await sendEnvelope(shared.socket, envelope)
  const path = `/v1/envelopes/${encodeURIComponent(id)}`

  expect(body.id).toBe(id)
  expect((await shared.get(path)).body).toEqual(envelope)
  expect((await shared.get(`${path}/receipts`)).body).toMatchObject({ id, event_id: body.event_id })
  const thread = await shared.get(`/v1/threads/${encodeURIComponent(corr)}`)
  expect([thread.body.corr, thread.body.items.length]).toEqual([corr, 1])
})

/** What is worth a word → its members, and the field of the warning. */
const ADVICE: readonly [string, Readonly<Record<string, unknown>>, string, string, boolean][] = [
  ['a reply_to that can be nobody (AEQ-03)', { reply_to: 'short' }, 'field-invalid', 'reply_to', false],
  ['a ts that is no time (AEQ-06)', { ts: 'about noon' }, 'field-invalid', 'ts', true],
  ['a ts without a zone (AEQ-06)', { ts: '2025-12-14T03:45:12' }, 'field-invalid', 'ts', true],
  [
    'a timeout that is a word (AEQ-09)',
    { requires: { timeout_ms: '30s' } },
    'field-invalid',
    'requires.timeout_ms',
    true,
  ],
  [
    'a confidence over 1 (AEQ-09)',
    { requires: { min_confidence: 1.5 } },
    'field-invalid',
    'requires.min_confidence',
    true,
  ],
  [
    'an approval that is a word (AEQ-09)',
    { requires: { human_approval: 'yes' } },
    'field-invalid',
    'requires.human_approval',
    true,
  ],
  [
    'an intent of aee.* that nobody defined (AEQ-17)',
    { intent: 'aee.made.up' },
    'intent-reserved',
    'intent',
    true,
  ],
  [
    'a secret in requires (AEE-089)',
    { requires: { api_key: 'hush-hush-hush' } },
    'field-invalid',
    'requires.api_key',
    true,
  ],
  [
    'a reference without a type (AEE-070)',
    { payload: { references: [{ id: 'abcdefgh' }] } },
    'field-invalid',
    'payload.references[0].type',
    true,
  ],
]

test.each(ADVICE)(
  '%s is delivered with a warning, and never quotes a secret',
  async (_says, changes, code, field) => {
    using stream = await listenFor(shared.socket, 'bus.advice')
    const { status, body, text } = await sendEnvelope(
      shared.socket,
      validEnvelope({ to: 'bus.advice', ...changes }),
    )

    expect(status).toBe(200)
    expect(body.warnings).toEqual([{ code, field, message: expect.stringMatching(/^["A-Z].*\.$/) }])
    expect(text).not.toContain('hush')
    await stream.next('aee_envelope')
  },
)

test('what is usual gives no warning: lineage on tasks and events, extensions, the explainer (AEQ-03, AEQ-17, AEE-C10, AEE-C11)', async () => {
  await shared.register({ entities: ['bus.ops'], mailbox: true })
  for (const changes of [
    { type: 'event', reply_to: 'aocl-request-0001' },
    { type: 'task', reply_to: 'aocl-request-0001' },
    { type: 'stream', reply_to: 'aocl-request-0001' },
    { type: 'event', intent: 'aee.protocol.explainer' },
    { intent: 'aee.ext.agentd.x' },
    { ts: new Date().toISOString().slice(0, 10) },
    { ts: new Date().toISOString().replace('Z', '123+00:00') },
    { requires: { timeout_ms: 30_000, unknown: { deep: true } } },
    { type: 'result', reply_to: 'nobody-knows-this' },
  ]) {
    const { status, body } = await sendEnvelope(shared.socket, validEnvelope(changes))
    expect([changes, status, body.warnings]).toEqual([changes, 200, []])
  }
})

test('the strict profile refuses what is otherwise a warning, and nobody gets it (AEQ-06, AEQ-09, AEQ-17, AEE-089)', async () => {
  await using daemon = await startTestDaemon({ config: { aee: { profile: 'strict' } } })
  using stream = await listenFor(daemon.socket, 'bus.ops')

  for (const [says, changes, code, field, isRefused] of ADVICE) {
    const envelope = validEnvelope(changes)
    const { status, body, text } = await sendEnvelope(daemon.socket, envelope)
    expect([says, status === 200, body.code, body.field]).toEqual([
      says,
      !isRefused,
      isRefused ? code : undefined,
      isRefused ? field : undefined,
    ])
    expect(text).not.toContain('hush')
    if (!isRefused) expect(JSON.parse((await stream.next()).data).id).toBe(envelope.id)
  }
  const probe = validEnvelope()
  await sendEnvelope(daemon.socket, probe)
  expect(JSON.parse((await stream.next()).data).id).toBe(probe.id)
})

test('replies are compared with their task: a word about each difference, and strict refuses (AEQ-04, AEQ-05, AEQ-26)', async () => {
  await using strict = await startTestDaemon({ config: { aee: { profile: 'strict' } } })
  for (const socket of [shared.socket, strict.socket]) {
    const isStrict = socket === strict.socket
    const task = validEnvelope({ from: 'agent.boss', to: 'bus.work' })
    await sendEnvelope(socket, task)
    const reply = (changes: object) =>
      validEnvelope({
        type: 'result',
        from: 'agent.worker',
        to: 'agent.boss',
        corr: task.corr,
        reply_to: task.id,
        ...changes,
      })
    const send = async (changes: object) => (await sendEnvelope(socket, reply(changes))).body

    expect((await send({ type: 'stream', intent: 'ops.other' })).warnings).toMatchObject([
      { field: 'intent' },
    ])
    const elsewhere = await send({ corr: 'another-corr' })
    const parties = await send({ from: 'agent.stranger', to: 'bus.ops', type: 'stream' })
    const first = await send({})
    const second = await send({ type: 'error', payload: { code: 'E_X', message: 'no', retryable: false } })
    const toReply = await send({ reply_to: first.id })

    expect(parties.code).toBe(undefined)
    if (isStrict) {
      expect([elsewhere.code, elsewhere.field]).toEqual(['field-invalid', 'corr'])
      expect(first).toMatchObject({ warnings: [] })
      expect([second.code, second.field]).toEqual(['field-invalid', 'reply_to'])
      expect([toReply.code, toReply.field]).toEqual(['field-invalid', 'reply_to'])
    } else {
      expect(elsewhere.warnings).toMatchObject([{ field: 'corr' }])
      // The reply under another corr was a result all the same.
      expect(first).toMatchObject({ late: true, warnings: [{ field: 'reply_to' }] })
      expect(second).toMatchObject({ late: true, warnings: [{ field: 'reply_to' }] })
      expect(toReply.warnings).toMatchObject([{ field: 'reply_to' }])
    }
  }
})

test.runIf(keepsFrames())(
  'what comes after the end of its task is late: in the reply, on the stream, in the inbox and the thread, and after a restart (AEQ-26)',
  async () => {
    await using dir = await createTempDir()
    const task = validEnvelope({ from: 'agent.boss', to: 'bus.work' })
    const reply = (changes: object) =>
      validEnvelope({ from: 'agent.worker', to: 'bus.boss', corr: task.corr, reply_to: task.id, ...changes })
    {
      await using first = await startTestDaemon({ dir })
      using stream = await listenFor(first.socket, 'bus.boss')
      const session = await request(first.socket, '/v1/sessions', {
        json: { instrument: 'cc', mailbox: true, entities: ['bus.boss'] },
      })
      await sendEnvelope(first.socket, task)
      const early = await sendEnvelope(first.socket, reply({ type: 'stream' }))
      const end = await sendEnvelope(first.socket, reply({ type: 'result' }))
      const late = await sendEnvelope(first.socket, reply({ type: 'stream' }))

      expect([early.body.late, end.body.late, late.body.late]).toEqual([undefined, undefined, true])
      expect(late.body.warnings).toEqual([])
      for (let i = 0; i < 3; i += 1) await stream.next('aee_envelope')
      expect(stream.body().match(/^: .*late=true/gm)).toHaveLength(1)
      expect(stream.body()).toMatch(
        new RegExp(`id: ${late.body.event_id}\nevent: aee_envelope\n: late=true\ndata: `),
      )
      const drained = await request(first.socket, '/v1/inbox/drain', { json: {}, token: session.body.token })
      expect(drained.body.items.map((item: { late: boolean }) => item.late)).toEqual([false, false, true])
      await first.stop()
    }
    await using second = await startTestDaemon({ dir })
    const later = await sendEnvelope(second.socket, reply({ type: 'error', payload: {} }))
    const thread = await request(second.socket, `/v1/threads/${task.corr}`)

    expect(later.body.late).toBe(true)
    expect(thread.body.items.map((item: { late: boolean }) => item.late)).toEqual([
      false,
      false,
      false,
      true,
      true,
    ])
  },
)

test('beyond a sender\'s share "high" goes as "normal", and says so everywhere; the envelope stays as it is (AEE-094, AEE-095, AEQ-27)', async () => {
  await using daemon = await startTestDaemon({
    config: { limits: { priority_burst: 2, priority_per_minute: 1 } },
  })
  const { socket } = daemon
  using stream = await listenFor(socket, 'bus.ops')
  const { body: session } = await request(socket, '/v1/sessions', {
    json: { instrument: 'cc', mailbox: true, entities: ['bus.ops', 'agent.other'] },
  })
  const corr = randomUUID()
  const send = async (priority: string, more = {}, token?: string) =>
    (await sendEnvelope(socket, validEnvelope({ corr, priority, ...more }), token)).body.effective_priority

  const granted = [
    await send('urgent'),
    await send('low'),
    await send('high'),
    await send('urgent'),
    await send('high'),
    await send('normal'),
  ]
  const another = await send('urgent', { from: 'agent.other' }, session.token)
  for (let i = 0; i < 7; i += 1) await stream.next('aee_envelope')
  const drained = await request(socket, '/v1/inbox/drain', { json: {}, token: session.token })
  const thread = await request(socket, `/v1/threads/${corr}`)

  expect(granted).toEqual(['urgent', 'low', 'high', 'normal', 'normal', 'normal'])
  expect(another).toBe('urgent')
  const effective = [...granted, another]
  const claimed = ['urgent', 'low', 'high', 'urgent', 'high', 'normal', 'urgent']
  type Item = { effective_priority: string; envelope: AnyEnvelope }
  for (const [items, wanted] of [
    [thread.body.items, effective],
    // Its own does not come back to it.
    [drained.body.items, granted],
  ] as const) {
    expect(items.map((item: Item) => item.effective_priority)).toEqual(wanted)
    expect(items.map((item: Item) => item.envelope['priority'])).toEqual(claimed.slice(0, wanted.length))
  }
  expect(stream.body().match(/^: effective_priority=normal$/gm)).toHaveLength(2)
  const { text } = await request(socket, '/v1/metrics')
  expect(text).toMatch(/^agentd_envelopes_capped_total 2$/m)
})

test('a repeat is answered as the first was, marked, and goes to nobody; later ones too (AEE-080, AEQ-16)', async () => {
  using stream = await listenFor(shared.socket, 'bus.again')
  const envelope = validEnvelope({ to: 'bus.again', requires: { timeout_ms: 'soon' } })

  const first = await sendEnvelope(shared.socket, envelope)
  const second = await sendEnvelope(shared.socket, envelope)
  const third = await sendEnvelope(shared.socket, envelope)
  const probe = validEnvelope({ to: 'bus.again' })
  await sendEnvelope(shared.socket, probe)

  expect(second.body).toEqual({ ...first.body, duplicate: true })
  expect(third.body).toEqual(second.body)
  await stream.next('aee_envelope')
  expect(JSON.parse(await nextEnvelope(stream)).id).toBe(probe.id)
})

test('two that send one id at once: of the same bytes one is first, of others one is refused (AEQ-16)', async () => {
  using stream = await listenFor(shared.socket, 'bus.race')
  for (let i = 0; i < 20; i += 1) {
    const envelope = validEnvelope({ to: 'bus.race' })
    const same = await Promise.all([1, 2, 3].map(() => sendEnvelope(shared.socket, envelope)))
    expect(same.filter(({ body }) => body.duplicate === true)).toHaveLength(2)
    expect(new Set(same.map(({ body }) => body.event_id)).size).toBe(1)

    const other = validEnvelope({ to: 'bus.race' })
    const two = await Promise.all(
      [other, { ...other, payload: {} }].map((one) => sendEnvelope(shared.socket, one)),
    )
    expect(new Set(two.map(({ status }) => status))).toEqual(new Set([200, 409]))
    expect(JSON.parse(await nextEnvelope(stream)).id).toBe(envelope.id)
    expect(JSON.parse(await nextEnvelope(stream)).id).toBe(other.id)
  }
})

test('the conformance profile takes any time, any priority and every id again, and checks everything else (docs/http.md §1)', async () => {
  await using daemon = await startTestDaemon({
    profile: 'conformance',
    config: { limits: { priority_burst: 1, submission_burst: 1, submissions_per_second: 1 } },
  })
  using stream = await listenFor(daemon.socket, 'bus.ops')
  const envelope = validEnvelope({ ts: '1999-01-01T00:00:00Z', priority: 'urgent' })
  const other = { ...envelope, payload: { other: true } }

  for (const one of [envelope, envelope, other]) {
    const { status, body } = await sendEnvelope(daemon.socket, one)
    expect([status, body.duplicate, body.effective_priority]).toEqual([200, undefined, 'urgent'])
  }
  for (const one of [envelope, envelope, other]) expect(JSON.parse(await nextEnvelope(stream))).toEqual(one)
  expect((await request(daemon.socket, `/v1/envelopes/${envelope.id}`)).status).toBe(200)
  const thread = await request(daemon.socket, `/v1/threads/${envelope.corr}`)
  expect(thread.body.items.map((item: { envelope: unknown }) => item.envelope)).toEqual([
    envelope,
    envelope,
    other,
  ])
  expect((await sendEnvelope(daemon.socket, { ...envelope, type: 'x' })).status).toBe(400)
  expect((await sendEnvelope(daemon.socket, { ...envelope, to: 'agent.nobody' })).status).toBe(404)
})

test("an envelope's receipts say who got it, and wait=seen answers when somebody has seen it (docs/http.md §§5, 7)", async () => {
  const channel = `bus.${randomUUID()}`
  const reader = await shared.register({ entities: [channel] })
  const later = await shared.register({ mailbox: true, entities: [channel] })
  using stream = await shared.listen(reader)
  const { body } = await sendEnvelope(shared.socket, validEnvelope({ to: channel }))
  const path = `/v1/envelopes/${body.id}/receipts`
  await stream.next('aee_envelope')

  const before = await shared.get(path)
  const late = await shared.get(`${path}?wait=seen&timeout_ms=0`)
  const seen = shared.get(`${path}?wait=seen`)
  const all = shared.get(`${path}?wait=all`)
  await shared.post('/v1/seen', { event_ids: [body.event_id], via: 'hook' }, reader.token)
  const states = (answer: Awaited<typeof seen>) =>
    Object.fromEntries(
      answer.body.receipts.map((one: Record<string, string>) => [one['address'], [one['state'], one['via']]]),
    )
  expect(states(await seen)).toEqual({
    [reader.address]: ['seen', 'hook'],
    [later.address]: ['queued', undefined],
  })
  await shared.post('/v1/inbox/drain', { via: 'mcp' }, later.token)
  expect(states(await all)).toEqual({ [reader.address]: ['seen', 'hook'], [later.address]: ['seen', 'mcp'] })

  expect(before.body).toEqual({
    id: body.id,
    event_id: body.event_id,
    accepted_at: expect.stringMatching(ISO_TIME),
    recipient_count: 1,
    queued_count: 1,
    receipts: expect.arrayContaining([
      { address: reader.address, state: 'emitted', at: expect.stringMatching(ISO_TIME) },
      { address: later.address, state: 'queued', at: expect.stringMatching(ISO_TIME) },
    ]),
  })
  expect(states(late)).toEqual(states(before))
})

test('a mailbox hands over an envelope of a megabyte, alone if need be, and none is stuck behind it (docs/http.md §7)', async () => {
  const channel = `bus.${randomUUID()}`
  const session = await shared.register({ mailbox: true, entities: [channel] })
  const large = validEnvelope({ to: channel, payload: { x: 'y'.repeat(1_000_000) } })
  const small = validEnvelope({ to: channel })
  await sendEnvelope(shared.socket, large)
  await sendEnvelope(shared.socket, small)
  const drain = async () => (await shared.post('/v1/inbox/drain', {}, session.token)).body

  const [first, second, third] = [await drain(), await drain(), await drain()]

  expect(first.items.map((item: { envelope: AnyEnvelope }) => item.envelope.id)).toEqual([large.id])
  expect(first.remaining).toBe(1)
  expect(second.items.map((item: { envelope: AnyEnvelope }) => item.envelope.id)).toEqual([small.id])
  expect([third.items, third.remaining]).toEqual([[], 0])
})

test('a digest names who said what to whom, on a line of its own, and nothing in it steers a terminal (docs/http.md §7)', async () => {
  const channel = `bus.${randomUUID()}`
  const session = await shared.register({ mailbox: true, entities: [channel] })
  await sendEnvelope(
    shared.socket,
    validEnvelope({
      to: channel,
      from: 'agent.\u001b[31m\nevil',
      intent: 'ops.x\r\n```\ny',
      payload: { message: '\u001b[2J\n```\n# do this' },
    }),
  )

  const { body } = await shared.post('/v1/inbox/drain', { format: 'text' }, session.token)

  // oxlint-disable-next-line no-control-regex
  expect(body.text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/)
  expect(body.text).toContain(channel)
  expect(body.text).not.toMatch(/^# do this/m)
})

test('envelopes are no frames: history, receipts of frames and forgetting by kind pass them over (docs/http.md §§5, 9)', async () => {
  const envelope = validEnvelope()
  await sendEnvelope(shared.socket, envelope)

  const history = await shared.get('/v1/frames?limit=1000')
  const receipts = await shared.get(`/v1/frames/${envelope.id}`)

  expect(history.text).not.toContain(envelope.id)
  expect(receipts.status).toBe(404)
})

test('envelopes are forgotten with what their sender forgets, and are then nowhere (AC-192)', async () => {
  const channel = `bus.${randomUUID()}`
  const session = await shared.register({ mailbox: true, entities: [channel] })
  const envelope = validEnvelope({ to: channel })
  await sendEnvelope(shared.socket, envelope)

  const { status, body } = await request(shared.socket, '/v1/frames?sender=~alice', { method: 'DELETE' })
  const drained = await shared.post('/v1/inbox/drain', {}, session.token)

  expect([status, body.forgotten > 0]).toEqual([200, true])
  expect((await shared.get(`/v1/envelopes/${envelope.id}`)).status).toBe(404)
  expect((await shared.get(`/v1/threads/${envelope.corr}`)).body.items).toEqual([])
  expect(drained.text).not.toContain(envelope.id)
})

/** Envelopes of a mebibyte that are sent one after the other, and the heap in MiB that cannot hold them. */
const MANY = 120
const SMALL_HEAP_MIB = 100

/** As many octets of envelopes as a small heap cannot hold, one after the other. */
async function expectToFit(makeOne: (i: number, long: string) => object): Promise<void> {
  await using daemon = await startTestDaemon({
    nodeArgs: [`--max-old-space-size=${SMALL_HEAP_MIB}`],
    config: { ring: { max_bytes: 8_000_000 } },
  })
  using lines = openLines(daemon.socket, { path: '/v1/envelopes' })
  const long = 'x'.repeat(240_000)

  for (let i = 0; i < MANY; i += 1) {
    lines.send(makeOne(i, long))
    const exit = await Promise.race([lines.answered(i + 1).then(() => undefined), daemon.exited])
    expect([i, exit]).toEqual([i, undefined])
  }

  expect((await request(daemon.socket, '/v1/health')).status).toBe(200)
}

test('large payloads pass through without staying in memory (R-36)', async () => {
  await expectToFit((i, long) => validEnvelope({ payload: { i, long: `${long}${long}${long}${long}` } }))
})

test('very long names stay in no index of the memory (R-36)', async () => {
  await expectToFit((i, long) =>
    validEnvelope({ id: `i${i}${long}`, from: `f${i}${long}`, to: `bus.${i}${long}`, corr: `c${i}${long}` }),
  )
})
