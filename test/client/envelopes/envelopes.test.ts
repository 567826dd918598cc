import { UsageError } from '../../../src/core/errors.ts'
import { describe, expect, test } from 'vitest'
import { hashOf } from '../../../src/aee/envelope/canonical.ts'
import { ENVELOPE_FIELDS } from '../../../src/aee/envelope/envelope.ts'
import { readKey } from '../../../src/aee/keys/key.ts'
import { createKey } from '../../../src/aee/keys/new-key.ts'
import { verifyEnvelope } from '../../../src/aee/keys/signature.ts'
import { MAX_IN_FLIGHT_LENGTH } from '../../../src/client/pipe/in-flight.ts'
import { MAX_ENVELOPE_OCTETS } from '../../../src/core/limits.ts'
import { makeEnvelope, readSent, sentLine, takeEnvelopePipe } from '../envelope-peers.ts'
import { START_MS } from '../manual-clock.ts'
import { meet, register, TOKEN } from '../peers.ts'

const DRAFT = {
  type: 'event',
  from: 'agent.a',
  to: 'bus.ops',
  intent: 'ops.build.finished',
  payload: {},
} as const

describe('sending', () => {
  test('all fourteen members stand in what is composed, and nothing is made up (AEE-C03, AEQ-06)', async () => {
    await using peers = await meet()
    const sending = peers.client.sendEnvelope({ ...DRAFT, payload: { build: 7, skipped: undefined } })
    const pipe = await takeEnvelopePipe(peers.daemon)
    const line = await pipe.line()
    const envelope = JSON.parse(line)
    pipe.write(sentLine(envelope))
    const sent = await sending

    expect(Object.keys(envelope)).toEqual(ENVELOPE_FIELDS)
    expect(envelope).toMatchObject({
      v: '1',
      ts: new Date(START_MS).toISOString(),
      reply_to: null,
      trace: null,
      priority: 'normal',
      requires: null,
      payload: { build: 7 },
      sig: null,
    })
    expect(envelope.id).toMatch(/^[0-9A-HJKMNP-TV-Z]{26}$/)
    expect(envelope.corr).toMatch(/^[0-9A-HJKMNP-TV-Z]{26}$/)
    expect(envelope.id).not.toBe(envelope.corr)
    expect(sent.envelope).toEqual(envelope)
  })

  test('what is given is kept', async () => {
    await using peers = await meet()
    const given = {
      ...DRAFT,
      id: 'id-of-mine',
      corr: 'workflow-1',
      replyTo: 'something',
      ts: '2026-11-20T10:00:00Z',
      priority: 'urgent',
      requires: { human_approval: true },
      trace: { trace_id: 'abc', span_id: 'def', parent_span_id: 'x' },
    } as const
    const sending = peers.client.sendEnvelope(given)
    const pipe = await takeEnvelopePipe(peers.daemon)
    const envelope = await readSent(pipe)
    pipe.write(sentLine(envelope))
    await sending

    const { replyTo, ...rest } = given
    expect(envelope).toMatchObject({ ...rest, reply_to: replyTo })
  })

  test('the answer is told whole', async () => {
    await using peers = await meet()
    const sending = peers.client.sendEnvelope(DRAFT)
    const pipe = await takeEnvelopePipe(peers.daemon)
    const envelope = await readSent(pipe)
    const warning = { code: 'field-invalid', field: 'ts', message: 'No time.' }
    pipe.write(
      sentLine(envelope, {
        event_id: 'e1-4',
        recipient_count: 2,
        queued_count: 3,
        ack: 'disk',
        effective_priority: 'low',
        warnings: [warning],
        late: true,
        duplicate: true,
      }),
    )

    expect(await sending).toEqual({
      id: envelope.id,
      eventId: 'e1-4',
      peopleCount: 0,
      terminalCount: 0,
      recipientCount: 2,
      queuedCount: 3,
      ack: 'disk',
      effectivePriority: 'low',
      warnings: [warning],
      late: true,
      duplicate: true,
      envelope,
    })
  })

  test('many go through one request, and a drop sends the same bytes again (AEQ-16, R-14)', async () => {
    await using peers = await meet()
    const session = await register(peers)
    const sending = Promise.all([1, 2, 3].map((n) => session.sendEnvelope({ ...DRAFT, payload: { n } })))
    const first = await takeEnvelopePipe(peers.daemon)
    const lines = [await first.line(), await first.line(), await first.line()]
    first.write(sentLine(JSON.parse(lines[0] ?? '')))
    first.hangUp()
    const second = await takeEnvelopePipe(peers.daemon)
    const again = [await second.line(), await second.line()]
    for (const line of again) second.write(sentLine(JSON.parse(line), { duplicate: true }))

    expect(again).toEqual(lines.slice(1))
    expect((await sending).map(({ duplicate }) => duplicate)).toEqual([false, true, true])
    expect(first.header('authorization')).toBe(`Bearer ${TOKEN}`)
  })

  test('a refusal is the error of its own envelope', async () => {
    await using peers = await meet()
    const sending = Promise.allSettled([peers.client.sendEnvelope(DRAFT), peers.client.sendEnvelope(DRAFT)])
    const pipe = await takeEnvelopePipe(peers.daemon)
    await pipe.line()
    pipe.write(
      '{"code":"recipient-unknown","field":"to","message":"Nobody is agent.doer; agent.door is.","line":1}\n',
    )
    pipe.write(sentLine(await readSent(pipe)))

    expect(await sending).toMatchObject([
      { reason: { name: 'AgentdError', code: 'recipient-unknown', field: 'to' } },
      { status: 'fulfilled' },
    ])
  })

  test('what is no envelope is refused here, with the daemon\u2019s codes', async () => {
    await using peers = await meet()
    const { client } = peers

    await expect(client.sendEnvelope({ ...DRAFT, intent: 'x' })).rejects.toMatchObject({
      code: 'field-invalid',
      field: 'intent',
    })
    await expect(client.sendEnvelope({ ...DRAFT, type: 'result' })).rejects.toMatchObject({
      code: 'field-invalid',
      field: 'reply_to',
    })
    await expect(client.submitEnvelope('{"v":"1"}')).rejects.toMatchObject({
      code: 'field-missing',
      field: 'id',
    })
    await expect(client.submitEnvelope('{"a":1,"a":2}')).rejects.toMatchObject({ code: 'envelope-malformed' })
    await expect(
      client.sendEnvelope({ ...DRAFT, payload: { text: 'x'.repeat(MAX_ENVELOPE_OCTETS) } }),
    ).rejects.toMatchObject({ code: 'envelope-too-large' })
    expect(peers.daemon.untaken).toBe(0)
  })

  test('a text is sent as it was written, on one line', async () => {
    await using peers = await meet()
    const text = JSON.stringify({ ...makeEnvelope(), x: 1 }).replace('"x":1', '"x":1.0')
    const sending = peers.client.submitEnvelope(`\n ${text.replaceAll(',"', ',\r\n"')}\n`)
    const pipe = await takeEnvelopePipe(peers.daemon)
    const line = await pipe.line()
    pipe.write(sentLine(JSON.parse(line)))
    await sending

    expect(line).toBe(text.replaceAll(',"', ',  "'))
  })

  test('an aborted sending rejects with the reason, before or after it is written', async () => {
    await using peers = await meet()
    const reason = new Error('never mind')
    await expect(peers.client.sendEnvelope(DRAFT, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
    expect(peers.daemon.untaken).toBe(0)

    const controller = new AbortController()
    const sending = peers.client.sendEnvelope(DRAFT, { signal: controller.signal })
    const pipe = await takeEnvelopePipe(peers.daemon)
    const envelope = await readSent(pipe)
    controller.abort(reason)

    await expect(sending).rejects.toBe(reason)
    pipe.write(sentLine(envelope))
  })

  test('what is in flight is bounded in octets too, and one of any size goes', async () => {
    await using peers = await meet()
    const payload = { text: 'x'.repeat(MAX_ENVELOPE_OCTETS / 2) }
    const fitting = (2 * MAX_IN_FLIGHT_LENGTH) / MAX_ENVELOPE_OCTETS - 1
    const sending = Promise.all(
      Array.from({ length: fitting + 1 }, () => peers.client.sendEnvelope({ ...DRAFT, payload })),
    )
    const pipe = await takeEnvelopePipe(peers.daemon)
    const envelopes = []
    while (envelopes.length < fitting) envelopes.push(await readSent(pipe))
    let hasMore = false
    const next = readSent(pipe).then((envelope) => {
      hasMore = true
      return envelope
    })
    for (let call = 0; call < 5; call += 1) await peers.client.health()
    expect(hasMore).toBe(false)

    const [first = makeEnvelope(), ...rest] = envelopes
    pipe.write(sentLine(first))
    const last = await next
    for (const envelope of [...rest, last]) pipe.write(sentLine(envelope))

    expect(await sending).toHaveLength(fitting + 1)
  })

  test('a signature is over what is sent (AEE-045, AEQ-14)', async () => {
    await using peers = await meet()
    const made = createKey({ alg: 'ed25519', entities: ['agent.*'], nowMs: START_MS })
    const sign = readKey(made.text)
    const sending = peers.client.sendEnvelope(
      { ...DRAFT, payload: { at: new Date(START_MS), none: undefined } },
      { sign },
    )
    const pipe = await takeEnvelopePipe(peers.daemon)
    const envelope = await readSent(pipe)
    pipe.write(sentLine(envelope))
    await sending

    const keys = { find: (kid: string) => (kid === sign.kid ? sign : undefined) }
    expect(verifyEnvelope(envelope, { keys, nowMs: START_MS })).toBe('verified')
    expect(envelope.payload).toEqual({ at: new Date(START_MS).toISOString() })
  })
})

describe('fetching', () => {
  test('an envelope is read as it is stored, whatever its id', async () => {
    await using peers = await meet()
    const id = 'a/b?c#d e%20 \u00fc'
    const text = JSON.stringify({ ...makeEnvelope({ id }), x: 1 }).replace('"x":1', '"x":1.0')
    const fetching = peers.client.envelope(id)
    const arrival = await peers.daemon.next('GET /v1/envelopes/')
    arrival.answer(200, text)

    expect(arrival.request.url).toBe(`/v1/envelopes/${encodeURIComponent(id)}`)
    expect(await fetching).toEqual({ envelope: JSON.parse(text), text })
  })

  test('what is not there is not-found, and what is no envelope is outside the contract', async () => {
    await using peers = await meet()
    const missing = peers.client.envelope('envelope-a')
    missing.catch(() => {})
    ;(await peers.daemon.next('GET /v1/envelopes/')).answer(404, { code: 'not-found', message: 'Not here.' })
    const strange = peers.client.envelope('envelope-a')
    strange.catch(() => {})
    ;(await peers.daemon.next('GET /v1/envelopes/')).answer(200, { hello: 1 })

    await expect(missing).rejects.toMatchObject({ code: 'not-found' })
    await expect(strange).rejects.toMatchObject({ name: 'AgentdUnknownAnswer', status: 200 })
  })

  test('receipts are waited for as those of a frame are', async () => {
    await using peers = await meet()
    const waiting = peers.client.envelopeReceipts('envelope-a', { wait: 'seen', timeoutMs: 5_000 })
    const arrival = await peers.daemon.next('GET /v1/envelopes/envelope-a/receipts')
    const at = '2026-11-20T10:00:00.000Z'
    const receipt = { address: '~alice/cc@s1', state: 'seen', at, via: 'stream' }
    arrival.answer(200, {
      id: 'envelope-a',
      event_id: 'e1-1',
      accepted_at: at,
      recipient_count: 1,
      queued_count: 0,
      receipts: [receipt],
    })

    expect([...arrival.query]).toEqual([
      ['wait', 'seen'],
      ['timeout_ms', '5000'],
    ])
    expect(await waiting).toEqual({
      id: 'envelope-a',
      eventId: 'e1-1',
      acceptedAt: at,
      recipientCount: 1,
      queuedCount: 0,
      receipts: [receipt],
    })
  })

  test('a log line goes to the log and nowhere else (AEE-C19)', async () => {
    await using peers = await meet()
    const line = { v: '1', id: 'x', type: 'event', from: 'gateway', intent: 'llm.call', ms: 12 } as const
    const logging = peers.client.log(line)
    const arrival = await peers.daemon.next('POST /v1/log')
    const body = await arrival.json()
    arrival.answer(200, { id: 'x', logged: true })

    await logging
    expect(body).toEqual(line)
  })
})

describe('references', () => {
  const envelope = makeEnvelope({ id: 'envelope-a' })

  test.each([
    ['a locator', 'store://envelopes/envelope-a'],
    ['a reference', { id: 'envelope-a', type: 'aee.envelope' }],
    ['a reference with its hash', { id: 'envelope-a', type: 'aee.envelope', hash: hashOf(envelope) }],
    [
      'a hash in capitals',
      {
        id: 'envelope-a',
        type: 'aee.envelope',
        hash: hashOf(envelope).toUpperCase(),
      },
    ],
  ])('%s leads to its envelope (AEE-073, AEE-074)', async (_, reference) => {
    await using peers = await meet()
    const resolving = peers.client.resolve(reference)
    ;(await peers.daemon.next('GET /v1/envelopes/envelope-a')).answer(200, envelope)

    expect(await resolving).toMatchObject({ envelope })
  })

  test.each([hashOf({ ...envelope, x: 1 }), 'md5:d41d8cd98f00b204e9800998ecf8427e', ''])(
    'a hash that does not hold is an error of its own: %s (AEQ-22)',
    async (hash) => {
      await using peers = await meet()
      const resolving = peers.client.resolve({ id: 'envelope-a', type: 'aee.envelope', hash })
      resolving.catch(() => {})
      ;(await peers.daemon.next('GET /v1/envelopes/envelope-a')).answer(200, envelope)

      await expect(resolving).rejects.toMatchObject({
        name: 'EnvelopeHashMismatch',
        id: 'envelope-a',
        expected: hash,
        actual: hashOf(envelope),
      })
    },
  )

  test('a locator of another store is nothing to follow', async () => {
    await using peers = await meet()

    await expect(peers.client.resolve('https://example.org/envelopes/envelope-a')).rejects.toThrow(UsageError)
    expect(peers.daemon.untaken).toBe(0)
  })
})

/** An item of a page. */
function itemOf(seq: number, envelope: object, changes: object = {}): object {
  return {
    event_id: `e1-${seq}`,
    accepted_at: '2026-11-20T10:00:00.000Z',
    effective_priority: 'normal',
    late: false,
    refuted: [],
    recipient_count: 1,
    queued_count: 0,
    envelope,
    ...changes,
  }
}

describe('threads', () => {
  test('every page is fetched, and an answer stands behind what it answers (AEE-012)', async () => {
    await using peers = await meet()
    const corr = 'workflow/1 \u00e4'
    const task = makeEnvelope({ corr, id: 'task-0001' })
    const result = makeEnvelope({ corr, type: 'result', replyTo: task.id })
    const refuted = [{ by: 'human.alice', reason: 'no', at: '2026-11-20T10:00:00.000Z', id: 'refute-01' }]
    const fetching = peers.client.thread(corr)
    const first = await peers.daemon.next('GET /v1/threads/')
    first.answer(200, {
      corr,
      items: [itemOf(1, result, { late: true }), itemOf(2, { v: '1', hello: 1 })],
      next: 'e1-2',
    })
    const second = await peers.daemon.next('GET /v1/threads/')
    second.answer(200, { corr, items: [itemOf(3, task, { refuted })], next: null })
    const thread = await fetching

    expect(first.request.url).toContain(`/v1/threads/${encodeURIComponent(corr)}?`)
    expect([first, second].map(({ query }) => query.get('after'))).toEqual([null, 'e1-2'])
    expect(thread).toMatchObject({
      corr,
      unreadable: 1,
      items: [
        { eventId: 'e1-3', envelope: task, refuted, late: false },
        { eventId: 'e1-1', envelope: result, refuted: [], late: true },
      ],
    })
  })

  test('a page without items ends it, whatever it promises', async () => {
    await using peers = await meet()
    const fetching = peers.client.thread('workflow-1')
    const page = await peers.daemon.next('GET /v1/threads/')
    page.answer(200, { corr: 'workflow-1', items: [], next: 'e1-9' })

    expect(await fetching).toEqual({ corr: 'workflow-1', items: [], unreadable: 0 })
    expect(peers.daemon.untaken).toBe(0)
  })
})

describe('envelopes in the inbox', () => {
  test('frames and envelopes are told apart, and what is neither is counted', async () => {
    await using peers = await meet()
    const session = await register(peers)
    const envelope = makeEnvelope()
    const draining = session.inbox.drain()
    const arrival = await peers.daemon.next('POST /v1/inbox/drain')
    arrival.answer(200, {
      items: [
        { event_id: 'e1-1', age_ms: 5, envelope, effective_priority: 'low', late: true },
        { event_id: 'e1-2', age_ms: 4, envelope: { ...envelope, v: '2' } },
        { event_id: 'e1-3', age_ms: 3 },
      ],
      coalesced: 0,
      remaining: 0,
      gap: null,
    })

    expect(await draining).toMatchObject({
      items: [{ eventId: 'e1-1', ageMs: 5, envelope, effectivePriority: 'low', late: true }],
      unreadable: 2,
    })
  })
})

test('a closed client sends no envelopes', async () => {
  await using peers = await meet()
  await peers.client.close()

  await expect(peers.client.sendEnvelope(DRAFT)).rejects.toMatchObject({ code: 'closing' })
})
